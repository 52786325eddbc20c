"""Haystack's path of the filter policies (see `spaniel.core.haystack_names`)."""

from spaniel.filters.policy import FilterPolicy, apply_filter_policy

__all__ = ["FilterPolicy", "apply_filter_policy"]
