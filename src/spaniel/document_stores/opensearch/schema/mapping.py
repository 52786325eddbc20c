"""The mapping of an index that Spaniel creates, and the marks of a document about its values.

Documents are stored in the form of ``Document.to_dict()``: metadata beside ``id`` and ``content``.
A server's own choices would make filters wrong in three cases, so the mapping decides them:

- A field whose first value is a date is a keyword with a sub-field of dates. As a plain date, the
  server's choice, it would reject every later value of another form.
- A number is a ``double``, as a ``long`` truncates 1.5 to 1, with a sub-field ``long`` for integers
  beyond 2 to the 53rd. All numbers share a mapping, since a server rejects ``[1, 1.5]`` where the
  two would differ.
- A string too long for a term is not indexed. A mark says so; marks also name the fields that hold
  lists, since a server can't distinguish ``["a"]`` from ``"a"``.
"""

from collections.abc import Iterator

from spaniel.json_types import Json, JsonObject

LAYOUT = 1
"""The version of the decisions in this module."""

MARKS = "__marks"
"""The field with the marks of a document: see `build_marks`."""

KEPT = "__kept"
"""The field for texts and vectors that are stored without being indexed."""

FOR_SPLITTERS = ("headings", "references")
"""Fields that converters write for splitters: lists that mix numbers and strings, which no field
can index. They are stored, and can't be filtered."""

MAX_TERM_UNITS = 10_922
"""UTF-16 units of the longest term: 3 bytes per unit, and Lucene's limit is 32,766 bytes."""

_LIST = "list "
_LONG = "long "
_UNSEARCHABLE = "kept "

# A server prints dates in the first format. The second parses nearly all dates that
# Python reads as ISO 8601.
_FRACTION = "".join(f"[.{'S' * digits}]" for digits in range(9, 0, -1))
_DATES = f"uuuu-MM-dd[['T'][' ']HH[:mm[:ss{_FRACTION}]][XXXXX][X]]"
DATE_FORMAT = f"uuuu-MM-dd'T'HH:mm:ss.SSSXXX||{_DATES}"

_STORED = {"type": "object", "enabled": False}
KEYWORD = {"type": "keyword", "ignore_above": MAX_TERM_UNITS}
_AS_GIVEN = {"coerce": False, "ignore_malformed": True}
DATE = {"type": "date", "format": DATE_FORMAT, "ignore_malformed": True}
_NUMBER = {"type": "double", **_AS_GIVEN, "fields": {"long": {"type": "long", **_AS_GIVEN}}}

_TEMPLATES = [
    {"dates": {"match_mapping_type": "date", "mapping": {**KEYWORD, "fields": {"date": DATE}}}},
    {"strings": {"match_mapping_type": "string", "mapping": KEYWORD}},
    {"integers": {"match_mapping_type": "long", "mapping": _NUMBER}},
    {"fractions": {"match_mapping_type": "double", "mapping": _NUMBER}},
]


def default_mapping(
    embedding_dim: int | None,
    method: JsonObject | None = None,
    nested_fields: list[str] | None = None,
    content_field: str = "content",
) -> JsonObject:
    """Return the ``mappings`` of a new index.

    >>> default_mapping(3)["properties"]["embedding"]
    {'type': 'knn_vector', 'index': True, 'dimension': 3}
    """
    embedding: JsonObject = {"type": "knn_vector", "index": True, "dimension": embedding_dim}
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


def build_marks(source: JsonObject) -> list[str]:
    """Return the marks of a document: its fields with lists, with overlong strings, and not
    indexed.

    >>> build_marks({"tags": ["a"], "author": {"names": []}, "note": "x" * 20_000, "year": 2024})
    ['list author.names', 'list tags', 'long note']
    """
    return sorted({*_marks(source, ""), *(unsearchable_mark(key) for key in source.get(KEPT) or ())})


def list_mark(path: str) -> str:
    """Return the mark of a field that holds a list."""
    return _LIST + path


def long_mark(path: str) -> str:
    """Return the mark of a field with a string too long for a term."""
    return _LONG + path


def unsearchable_mark(path: str) -> str:
    """Return the mark of a field that is stored without being indexed."""
    return _UNSEARCHABLE + path


def utf16_length(text: str) -> int:
    """Return the length of a text in UTF-16 units, as a server counts it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _marks(value: Json, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            if path or key not in _UNMARKED:
                yield from _marks(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list | tuple):
        yield list_mark(path)
        for item in value:
            yield from (mark for mark in _marks(item, path) if mark != list_mark(path))
    elif isinstance(value, str) and utf16_length(value) > MAX_TERM_UNITS:
        yield long_mark(path)


_UNMARKED = frozenset({"id", "content", "embedding", "blob", "score", "sparse_embedding", MARKS, KEPT})
