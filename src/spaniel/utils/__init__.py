"""Names that Haystack has in its ``utils``."""

from spaniel.core.callables import deserialize_callable, serialize_callable
from spaniel.core.secret import Secret
from spaniel.core.type_names import deserialize_type, serialize_type
from spaniel.utils.filters import document_matches_filter

__all__ = [
    "Secret",
    "deserialize_callable",
    "deserialize_type",
    "document_matches_filter",
    "serialize_callable",
    "serialize_type",
]
