"""The pipeline, under Haystack's module path."""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    if name != "Pipeline":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return import_module("spaniel.pipeline").Pipeline
