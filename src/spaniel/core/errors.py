"""Haystack's path of the errors (see `spaniel.core.haystack_names`)."""

from spaniel.errors import *  # noqa: F403 (every error)
from spaniel.errors import DeserializationError

ComponentDeserializationError = DeserializationError
PipelineUnmarshalError = DeserializationError
