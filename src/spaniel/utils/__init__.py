"""The functions of Haystack's ``utils``."""

from spaniel.core.callables import deserialize_callable, serialize_callable
from spaniel.core.secret import Secret
from spaniel.core.type_names import deserialize_type, serialize_type
from spaniel.utils.auth import deserialize_secrets_inplace
from spaniel.utils.deserialization import deserialize_component_inplace
from spaniel.utils.filters import document_matches_filter
from spaniel.utils.misc import expand_page_range, expit

__all__ = [
    "Secret",
    "deserialize_callable",
    "deserialize_component_inplace",
    "deserialize_secrets_inplace",
    "deserialize_type",
    "document_matches_filter",
    "expand_page_range",
    "expit",
    "serialize_callable",
    "serialize_type",
]
