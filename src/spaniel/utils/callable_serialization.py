"""Functions as text, under Haystack's module path."""

from spaniel.core.callables import deserialize_callable, serialize_callable

__all__ = ["deserialize_callable", "serialize_callable"]
