"""Haystack's path of `Pipeline` (see `spaniel.core.haystack_names`)."""

from spaniel.pipeline import Pipeline

__all__ = ["Pipeline"]
