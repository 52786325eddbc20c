"""The pipeline and the forms of its components, under Haystack's module path."""

from importlib import import_module
from typing import Any

from spaniel.core.serialization import component_from_dict, component_to_dict

__all__ = ["component_from_dict", "component_to_dict"]


def __getattr__(name: str) -> Any:
    if name != "PipelineBase":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return import_module("spaniel.pipeline").Pipeline
