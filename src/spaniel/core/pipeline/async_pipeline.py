"""The name that Haystack 2.x has for a pipeline whose components run at the same time: every pipeline can, here."""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    if name != "AsyncPipeline":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return import_module("spaniel.pipeline").Pipeline
