"""Haystack's warning of experimental components, for warning filters: no component of Spaniel raises it."""


class ExperimentalWarning(UserWarning):
    """An experimental component was created."""
