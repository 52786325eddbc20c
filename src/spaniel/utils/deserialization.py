"""Components in serialised parameters."""

from spaniel.core.serialization import component_from_dict, import_class_by_name
from spaniel.errors import DeserializationError
from spaniel.json_types import JsonObject


def deserialize_component_inplace(data: JsonObject, key: str = "chat_generator") -> None:
    """Replace a serialised component by the component.

    :param data: serialised init parameters; they are changed.
    :param key: the parameter with the component.
    :raises DeserializationError: the parameter is missing or not a mapping, its type is missing or
        unknown, or the component can't be built.
    """
    if key not in data:
        raise DeserializationError(f"Missing '{key}' in serialization data: {sorted(map(str, data))}")
    written = data[key]
    if not isinstance(written, dict):
        raise DeserializationError(f"The value of '{key}' is not a dictionary, but {written!r}.")
    if "type" not in written:
        raise DeserializationError(f"Missing 'type' in {key} serialization data: {written}")
    data[key] = component_from_dict(import_class_by_name(written["type"]), written, key)
