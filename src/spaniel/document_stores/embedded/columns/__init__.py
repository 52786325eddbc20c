"""Columns: which documents hold which values under a field, so that a filter looks at values, not at documents."""

from spaniel.document_stores.embedded.columns.bounds import Bounds, joined
from spaniel.document_stores.embedded.columns.column import Column, limit_of

__all__ = ["Bounds", "Column", "joined", "limit_of"]
