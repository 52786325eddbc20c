"""Which modules serialised data may name, where Haystack loads it: what the caller allowed there counts here too."""

from collections.abc import Iterator
from typing import Any

from haystack.core.errors import DeserializationError
from haystack.core.serialization import import_class_by_name

# Spaniel judges its own; Haystack's classes come in by `HaystackStore` alone; the rest is no place of components.
_LEFT_OUT = (
    "spaniel",
    "haystack",
    "haystack_integrations",
    "haystack_experimental",
    "builtins",
    "typing",
    "collections",
)


def allowed_by_haystack(data: Any) -> set[str]:
    """Return the modules of the types inside serialised data that may be loaded here, by Haystack's own check."""
    return {name.rpartition(".")[0] for name in _types(data) if _is_allowed(name)}


def _types(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        name = data.get("type")
        if isinstance(name, str) and "." in name and name.partition(".")[0] not in _LEFT_OUT:
            yield name
    for item in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from _types(item)


def _is_allowed(name: str) -> bool:
    try:
        import_class_by_name(name)
    except (ImportError, DeserializationError):
        return False
    return True
