"""Haystack's path of `SuperComponent` (see `spaniel.core.haystack_names`)."""

from spaniel.core.super_component.super_component import SuperComponent, super_component

__all__ = ["SuperComponent", "super_component"]
