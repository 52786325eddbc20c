"""Components wired together and run: `Pipeline`; a pipeline as one component: `SuperComponent`."""

from spaniel.pipeline.pipeline import Pipeline
from spaniel.pipeline.super_component import SuperComponent, super_component

__all__ = ["Pipeline", "SuperComponent", "super_component"]
