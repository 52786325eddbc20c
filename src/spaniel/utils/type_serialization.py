"""Haystack's path of the serialisation of types (see `spaniel.core.haystack_names`)."""

from spaniel.core.type_names import deserialize_type, serialize_type

__all__ = ["deserialize_type", "serialize_type"]
