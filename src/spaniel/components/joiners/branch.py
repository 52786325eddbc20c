"""Alternative branches of a pipeline, joined."""

from typing import Any, Self

from spaniel.core.component import GreedyVariadic, component
from spaniel.core.serialization import Serializable, default_from_dict
from spaniel.core.type_names import build_type_parameter, serialize_type
from spaniel.json_types import JsonObject


@component
class BranchJoiner(Serializable):
    """Returns the single value that it receives from any of its senders.

    It closes loops, and joins the branches of a router. It runs as soon as any sender has a value.

    :param type_: the type of the value, such as ``list[Document]``.

    >>> BranchJoiner(str).run(value=["from the branch that ran"])
    {'value': 'from the branch that ran'}
    """

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

    def _init_parameters(self) -> JsonObject:
        return {"type_": serialize_type(self.type_)}

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """Return the joiner that `to_dict` wrote.

        :raises DeserializationError: the type of its value is missing or unknown.
        """
        return default_from_dict(cls, build_type_parameter(data, "type_"))
