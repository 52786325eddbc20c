"""Joined lists of any items."""

from itertools import chain
from typing import Any

from spaniel.core.component import Variadic, component
from spaniel.core.type_names import TypeParameter


@component
class ListJoiner(TypeParameter):
    """Concatenates lists, in the order in which they arrive.

    :param list_type_: the type of the lists, such as ``list[str]``, for the pipeline's type checks;
        None accepts any list.

    >>> ListJoiner(list[int]).run([[1, 2], [2, 3]])
    {'values': [1, 2, 2, 3]}
    """

    _type_parameter = "list_type_"

    def __init__(self, list_type_: type | None = None) -> None:
        self.list_type_ = list_type_
        component.set_output_types(self, values=list[Any] if list_type_ is None else list_type_)

    def run(self, values: Variadic[list[Any]]) -> dict[str, list[Any]]:
        """Return the items of all lists under ``values``.

        :param values: the lists.
        """
        return {"values": list(chain.from_iterable(values))}
