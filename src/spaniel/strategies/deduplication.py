"""Results that repeat the text of other results, and their removal."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import END, ROOT, START
from spaniel.strategies.scores import find_highest_score
from spaniel.tracing import Recorder
from spaniel.tracing.events import Dropped, GaveWay, short_id


def drop_contained(documents: Sequence[Document], record: Recorder | None = None) -> list[Document]:
    """Return the documents that no other contains, each with the best rank and score of its parts.

    >>> def piece(id, start, end, score):
    ...     meta = {"__root_id": "r", "__start": start, "__end": end}
    ...     return Document(id=id, content="", score=score, meta=meta)
    >>> pieces = [piece("part", 5, 9, 3.0), piece("other", 20, 30, 2.0), piece("whole", 0, 10, 1.0)]
    >>> [(document.id, document.score) for document in drop_contained(pieces, print)]
    gave way to whole, which holds it
    [('whole', 3.0), ('other', 2.0)]
    """
    by_root: defaultdict[str | None, list[Document]] = defaultdict(list)
    for document in documents:
        by_root[document.meta.get(ROOT)].append(document)
    best: dict[str, Document] = {}
    for document in documents:
        others = (other for other in by_root[document.meta.get(ROOT)] if contains(other, document))
        whole = max(others, key=lambda other: int(other.meta[END]) - int(other.meta[START]), default=document)
        if whole.id != document.id and record is not None:
            record(GaveWay(document.id, whole.id))
        best[whole.id] = replace(whole, score=find_highest_score((best.get(whole.id, whole), document)))
    return list(best.values())


def drop_overlapping_links(
    documents: Sequence[Document], originals: Sequence[Document], record: Recorder | None = None
) -> list[Document]:
    """Return the documents without linked ones that overlap an earlier document."""
    ids = {original.id for original in originals}
    kept: list[Document] = []
    for document in documents:
        others = [*originals, *(other for other in kept if other.id not in ids)]
        overlapping = (other for other in others if contains(document, other) or contains(other, document))
        repeated = None if document.id in ids else next(overlapping, None)
        if repeated is None:
            kept.append(document)
        elif record is not None:
            record(Dropped(document.id, f"it shares text with {short_id(repeated.id)}", "repeat"))
    return kept


def contains(whole: Document, part: Document) -> bool:
    """Return if a document has all text of another, as a piece of the same file."""
    if whole.meta.get(ROOT) is None or whole.meta[ROOT] != part.meta.get(ROOT):
        return False
    return bool(whole.meta[START] <= part.meta[START] and part.meta[END] <= whole.meta[END])
