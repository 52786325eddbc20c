"""A window as one document, which says for which hits it stands."""

from collections.abc import Callable, Sequence
from typing import Any

from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value, same_value
from spaniel.dataclasses.hierarchy import END, KEYS, ROOT, START
from spaniel.strategies.scores import find_highest_score

HITS = "window_hits"
"""The ids of the hits that a window stands for, best first as they came."""

CHUNKS = "window_chunks"
"""The ids of the chunks that it is made of, in order."""

_OF_A_CHUNK = frozenset({*KEYS, "split_id", "split_idx_start", "source_id", "anchor", "page_number", "_split_overlap"})


def build_window_document(chunks: Sequence[Document], text: str, hits: Sequence[Document]) -> Document:
    """Return a window as one document: its text, the best score of its hits, and what all its chunks have in common.

    Its metadata says which ``window_hits`` it stands for and which ``window_chunks`` it is made of. Where the chunks know
    their root, and no text is missing between them, ``__root_id``, ``__start`` and ``__end`` say where it stands.

    :param chunks: in order.
    :param text: of all of them.
    :param hits: that the window was laid around.

    >>> chunks = [Document(id=text, content=text, meta={"path": "a.md", "line": n}) for n, text in enumerate("ab")]
    >>> window = build_window_document(chunks, "ab", [Document(id="b", score=0.5)])
    >>> window.content, window.score, window.meta
    ('ab', 0.5, {'path': 'a.md', 'window_hits': ['b'], 'window_chunks': ['a', 'b']})
    """
    meta = {**find_shared_meta(chunks), **_span(chunks, text)}
    meta[HITS] = [hit.id for hit in hits]
    meta[CHUNKS] = [chunk.id for chunk in chunks]
    return Document(content=text, meta=meta, score=find_highest_score(hits))


def find_shared_meta(chunks: Sequence[Document]) -> dict[str, Any]:
    """Return the metadata that all chunks have in common, without what places a chunk."""
    if not chunks:
        return {}
    first, *others = chunks
    return {
        key: copy_value(value)
        for key, value in first.meta.items()
        if key not in _OF_A_CHUNK and all(key in chunk.meta and same_value(chunk.meta[key], value) for chunk in others)
    }


def _span(chunks: Sequence[Document], text: str) -> dict[str, Any]:
    if not chunks or any(key not in chunk.meta for chunk in chunks for key in (ROOT, START, END)):
        return {}
    start, end = chunks[0].meta[START], max(chunk.meta[END] for chunk in chunks)
    one = len({chunk.meta[ROOT] for chunk in chunks}) == 1 and end - start == len(text)
    return {ROOT: chunks[0].meta[ROOT], START: start, END: end} if one else {}


def merge_documents_text(
    documents: Sequence[Document],
    *,
    offset: str = "split_idx_start",
    gap: str | None = None,
    broken: Callable[[Document, Document], bool] | None = None,
) -> str:
    """Return the texts of chunks as one text, each character of their source once.

    :param documents: chunks of one source. Where one lacks its offset, the texts are joined as they come.
    :param offset: the metadata key that says where a chunk begins.
    :param gap: what to write where text is missing between two chunks; None: nothing.
    :param broken: whether text is missing between two chunks.

    >>> chunks = [("The bird", 0), ("bi", 4), ("rd sings.", 6)]
    >>> merge_documents_text([Document(content=text, meta={"split_idx_start": start}) for text, start in chunks])
    'The bird sings.'
    """
    placed = all(document.meta.get(offset) is not None for document in documents)
    ordered = sorted(documents, key=lambda document: int(document.meta[offset])) if placed else documents
    parts: list[str] = []
    end = 0
    previous: Document | None = None
    for document in ordered:
        if gap is not None and broken is not None and previous is not None and broken(previous, document):
            parts.append(gap)
        text, start = document.content or "", int(document.meta[offset]) if placed else end
        parts.append(text[max(end - start, 0) :])
        end = max(end, start + len(text))
        previous = document
    return "".join(parts)
