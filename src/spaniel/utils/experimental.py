"""Haystack's warning of experimental components, for warning filters; never raised here."""


class ExperimentalWarning(UserWarning):
    """An experimental component was created."""
