"""Haystack's path of `PipelineBase` (see `spaniel.core.haystack_names`)."""

from spaniel.core.serialization import component_from_dict, component_to_dict
from spaniel.pipeline import Pipeline as PipelineBase

__all__ = ["PipelineBase", "component_from_dict", "component_to_dict"]
