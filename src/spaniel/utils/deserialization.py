"""Components inside serialised parameters."""

from typing import Any

from spaniel.core.serialization import component_from_dict, import_class_by_name
from spaniel.errors import DeserializationError

__all__ = ["deserialize_component_inplace"]


def deserialize_component_inplace(data: dict[str, Any], key: str = "chat_generator") -> None:
    """Put a component in the place of the plain data that it was written as.

    :param data: init parameters as plain data; they are changed.
    :param key: the parameter that holds the component.
    :raises DeserializationError: it is missing, no mapping, of no type or of one that is not known, or can't be built.
    """
    if key not in data:
        raise DeserializationError(f"Missing '{key}' in serialization data: {sorted(map(str, data))}")
    written = data[key]
    if not isinstance(written, dict):
        raise DeserializationError(f"The value of '{key}' is not a dictionary, but {written!r}.")
    if "type" not in written:
        raise DeserializationError(f"Missing 'type' in {key} serialization data: {written}")
    data[key] = component_from_dict(import_class_by_name(written["type"]), written, key)
