"""The mapping of an index that Spaniel creates, and what a document says of its own values beside it.

Documents lie as ``Document.to_dict()`` gives them: metadata beside ``id`` and ``content``. Three decisions of a server would
make filters answer wrongly, so they are taken here:

- A field that first holds a date is a keyword with a date beside it. As a plain date (the server's own choice) it would
  refuse every later value that is none.
- A field of numbers is a ``double``, as a ``long`` cuts 1.5 to 1; with a ``long`` beside it, which keeps integers beyond 2
  to the 53rd. All numbers are mapped alike, as a server refuses ``[1, 1.5]`` where it would map the two differently.
- A string that is too long to be a term is left out of its field. `marks` says so, and which values are lists: a server
  can't tell ``["a"]`` from ``"a"``.
"""

from collections.abc import Iterator
from typing import Any

LAYOUT = 1
"""The version of what this module decides."""

MARKS = "__marks"
"""The field that holds the `marks` of a document."""

KEPT = "__kept"
"""The field for texts and vectors that are only kept: in no index."""

FOR_SPLITTERS = ("headings", "references")
"""Fields that converters write for splitters: lists of numbers and strings mixed, which no field of an index can be. They
are stored, and can't be filtered."""

LONGEST_TERM = 10_922
"""UTF-16 units of which a term certainly fits: 3 bytes each, and 32,766 bytes are Lucene's limit."""

_LIST = "list "
_LONG = "long "
_ONLY_KEPT = "kept "

# The first format is the one in which a server prints. The second reads what Python reads as ISO 8601, but for rare forms.
_FRACTION = "".join(f"[.{'S' * digits}]" for digits in range(9, 0, -1))
_DATES = f"uuuu-MM-dd[['T'][' ']HH[:mm[:ss{_FRACTION}]][XXXXX][X]]"
DATE_FORMAT = f"uuuu-MM-dd'T'HH:mm:ss.SSSXXX||{_DATES}"

_STORED = {"type": "object", "enabled": False}
_KEYWORD = {"type": "keyword", "ignore_above": LONGEST_TERM}
_AS_GIVEN = {"coerce": False, "ignore_malformed": True}
_DATE = {"type": "date", "format": DATE_FORMAT, "ignore_malformed": True}
_NUMBER = {"type": "double", **_AS_GIVEN, "fields": {"long": {"type": "long", **_AS_GIVEN}}}

_TEMPLATES = [
    {"dates": {"match_mapping_type": "date", "mapping": {**_KEYWORD, "fields": {"date": _DATE}}}},
    {"strings": {"match_mapping_type": "string", "mapping": _KEYWORD}},
    {"integers": {"match_mapping_type": "long", "mapping": _NUMBER}},
    {"fractions": {"match_mapping_type": "double", "mapping": _NUMBER}},
]


def default_mapping(
    embedding_dim: int | None,
    method: dict[str, Any] | None = None,
    nested_fields: list[str] | None = None,
    content_field: str = "content",
) -> dict[str, Any]:
    """Return the ``mappings`` of a new index.

    :param embedding_dim: how many numbers an embedding has; None: embeddings are stored, and not searched.
    :param method: how vectors are indexed, as the k-NN plugin takes it.
    :param nested_fields: metadata fields, without ``meta.``, that hold lists of objects: a filter's conditions on one of
        them must then hold for one and the same object.
    :param content_field: the field for the text.

    >>> default_mapping(3)["properties"]["embedding"]
    {'type': 'knn_vector', 'index': True, 'dimension': 3}
    """
    embedding: dict[str, Any] = {"type": "knn_vector", "index": True, "dimension": embedding_dim}
    if embedding_dim is None:
        embedding = dict(_STORED)
    elif method:
        embedding["method"] = method
    return {
        "_meta": {"spaniel": {"layout": LAYOUT}},
        "date_detection": True,
        "dynamic_date_formats": [_DATES],
        "numeric_detection": False,
        "dynamic_templates": [{name: dict(rule)} for each in _TEMPLATES for name, rule in each.items()],
        "properties": {
            "id": {"type": "keyword"},
            content_field: {"type": "text"},
            "embedding": embedding,
            MARKS: {"type": "keyword"},
            KEPT: dict(_STORED),
            **{field: dict(_STORED) for field in FOR_SPLITTERS},
            **{field: {"type": "nested"} for field in nested_fields or ()},
        },
    }


def marks(source: dict[str, Any]) -> list[str]:
    """Return what a document has to say of its values, for the field `MARKS`: which are lists, too long, or only kept.

    :param source: the document as it is written: with `KEPT`, without `MARKS`.

    >>> marks({"tags": ["a"], "author": {"names": []}, "note": "x" * 20_000, "year": 2024})
    ['list author.names', 'list tags', 'long note']
    """
    return sorted({*_marks(source, ""), *(kept_mark(key) for key in source.get(KEPT) or ())})


def list_mark(path: str) -> str:
    """Return the mark of a document whose field is a list."""
    return _LIST + path


def long_mark(path: str) -> str:
    """Return the mark of a document whose field holds a string too long for a term."""
    return _LONG + path


def kept_mark(path: str) -> str:
    """Return the mark of a document whose field is only kept."""
    return _ONLY_KEPT + path


def units(text: str) -> int:
    """Return the length of a text as a server counts it: in UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _marks(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            if path or key not in _UNMARKED:
                yield from _marks(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list | tuple):
        yield list_mark(path)
        for item in value:
            yield from (mark for mark in _marks(item, path) if mark != list_mark(path))
    elif isinstance(value, str) and units(value) > LONGEST_TERM:
        yield long_mark(path)


_UNMARKED = frozenset({"id", "content", "embedding", "blob", "score", "sparse_embedding", MARKS, KEPT})
