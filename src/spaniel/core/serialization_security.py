"""Haystack's path of `allow_deserialization_module` (see `spaniel.core.haystack_names`)."""

from spaniel.core.known_types import allow_deserialization_module

__all__ = ["allow_deserialization_module"]
