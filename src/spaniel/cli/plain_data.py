"""What pipelines give, as data that JSON can hold."""

from collections.abc import Mapping
from typing import Any

from spaniel.dataclasses import Document


def plain_data(value: Any) -> Any:
    """Return a value with its documents as dictionaries.

    >>> plain_data({"texts": ("a",), "document": Document(id="1", content="Dogs")})["document"]["content"]
    'Dogs'
    """
    if isinstance(value, Document):
        return value.to_dict(flatten=False)
    if isinstance(value, Mapping):
        return {str(key): plain_data(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain_data(inner) for inner in value]
    return value
