"""Columns: the documents by value of a field, so that a filter looks at values, not at documents.

`field_index` answers a filter from the columns of its fields. A `column` has its distinct `values`, which are sorted in
`orders`; its answers are `bounds` of the matching documents.
"""

from spaniel.document_stores.embedded.columns.bounds import Bounds
from spaniel.document_stores.embedded.columns.column import Column

__all__ = ["Bounds", "Column"]
