"""Haystack's path of `SuperComponent` (see `spaniel.core.haystack_names`)."""

from spaniel.errors import InvalidMappingTypeError, InvalidMappingValueError
from spaniel.pipeline import SuperComponent, super_component

__all__ = ["InvalidMappingTypeError", "InvalidMappingValueError", "SuperComponent", "super_component"]
