"""Columns: the slots by value of a field, so that a filter compares values, not documents.

`field_index` answers filters from columns; a `column` has the distinct `values` of its field, which
are sorted in `orders`.
"""

from spaniel.document_stores.embedded.columns.column import Bounds, Column

__all__ = ["Bounds", "Column"]
