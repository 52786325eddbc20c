"""Haystack 2's path of `AsyncPipeline`, whose methods `Pipeline` has."""

from spaniel.pipeline import Pipeline as AsyncPipeline

__all__ = ["AsyncPipeline"]
