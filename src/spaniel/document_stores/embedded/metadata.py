"""Types, ranges and distinct values of metadata fields, nested ones (``author.name``) too."""

from collections.abc import Hashable, Iterable, Iterator, Sequence

from spaniel.dataclasses import Document
from spaniel.filters.equality import plain
from spaniel.filters.field import field_value
from spaniel.json_types import Json

_TYPES: tuple[tuple[type, str], ...] = ((bool, "boolean"), (int, "int"), (float, "float"))  # a bool is an int too


def metadata_types(documents: Iterable[Document]) -> dict[str, dict[str, str]]:
    """Return the type of each metadata key, taken from its last value.

    >>> metadata_types([Document(meta={"year": 2020, "tags": ["a"]})])
    {'year': {'type': 'int'}, 'tags': {'type': 'keyword'}}
    """
    types: dict[str, dict[str, str]] = {}
    for document in documents:
        for key, value in document.meta.items():
            if value is not None:
                types[key] = {"type": _type_of(plain(value))}
    return types


def _type_of(value: Json) -> str:
    return next((name for kind, name in _TYPES if isinstance(value, kind)), "keyword")


def count_unique(documents: Sequence[Document], fields: Iterable[str]) -> dict[str, int]:
    """Return the number of distinct values per field; names are without ``meta.``.

    >>> documents = [Document(meta={"year": 2020}), Document(meta={"year": 2021, "tags": []})]
    >>> count_unique(documents, ["meta.year", "tags"])
    {'year': 2, 'tags': 1}
    """
    return {
        field.removeprefix("meta."): len({_identity(value) for value in _values(documents, field)}) for field in fields
    }


def min_max(documents: Iterable[Document], field: str) -> dict[str, Json]:
    """Return the ``min`` and ``max`` under a field; None unless all are numbers or all strings.

    >>> min_max([Document(meta={"year": 2020}), Document(meta={"year": 1999})], "year")
    {'min': 1999, 'max': 2020}
    """
    values = [value for value in _values(documents, field) if isinstance(value, (int, float, str)) and value == value]  # noqa: PLR0124 (NaN has no order)
    try:
        return {"min": min(values, default=None), "max": max(values, default=None)}
    except TypeError:  # numbers and strings
        return {"min": None, "max": None}


def unique_values(documents: Iterable[Document], field: str, search_term: str | None) -> list[Json]:
    """Return the distinct values under a field, in the order of their text.

    >>> documents = [Document(meta={"lang": lang}) for lang in ("en", "de", "en")]
    >>> unique_values(documents, "meta.lang", None)
    ['de', 'en']
    """
    distinct: dict[Hashable, Json] = {}
    for value in _values(documents, field):
        distinct.setdefault((type(value).__name__, _identity(value)), value)
    found = sorted(distinct.values(), key=lambda value: (str(value), type(value).__name__))
    return [value for value in found if not search_term or search_term.lower() in str(value).lower()]


def _values(documents: Iterable[Document], field: str) -> Iterator[Json]:
    path = ("meta", *field.removeprefix("meta.").split("."))
    for document in documents:
        value = plain(field_value(document, path))
        if value is not None:
            yield value


def _identity(value: Json) -> Hashable:
    """Return a hashable that is equal for equal values, and differs between lists and tuples."""
    if isinstance(value, dict):
        return ("dict", frozenset((_identity(key), _identity(item)) for key, item in value.items()))
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, tuple(_identity(item) for item in value))
    return value if isinstance(value, Hashable) else repr(value)
