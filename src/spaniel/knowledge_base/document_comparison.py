"""Comparison of the documents of two stores, in a single pass over both in the order of ids.

Documents are compared as JSON by id, content, metadata, blob, score and vectors: dates as ISO
text, tuples as lists, NaN as null, embeddings as 32-bit floats, the precision of a vector index.
The checksum of a store is the sum of the 128-bit BLAKE2b digests of its documents, so it does not
depend on their order.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import orjson

from spaniel.dataclasses import Document
from spaniel.json_types import Json

_OPTIONS = orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY
_DIGEST_BYTES = 16
_ROUTING_KEY = "_routing"  # a server does not store it
_MAX_LISTED = 100


@dataclass
class StoreComparison:
    """Result of a comparison.

    :param documents: number of documents in the source.
    :param checksum: of the source.
    :param copied: checksum of the target's documents with an id of the source.
    :param differing: number of ids that differ.
    :param first: the difference, for the first hundred of these ids.
    """

    documents: int = 0
    checksum: int = 0
    copied: int = 0
    differing: int = 0
    first: dict[str, str] = field(default_factory=dict)

    def add(self, id: str, difference: str) -> None:
        """Record an id that differs."""
        self.differing += 1
        if len(self.first) < _MAX_LISTED:
            self.first[id] = difference


def compare(
    source: Iterable[Document],
    target: Iterable[Document],
    *,
    allow_others: bool = False,
    progress: Callable[[int], None] = lambda _: None,
) -> StoreComparison:
    """Return the differences of a copy from its source, both given in the order of ids.

    :param allow_others: the target may hold more documents.
    :param progress: called with the number of source documents compared so far.

    >>> compare([Document(id="a"), Document(id="b")], [Document(id="a", content="x")]).first
    {'a': 'its content differs', 'b': 'is missing'}
    """
    comparison = StoreComparison()
    copies = iter(target)
    copied = next(copies, None)
    for document in source:
        while copied is not None and _sort_key(copied) < _sort_key(document):
            copied = _skip_other(copied, copies, comparison, allow_others=allow_others)
        comparison.documents += 1
        digest = compute_digest(document)
        comparison.checksum = (comparison.checksum + digest) % (1 << 8 * _DIGEST_BYTES)
        if copied is None or copied.id != document.id:
            comparison.add(document.id, "is missing")
        else:
            copied_digest = compute_digest(copied)
            comparison.copied = (comparison.copied + copied_digest) % (1 << 8 * _DIGEST_BYTES)
            if digest != copied_digest:
                comparison.add(document.id, f"its {', '.join(_list_differing_parts(document, copied))} differs")
            copied = next(copies, None)
        progress(comparison.documents)
    while copied is not None:
        copied = _skip_other(copied, copies, comparison, allow_others=allow_others)
    return comparison


def compute_digest(document: Document) -> int:
    """Return the digest of a document's compared parts."""
    data = b"\n".join(_encode_parts(document).values())
    return int.from_bytes(hashlib.blake2b(data, digest_size=_DIGEST_BYTES).digest(), "big")


def _skip_other(
    copied: Document, copies: Iterator[Document], comparison: StoreComparison, *, allow_others: bool
) -> Document | None:
    """Skip a document that the source does not hold."""
    if not allow_others:
        comparison.add(copied.id, "is in the target only")
    return next(copies, None)


def _sort_key(document: Document) -> tuple[bool, bytes]:
    """Return the key of SQLite's order of ids: by bytes, ids with lone surrogates last."""
    try:
        return False, document.id.encode()
    except UnicodeEncodeError:
        return True, document.id.encode("utf-8", "surrogatepass")


def _encode_parts(document: Document) -> dict[str, bytes]:
    blob, sparse = document.blob, document.sparse_embedding
    meta = {key: value for key, value in document.meta.items() if key != _ROUTING_KEY}
    return {
        "id": _encode(document.id),
        "content": _encode(document.content),
        "metadata": _encode(meta),
        "score": _encode(document.score),
        "blob": _encode(None if blob is None else blob.to_dict()),
        "sparse embedding": _encode(None if sparse is None else sparse.to_dict()),
        "embedding": b"null" if document.embedding is None else _encode_embedding(document.embedding),
    }


def _list_differing_parts(one: Document, other: Document) -> list[str]:
    parts = _encode_parts(other)
    return [name for name, part in _encode_parts(one).items() if part != parts[name]]


def _encode(value: Json) -> bytes:
    try:
        return orjson.dumps(value, option=_OPTIONS, default=repr)
    except TypeError:  # a lone surrogate, or an integer of more than 64 bits
        return repr(value).encode("utf-8", "surrogatepass")


def _encode_embedding(embedding: Iterable[float]) -> bytes:
    import numpy as np

    with np.errstate(over="ignore"):
        return np.asarray(embedding, dtype=np.float64).astype("<f4").tobytes()
