"""Results that repeat each other's text."""

from collections.abc import Sequence
from dataclasses import replace

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import END, ROOT, START
from spaniel.strategies.scores import find_highest_score
from spaniel.tracing import Recorder
from spaniel.tracing.events import Dropped, GaveWay, short_id


def drop_contained(documents: Sequence[Document], record: Recorder | None = None) -> list[Document]:
    """Return documents without those that lie inside another of them; that one takes the better place and score.

    >>> def piece(id, start, end, score):
    ...     return Document(id=id, content="", score=score, meta={"__root_id": "r", "__start": start, "__end": end})
    >>> found = drop_contained([piece("part", 5, 9, 3.0), piece("other", 20, 30, 2.0), piece("whole", 0, 10, 1.0)], print)
    gave way to whole, which holds it
    >>> [(document.id, document.score) for document in found]
    [('whole', 3.0), ('other', 2.0)]
    """
    of_root: dict[str, list[Document]] = {}
    for document in documents:
        of_root.setdefault(document.meta.get(ROOT), []).append(document)  # type: ignore[arg-type]  # None: no tree
    best: dict[str, Document] = {}
    for document in documents:
        others = of_root[document.meta.get(ROOT)]  # type: ignore[index]  # as above
        whole = max((other for other in others if holds(other, document)), key=_length, default=document)
        if whole.id != document.id and record is not None:
            record(GaveWay(document.id, whole.id))
        best[whole.id] = replace(whole, score=find_highest_score((best.get(whole.id, whole), document)))
    return list(best.values())


def drop_overlapping_links(
    documents: Sequence[Document], originals: Sequence[Document], record: Recorder | None = None
) -> list[Document]:
    """Return documents without the linked ones that hold, or are part of, an original or an earlier linked one."""
    ids = {original.id for original in originals}
    kept: list[Document] = []
    for document in documents:
        others = [*originals, *(other for other in kept if other.id not in ids)]
        same = None if document.id in ids else next((other for other in others if _share(document, other)), None)
        if same is None:
            kept.append(document)
        elif record is not None:
            record(Dropped(document.id, f"it shares text with {short_id(same.id)}", "repeat"))
    return kept


def holds(whole: Document, part: Document) -> bool:
    """Return whether a document holds all of another one's text, as a piece of the same file."""
    if whole.meta.get(ROOT) is None or whole.meta[ROOT] != part.meta.get(ROOT):
        return False
    return bool(whole.meta[START] <= part.meta[START] and part.meta[END] <= whole.meta[END])


def _share(one: Document, other: Document) -> bool:
    return holds(one, other) or holds(other, one)


def _length(document: Document) -> int:
    return int(document.meta[END]) - int(document.meta[START])
