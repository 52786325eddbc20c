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

ComponentDeserializationError = DeserializationError
PipelineUnmarshalError = DeserializationError

__all__ = [
    "ComponentDeserializationError",
    "ComponentError",
    "DeserializationError",
    "PipelineComponentsBlockedError",
    "PipelineConnectError",
    "PipelineDrawingError",
    "PipelineError",
    "PipelineMaxComponentRuns",
    "PipelineRuntimeError",
    "PipelineUnmarshalError",
    "PipelineValidationError",
    "SerializationError",
]
