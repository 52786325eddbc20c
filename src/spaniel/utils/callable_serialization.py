"""Haystack's path of the serialisation of functions (see `spaniel.core.haystack_names`)."""

from spaniel.core.callables import deserialize_callable, serialize_callable

__all__ = ["deserialize_callable", "serialize_callable"]
