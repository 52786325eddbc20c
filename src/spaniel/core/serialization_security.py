"""Which modules serialised pipelines may name, under Haystack's module path."""

from spaniel.core.known_types import allow_deserialization_module

__all__ = ["allow_deserialization_module"]
