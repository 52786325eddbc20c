"""The stored form of documents, with metadata beside the document's own fields.

The layout is that of opensearch-haystack: either library reads the documents of the other.
"""

from collections.abc import Callable

from spaniel.dataclasses import ByteStream, Document, SparseEmbedding
from spaniel.dataclasses.document import RESERVED
from spaniel.dataclasses.hierarchy import CHILDREN
from spaniel.document_stores.opensearch.schema.mapping import KEPT, MARKS, build_marks
from spaniel.json_types import JsonObject

ROUTING = "_routing"
"""The metadata key of a document's routing, as in opensearch-haystack; not stored."""
CONTENT = "content"
"""The usual field for the text."""
_OWN = frozenset({KEPT, MARKS})


def to_source(
    document: Document, *, search_leaves: bool = False, marked: bool = False, content: str = CONTENT
) -> JsonObject:
    """Return the ``_source`` of a document, without fields that are None.

    >>> to_source(Document(id="1", content="a", meta={"year": 2020}))
    {'year': 2020, 'id': '1', 'content': 'a'}
    """
    source = _metadata(document, content)
    source["id"] = document.id
    fields = {content: document.content, "embedding": document.embedding}
    searched = {name: value for name, value in fields.items() if value is not None}
    if search_leaves and document.meta.get(CHILDREN):
        if searched:
            source[KEPT] = searched
    else:
        source.update(searched)
    if document.score is not None:
        source["score"] = document.score
    for name in ("blob", "sparse_embedding"):
        if (value := getattr(document, name)) is not None:
            source[name] = value.to_dict()
    if marked and (marks := build_marks(source)):
        source[MARKS] = marks
    return source


def _metadata(document: Document, content: str) -> JsonObject:
    beside: JsonObject = {}
    nested: JsonObject = {}
    for key, value in document.meta.items():
        if key in RESERVED or key in _OWN or key == content:
            nested[key] = value
        elif key != ROUTING:
            beside[key] = value
    return {**beside, "meta": nested} if nested else beside


def to_document(
    hit: JsonObject, score: float | None = None, *, embedding: bool = True, content: str = CONTENT
) -> Document:
    """Return the document of a hit, written by any software; `hit` is modified.

    >>> to_document({"_id": "1", "_source": {"content": "a", "year": 2020}})
    Document(id=1, content: 'a', meta: {'year': 2020})
    """
    meta: JsonObject = hit.get("_source") or {}
    fields = {name: meta.pop(name) for name in meta.keys() & (_NOT_BESIDE | {content})}
    fields.pop(MARKS, None)
    if kept := fields.pop(KEPT, None):
        fields.update(kept)
    if isinstance(nested := fields.pop("meta", None), dict):
        meta = {**nested, **meta}
    text = fields.pop(content, None)
    if text is not None and not isinstance(text, str):  # written by other software
        text = " ".join(map(str, text)) if isinstance(text, list) else str(text)
    if CONTENT in fields:  # metadata, as the text is in another field
        meta[CONTENT] = fields.pop(CONTENT)
    fields[CONTENT] = text
    for name, read in _READ.items():
        if isinstance(value := fields.get(name), dict):
            fields[name] = read(value)
    fields["id"] = str(fields.get("id") or hit["_id"])
    if not embedding:
        fields.pop("embedding", None)
    if score is not None:
        fields["score"] = score
    return Document(**fields, meta=meta)


_NOT_BESIDE = RESERVED | _OWN
_READ: dict[str, Callable[[JsonObject], ByteStream | SparseEmbedding]] = {
    "blob": ByteStream.from_dict,
    "sparse_embedding": SparseEmbedding.from_dict,
}
