"""Modules allowed in Haystack, which serialized data may therefore name here."""

from collections.abc import Iterator

from haystack.core.errors import DeserializationError
from haystack.core.serialization import import_class_by_name

from spaniel.json_types import Json

# Spaniel has its own check; Haystack's classes enter by `HaystackStore` only; the others hold no
# components.
_EXEMPT = {"spaniel", "haystack", "haystack_integrations", "haystack_experimental", "builtins", "typing", "collections"}


def find_trusted_modules(data: Json) -> set[str]:
    """Return the modules of types inside serialized data that pass Haystack's own check."""
    return {name.rpartition(".")[0] for name in _types(data) if _is_allowed(name)}


def _types(data: Json) -> Iterator[str]:
    if isinstance(data, dict):
        name = data.get("type")
        if isinstance(name, str) and "." in name and name.partition(".")[0] not in _EXEMPT:
            yield name
    for item in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from _types(item)


def _is_allowed(name: str) -> bool:
    try:
        import_class_by_name(name)
    except (ImportError, DeserializationError):
        return False
    return True
