"""Haystack's warning of experimental components, for warning filters: no component of Spaniel raises it."""

__all__ = ["ExperimentalWarning"]


class ExperimentalWarning(UserWarning):
    """An experimental component was created."""
