"""Names that Haystack has in its ``utils``."""

from spaniel.utils.filters import document_matches_filter

__all__ = ["document_matches_filter"]
