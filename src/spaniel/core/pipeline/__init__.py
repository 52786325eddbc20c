"""The pipeline, under Haystack's module path.

It stands above this package, so it is looked up when it is asked for.
"""

from importlib import import_module
from typing import Any

__all__ = ["Pipeline"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module("spaniel.pipeline"), name)
