"""Haystack's warning of components that may change: no component here warns, so a filter for it has nothing to do."""

__all__ = ["ExperimentalWarning"]


class ExperimentalWarning(UserWarning):
    """An experimental component was built."""
