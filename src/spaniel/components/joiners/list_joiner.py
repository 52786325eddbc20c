"""Joined lists of any items."""

from itertools import chain
from typing import Any, Self

from spaniel.core.component import Variadic, component
from spaniel.core.serialization import Serializable, default_from_dict
from spaniel.core.type_names import build_type_parameter, serialize_type
from spaniel.json_types import JsonObject


@component
class ListJoiner(Serializable):
    """Concatenates lists, in the order in which they arrive.

    :param list_type_: the type of the lists, such as ``list[str]``, for the pipeline's type checks;
        None accepts any list.

    >>> ListJoiner(list[int]).run([[1, 2], [2, 3]])
    {'values': [1, 2, 2, 3]}
    """

    def __init__(self, list_type_: type | None = None) -> None:
        self.list_type_ = list_type_
        component.set_output_types(self, values=list[Any] if list_type_ is None else list_type_)

    def run(self, values: Variadic[list[Any]]) -> dict[str, list[Any]]:
        """Return the items of all lists under ``values``.

        :param values: the lists.
        """
        return {"values": list(chain.from_iterable(values))}

    def _init_parameters(self) -> JsonObject:
        return {"list_type_": None if self.list_type_ is None else serialize_type(self.list_type_)}

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """Return the joiner that `to_dict` wrote.

        :raises DeserializationError: the type of its lists is unknown.
        """
        return default_from_dict(cls, build_type_parameter(data, "list_type_"))
