"""The assembly of adjacent chunks to a text, and of a window to a document."""

from collections.abc import Callable, Sequence

from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value, same_value
from spaniel.dataclasses.hierarchy import END, KEYS, ROOT, START
from spaniel.json_types import Meta
from spaniel.strategies.scores import find_highest_score
from spaniel.tracing.lineage import find_lines

# Metadata keys: the start of a chunk in its source, and the ids of the hits and chunks of a window.
OFFSET, HITS, CHUNKS = "split_idx_start", "window_hits", "window_chunks"

_CHUNK_KEYS = frozenset({*KEYS, OFFSET, "split_id", "source_id", "anchor", "page_number", "_split_overlap"})


def merge_documents_text(
    documents: Sequence[Document],
    *,
    offset: str = OFFSET,
    gap: str | None = None,
    broken: Callable[[Document, Document], bool] | None = None,
) -> str:
    """Return the texts of chunks joined, each character of their source once.

    If any `offset`, the metadata key of a start, is missing, the texts are concatenated. `gap` is
    inserted where text is missing between two chunks, as `broken` finds.

    >>> chunks = [("The bird", 0), ("bi", 4), ("rd sings.", 6)]
    >>> merge_documents_text([Document(content=text, meta={"split_idx_start": at}) for text, at in chunks])
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


def build_window_document(chunks: Sequence[Document], text: str, hits: Sequence[Document]) -> Document:
    """Return a window as a document: the text, the best score, the metadata shared by its chunks.

    The metadata keys ``window_hits`` and ``window_chunks`` have the ids of its hits and chunks. If
    the chunks have a root, and no text is missing between them, ``__root_id``, ``__start`` and
    ``__end`` give its position. If the chunks have a ``line`` and an ``end_line``, the window has
    the first and the last of them.

    >>> chunks = [Document(id=text, content=text, meta={"path": "a.md", "part": n}) for n, text in enumerate("ab")]
    >>> window = build_window_document(chunks, "ab", [Document(id="b", score=0.5)])
    >>> window.content, window.score, window.meta
    ('ab', 0.5, {'path': 'a.md', 'window_hits': ['b'], 'window_chunks': ['a', 'b']})
    """
    meta = {**_find_shared_meta(chunks), **_find_position(chunks, text)}
    if (lines := find_lines(chunks)) is not None:
        meta["line"], meta["end_line"] = lines
    meta[HITS] = [hit.id for hit in hits]
    meta[CHUNKS] = [chunk.id for chunk in chunks]
    return Document(content=text, meta=meta, score=find_highest_score(hits))


def _find_shared_meta(chunks: Sequence[Document]) -> Meta:
    if not chunks:
        return {}
    first, *others = chunks
    return {
        key: copy_value(value)
        for key, value in first.meta.items()
        if key not in _CHUNK_KEYS and all(key in chunk.meta and same_value(chunk.meta[key], value) for chunk in others)
    }


def _find_position(chunks: Sequence[Document], text: str) -> Meta:
    if not chunks or any(key not in chunk.meta for chunk in chunks for key in (ROOT, START, END)):
        return {}
    start, end = chunks[0].meta[START], max(chunk.meta[END] for chunk in chunks)
    is_whole = len({chunk.meta[ROOT] for chunk in chunks}) == 1 and end - start == len(text)
    return {ROOT: chunks[0].meta[ROOT], START: start, END: end} if is_whole else {}
