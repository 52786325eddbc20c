"""Pipelines as components, under Haystack's module path.

They stand above this package, so they are looked up when they are asked for.
"""

from importlib import import_module
from typing import Any

__all__ = ["SuperComponent", "super_component"]

# The module of this name is imported now and its name taken off: importing it later would put it in the decorator's place.
import_module(f"{__name__}.super_component")
del globals()["super_component"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module("spaniel.pipeline"), name)
