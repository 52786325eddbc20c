"""Pipelines as components, under the module path that saved pipelines name.

They stand above this package, so they are looked up when they are asked for.
"""

from importlib import import_module
from typing import Any

from spaniel.errors import InvalidMappingTypeError, InvalidMappingValueError

__all__ = ["InvalidMappingTypeError", "InvalidMappingValueError"]


def __getattr__(name: str) -> Any:
    if name not in ("SuperComponent", "super_component"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module("spaniel.pipeline"), name)
