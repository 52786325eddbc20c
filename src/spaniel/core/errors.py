"""The errors of components and pipelines, under Haystack's module path."""

from spaniel.errors import (
    ComponentError,
    DeserializationError,
    PipelineComponentsBlockedError,
    PipelineConnectError,
    PipelineDrawingError,
    PipelineError,
    PipelineMaxComponentRuns,
    PipelineRuntimeError,
    PipelineValidationError,
    SerializationError,
)

__all__ = [
    "ComponentError",
    "DeserializationError",
    "PipelineComponentsBlockedError",
    "PipelineConnectError",
    "PipelineDrawingError",
    "PipelineError",
    "PipelineMaxComponentRuns",
    "PipelineRuntimeError",
    "PipelineValidationError",
    "SerializationError",
]
