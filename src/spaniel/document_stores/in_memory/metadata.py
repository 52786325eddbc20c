"""What the metadata of documents holds."""

from collections.abc import Iterable
from typing import Any

from spaniel.dataclasses import Document

_TYPES: tuple[tuple[type, str], ...] = ((bool, "boolean"), (int, "int"), (float, "float"))  # a bool is an int too


def metadata_types(documents: Iterable[Document]) -> dict[str, dict[str, str]]:
    """Return the type of each metadata key: that of the last value seen under it.

    >>> metadata_types([Document(meta={"year": 2020, "tags": ["a"]})])
    {'year': {'type': 'int'}, 'tags': {'type': 'keyword'}}
    """
    types: dict[str, dict[str, str]] = {}
    for document in documents:
        for key, value in document.meta.items():
            if value is not None:
                types[key] = {"type": _type_of(value)}
    return types


def _type_of(value: Any) -> str:
    return next((name for kind, name in _TYPES if isinstance(value, kind)), "keyword")
