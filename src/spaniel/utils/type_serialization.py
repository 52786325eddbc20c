"""Types as text, under Haystack's module path."""

from spaniel.core.type_names import deserialize_type, serialize_type

__all__ = ["deserialize_type", "serialize_type"]
