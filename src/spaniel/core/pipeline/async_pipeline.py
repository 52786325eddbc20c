"""Haystack 2's path of `AsyncPipeline` (see `spaniel.core.haystack_names`); `Pipeline` has its methods."""

from spaniel.pipeline import Pipeline as AsyncPipeline

__all__ = ["AsyncPipeline"]
