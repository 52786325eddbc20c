"""Metadata filters: parsing, evaluation on documents, and policies to combine them."""

from spaniel.filters.evaluate import document_matches_filter, matches
from spaniel.filters.parse import Comparison, Filter, Logic, parse_filter
from spaniel.filters.policy import FilterPolicy, apply_filter_policy

__all__ = [
    "Comparison",
    "Filter",
    "FilterPolicy",
    "Logic",
    "apply_filter_policy",
    "document_matches_filter",
    "matches",
    "parse_filter",
]
