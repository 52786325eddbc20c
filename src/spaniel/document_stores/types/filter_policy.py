"""Haystack's path to the filter policies."""

from spaniel.filters.policy import FilterPolicy, apply_filter_policy

__all__ = ["FilterPolicy", "apply_filter_policy"]
