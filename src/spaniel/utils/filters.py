"""Haystack's path to the evaluation of a filter."""

from spaniel.filters.evaluate import document_matches_filter

__all__ = ["document_matches_filter"]
