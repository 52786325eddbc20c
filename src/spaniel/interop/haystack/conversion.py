"""Conversion of documents and other plain data to Haystack's classes, and back."""

from functools import singledispatch
from typing import Any, TypeVar, overload

from haystack import dataclasses as theirs
from haystack.document_stores.types import DuplicatePolicy as TheirDuplicatePolicy
from haystack.document_stores.types import FilterPolicy as TheirFilterPolicy

from spaniel.dataclasses import ByteStream, Document, SparseEmbedding
from spaniel.dataclasses.copying import copy_value
from spaniel.document_stores.types import DuplicatePolicy, FilterPolicy

T = TypeVar("T")

CLASSES: dict[type, type] = {
    Document: theirs.Document,
    ByteStream: theirs.ByteStream,
    SparseEmbedding: theirs.SparseEmbedding,
    DuplicatePolicy: TheirDuplicatePolicy,
    FilterPolicy: TheirFilterPolicy,
}
"""Our classes of plain data, and their counterparts."""


@overload
def to_haystack(value: Document) -> theirs.Document: ...
@overload
def to_haystack(value: list[Document]) -> list[theirs.Document]: ...
@overload
def to_haystack(value: ByteStream) -> theirs.ByteStream: ...
@overload
def to_haystack(value: SparseEmbedding) -> theirs.SparseEmbedding: ...
@overload
def to_haystack(value: DuplicatePolicy) -> TheirDuplicatePolicy: ...
@overload
def to_haystack(value: T) -> T: ...
def to_haystack(value: Any) -> Any:
    """Convert a value to Haystack's classes, recursively in lists, tuples, sets and dictionaries.

    Documents keep their id, score, embeddings, blob and metadata, and share none of it with the
    original. Values of neither package are returned unchanged.

    :raises ValueError: it is `FilterPolicy.RESTRICT`, which Haystack does not have.

    >>> to_haystack([Document(id="1", content="a", meta={"page": 3})])
    [Document(id=1, content: 'a', meta: {'page': 3})]
    """
    return _outward(value)


@overload
def from_haystack(value: theirs.Document) -> Document: ...
@overload
def from_haystack(value: list[theirs.Document]) -> list[Document]: ...
@overload
def from_haystack(value: theirs.ByteStream) -> ByteStream: ...
@overload
def from_haystack(value: theirs.SparseEmbedding) -> SparseEmbedding: ...
@overload
def from_haystack(value: TheirDuplicatePolicy) -> DuplicatePolicy: ...
@overload
def from_haystack(value: T) -> T: ...
def from_haystack(value: Any) -> Any:
    """Convert a value to our classes: the inverse of `to_haystack`.

    >>> from haystack import Document as TheirDocument
    >>> from_haystack({"documents": [TheirDocument(content="a")]})["documents"] == [Document(content="a")]
    True
    """
    return _inward(value)


@singledispatch
def _outward(value: Any) -> Any:
    return value


@singledispatch
def _inward(value: Any) -> Any:
    return value


_FIELDS: dict[type, tuple[str, ...]] = {
    Document: ("id", "content", "blob", "meta", "score", "embedding", "sparse_embedding"),
    ByteStream: ("data", "meta", "mime_type"),
    SparseEmbedding: ("indices", "values"),
}
_CONVERTED_FIELDS = ("blob", "sparse_embedding")  # the others are copied


def _register_class(convert: Any, source: type, target: type, fields: tuple[str, ...] | None) -> None:
    def rebuild(value: Any) -> Any:
        if fields is None:  # an enumeration
            return target(value.value)
        given = {name: getattr(value, name) for name in fields}
        return target(
            **{name: convert(item) if name in _CONVERTED_FIELDS else copy_value(item) for name, item in given.items()}
        )

    convert.register(source, rebuild)


def _register_containers(convert: Any) -> None:
    """Let a conversion recurse into containers, but not into subclasses such as named tuples."""
    for kind in (list, tuple, set):
        convert.register(kind, lambda value: type(value)(map(convert, value)) if type(value) in _PLAIN else value)
    convert.register(
        dict, lambda value: {key: convert(item) for key, item in value.items()} if type(value) is dict else value
    )


_PLAIN = (list, tuple, set)
for _ours, _theirs in CLASSES.items():
    _register_class(_outward, _ours, _theirs, _FIELDS.get(_ours))
    _register_class(_inward, _theirs, _ours, _FIELDS.get(_ours))
for _convert in (_outward, _inward):
    _register_containers(_convert)
