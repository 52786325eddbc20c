"""Alternative branches of a pipeline, joined."""

from typing import Any

from spaniel.core.component import GreedyVariadic, component
from spaniel.core.type_names import TypeParameter


@component
class BranchJoiner(TypeParameter):
    """Returns the single value that it receives from any of its senders.

    It closes loops, and joins the branches of a router. It runs as soon as any sender has a value.

    :param type_: the type of the value, such as ``list[Document]``.

    >>> BranchJoiner(str).run(value=["from the branch that ran"])
    {'value': 'from the branch that ran'}
    """

    _type_parameter = "type_"

    def __init__(self, type_: type) -> None:
        self.type_ = type_
        component.set_input_types(self, value=GreedyVariadic[type_])  # type: ignore[valid-type]  # known at run time only
        component.set_output_types(self, value=type_)

    def run(self, **kwargs: Any) -> dict[str, Any]:
        """Return the value under ``value``.

        :param kwargs: ``value``, the list of received values.
        :raises ValueError: there is not exactly one value.
        """
        values = list(kwargs.get("value", ()))
        if len(values) != 1:
            raise ValueError(f"BranchJoiner expects only one input, but {len(values)} were received.")
        return {"value": values[0]}
