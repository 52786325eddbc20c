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


@_outward.register
def _(value: Document) -> theirs.Document:
    return theirs.Document(
        id=value.id,
        content=value.content,
        blob=_outward(value.blob),
        meta=copy_value(value.meta),
        score=value.score,
        embedding=copy_value(value.embedding),
        sparse_embedding=_outward(value.sparse_embedding),
    )


@_inward.register
def _(value: theirs.Document) -> Document:
    return Document(
        id=value.id,
        content=value.content,
        blob=_inward(value.blob),
        meta=copy_value(value.meta),
        score=value.score,
        embedding=copy_value(value.embedding),
        sparse_embedding=_inward(value.sparse_embedding),
    )


@_outward.register
def _(value: ByteStream) -> theirs.ByteStream:
    return theirs.ByteStream(value.data, meta=copy_value(value.meta), mime_type=value.mime_type)


@_inward.register
def _(value: theirs.ByteStream) -> ByteStream:
    return ByteStream(value.data, meta=copy_value(value.meta), mime_type=value.mime_type)


@_outward.register
def _(value: SparseEmbedding) -> theirs.SparseEmbedding:
    return theirs.SparseEmbedding(indices=copy_value(value.indices), values=copy_value(value.values))


@_inward.register
def _(value: theirs.SparseEmbedding) -> SparseEmbedding:
    return SparseEmbedding(indices=copy_value(value.indices), values=copy_value(value.values))


@_outward.register(DuplicatePolicy)
@_outward.register(FilterPolicy)
def _(value: DuplicatePolicy | FilterPolicy) -> Any:
    return CLASSES[type(value)](value.value)


@_inward.register
def _(value: TheirDuplicatePolicy) -> DuplicatePolicy:
    return DuplicatePolicy(value.value)


@_inward.register
def _(value: TheirFilterPolicy) -> FilterPolicy:
    return FilterPolicy(value.value)


def _containers(convert: Any) -> None:
    """Let a conversion recurse into containers; subclasses such as named tuples are left unchanged."""
    for kind in (list, tuple, set):
        convert.register(kind, lambda value: type(value)(map(convert, value)) if type(value) in _PLAIN else value)
    convert.register(
        dict, lambda value: {key: convert(item) for key, item in value.items()} if type(value) is dict else value
    )


_PLAIN = (list, tuple, set)
for _convert in (_outward, _inward):
    _containers(_convert)
