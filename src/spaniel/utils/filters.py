"""Haystack's path of `document_matches_filter` (see `spaniel.core.haystack_names`)."""

from spaniel.filters.evaluate import document_matches_filter

__all__ = ["document_matches_filter"]
