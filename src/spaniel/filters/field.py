"""Field names of filters, and the values of the fields in a document."""

from spaniel.dataclasses import ByteStream, Document
from spaniel.json_types import Json, Meta

FieldPath = tuple[str, ...]

_META = "meta"
_MISSING = object()


def field_path(field: str) -> FieldPath:
    """Return the path of a field: a single name, or ``meta`` (which is optional) and keys.

    >>> field_path("meta.author.name")
    ('meta', 'author', 'name')
    >>> field_path("author.name")
    ('meta', 'author', 'name')
    >>> field_path("id")
    ('id',)
    """
    path = tuple(field.split("."))
    return path if len(path) == 1 or path[0] == _META else (_META, *path)


def field_value(document: Document | ByteStream, path: FieldPath) -> Json:
    """Return the value of a field; None if the document lacks it.

    A single name is a field of the document of that name, else a metadata key. A longer path
    walks nested dicts; a key that contains dots is the fallback.

    >>> field_value(Document(meta={"author": {"name": "Ada"}}), ("meta", "author", "name"))
    'Ada'
    >>> field_value(Document(meta={"author.name": "Ada"}), ("meta", "author", "name"))
    'Ada'
    """
    if len(path) == 1:
        name = path[0]
        return getattr(document, name) if name in document.__dataclass_fields__ else document.meta.get(name)
    if len(path) == 2:
        return document.meta.get(path[1])
    return meta_value(document.meta, path[1:])


def meta_value(meta: Meta, keys: FieldPath) -> Json:
    """Return the value of a path of keys in metadata; None if they lack it.

    >>> meta_value({"author": {"name": "Ada"}}, ("author", "name"))
    'Ada'
    """
    found = _find(meta, keys)
    return None if found is _MISSING else found


def _find(mapping: Meta, keys: FieldPath) -> Json:
    # Shortest keys first: {"a": {"b": 1}} is found before {"a.b": 2}.
    for end in range(1, len(keys) + 1):
        value = mapping.get(".".join(keys[:end]), _MISSING)
        if value is _MISSING:
            continue
        if end == len(keys):
            return value
        if isinstance(value, dict) and (found := _find(value, keys[end:])) is not _MISSING:
            return found
    return _MISSING
