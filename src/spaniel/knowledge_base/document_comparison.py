"""Whether two stores hold the same documents, told while both are read in the order of their ids.

Documents are compared by id, content, metadata, blob, score and vectors, as JSON: dates as ISO text, tuples as lists, NaN as
null; the numbers of an embedding as 32-bit floats, since that is what an index of vectors keeps. The checksum of a store is
the sum of the BLAKE2b digests (128 bits) of its documents, so it does not depend on their order.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson

from spaniel.dataclasses import Document

_OPTIONS = orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY
_BYTES = 16
_NOT_KEPT = "_routing"  # says where a cluster puts a document
_LISTED = 100


@dataclass
class StoreComparison:
    """What was found.

    :param documents: how many there are in the source.
    :param checksum: of the source, and `copied`: of those documents of the target that have an id of the source.
    :param differing: how many ids differ, and `first`: the first hundred with what is wrong.
    """

    documents: int = 0
    checksum: int = 0
    copied: int = 0
    differing: int = 0
    first: dict[str, str] = field(default_factory=dict)

    def add(self, id: str, fault: str) -> None:
        """Note an id that differs."""
        self.differing += 1
        if len(self.first) < _LISTED:
            self.first[id] = fault


def compare(
    source: Iterable[Document],
    target: Iterable[Document],
    *,
    others: bool = False,
    told: Callable[[int], None] = lambda _: None,
) -> StoreComparison:
    """Return how a copy compares with its source. Both give documents in the order of their ids.

    :param others: whether the target may hold other documents too.
    :param told: is called with how many documents of the source are compared.

    >>> compare([Document(id="a"), Document(id="b")], [Document(id="a", content="x")]).first
    {'a': 'its content differs', 'b': 'is missing'}
    """
    found = StoreComparison()
    copies = iter(target)
    copied = next(copies, None)
    for document in source:
        while copied is not None and _place(copied) < _place(document):
            copied = _passed(copied, copies, found, others=others)
        found.documents += 1
        digest = digest_of(document)
        found.checksum = (found.checksum + digest) % (1 << 8 * _BYTES)
        if copied is None or copied.id != document.id:
            found.add(document.id, "is missing")
        else:
            other = digest_of(copied)
            found.copied = (found.copied + other) % (1 << 8 * _BYTES)
            if digest != other:
                found.add(document.id, f"its {', '.join(_differing(document, copied))} differs")
            copied = next(copies, None)
        told(found.documents)
    while copied is not None:
        copied = _passed(copied, copies, found, others=others)
    return found


def digest_of(document: Document) -> int:
    """Return the digest of what is compared of a document."""
    return int.from_bytes(hashlib.blake2b(b"\n".join(_parts(document).values()), digest_size=_BYTES).digest(), "big")


def _passed(copied: Document, copies: Iterator[Document], found: StoreComparison, *, others: bool) -> Document | None:
    """Pass over a document that is only in the target."""
    if not others:
        found.add(copied.id, "is in the target only")
    return next(copies, None)


def _place(document: Document) -> tuple[bool, bytes]:
    """Return where an id stands in the order of ids: that of its bytes; what is no text at the end, as in SQLite."""
    try:
        return False, document.id.encode()
    except UnicodeEncodeError:
        return True, document.id.encode("utf-8", "surrogatepass")


def _parts(document: Document) -> dict[str, bytes]:
    blob, sparse = document.blob, document.sparse_embedding
    meta = {key: value for key, value in document.meta.items() if key != _NOT_KEPT}
    return {
        "id": _json(document.id),
        "content": _json(document.content),
        "metadata": _json(meta),
        "score": _json(document.score),
        "blob": _json(None if blob is None else blob.to_dict()),
        "sparse embedding": _json(None if sparse is None else sparse.to_dict()),
        "embedding": b"null" if document.embedding is None else _rounded(document.embedding),
    }


def _differing(one: Document, other: Document) -> list[str]:
    parts = _parts(other)
    return [name for name, part in _parts(one).items() if part != parts[name]]


def _json(value: Any) -> bytes:
    try:
        return orjson.dumps(value, option=_OPTIONS, default=repr)
    except TypeError:  # half of a surrogate pair, a number of more than 64 bits
        return repr(value).encode("utf-8", "surrogatepass")


def _rounded(embedding: Any) -> bytes:
    import numpy as np

    with np.errstate(over="ignore"):
        return np.asarray(embedding, dtype=np.float64).astype("<f4").tobytes()
