"""`SuperComponent`, under the module path that serialised pipelines name.

It stands above this package, so it is looked up when it is asked for.
"""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    if name not in ("SuperComponent", "super_component"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module("spaniel.pipeline"), name)
