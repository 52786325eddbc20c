"""Documents as the server keeps them: metadata beside the fields of the document, and back again.

The layout is that of opensearch-haystack: what one wrote, the other reads.
"""

from collections.abc import Callable
from typing import Any

from spaniel.dataclasses import ByteStream, Document, SparseEmbedding
from spaniel.dataclasses.document import RESERVED
from spaniel.dataclasses.hierarchy import CHILDREN
from spaniel.document_stores.opensearch.schema.mapping import KEPT, MARKS, marks

ROUTING = "_routing"
"""The metadata key that says which shard a document goes to, as in opensearch-haystack; it is not stored."""
_OWN = frozenset({KEPT, MARKS})
CONTENT = "content"
"""The field for the text, unless an index has it under another name."""


def source_of(
    document: Document, *, search_leaves: bool = False, marked: bool = False, content: str = CONTENT
) -> dict[str, Any]:
    """Return a document as the ``_source`` that is stored; fields that are None are left out.

    :param search_leaves: whether a document with children is only kept.
    :param marked: whether it is for an index whose documents say which of their values are lists.
    :param content: the field for the text.

    >>> source_of(Document(id="1", content="a", meta={"year": 2020}))
    {'year': 2020, 'id': '1', 'content': 'a'}
    """
    source = _metadata(document, content)
    source["id"] = document.id
    fields = {content: document.content, "embedding": document.embedding}
    large = {name: value for name, value in fields.items() if value is not None}
    if search_leaves and document.meta.get(CHILDREN):
        if large:
            source[KEPT] = large
    else:
        source.update(large)
    if document.score is not None:
        source["score"] = document.score
    for name in ("blob", "sparse_embedding"):
        if (value := getattr(document, name)) is not None:
            source[name] = value.to_dict()
    if marked and (found := marks(source)):
        source[MARKS] = found
    return source


def _metadata(document: Document, content: str) -> dict[str, Any]:
    """Return the metadata; what can't stand beside the fields of a document is under ``meta``."""
    beside: dict[str, Any] = {}
    nested: dict[str, Any] = {}
    for key, value in document.meta.items():
        if key in RESERVED or key in _OWN or key == content:
            nested[key] = value
        elif key != ROUTING:
            beside[key] = value
    return {**beside, "meta": nested} if nested else beside


def document_of(
    hit: dict[str, Any], score: float | None = None, *, embedding: bool = True, content: str = CONTENT
) -> Document:
    """Return the document of a hit, of this store or of an index that others wrote.

    :param hit: with ``_source`` and ``_id``, which it takes apart; the id counts where the source has none.
    :param score: that of a search; None: what was stored.
    :param embedding: whether it carries its embedding.
    :param content: the field for the text.

    >>> document_of({"_id": "1", "_source": {"content": "a", "year": 2020}})
    Document(id=1, content: 'a', meta: {'year': 2020})
    """
    meta: dict[str, Any] = hit.get("_source") or {}
    fields = {name: meta.pop(name) for name in meta.keys() & (_NOT_BESIDE | {content})}
    fields.pop(MARKS, None)
    if kept := fields.pop(KEPT, None):
        fields.update(kept)
    if isinstance(nested := fields.pop("meta", None), dict):
        meta = {**nested, **meta}
    text = fields.pop(content, None)
    if text is not None and not isinstance(text, str):  # an index that others wrote
        text = " ".join(map(str, text)) if isinstance(text, list) else str(text)
    if CONTENT in fields:  # the text has another name, so this is metadata
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
_READ: dict[str, Callable[[dict[str, Any]], Any]] = {
    "blob": ByteStream.from_dict,
    "sparse_embedding": SparseEmbedding.from_dict,
}
