"""Order, identity, overlaps and limits of scored documents."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import END, ROOT, START
from spaniel.tracing import Recorder
from spaniel.tracing.events import Dropped, GaveWay, Repeated, short_id

RANK_CONSTANT = 61  # of reciprocal ranks: 60 as published, plus 1 since ranks start at 0 here


def deduplicate(documents: Sequence[Document], record: Recorder | None = None) -> list[Document]:
    """Return each document once, at its first position: the copy with the highest score."""
    best: dict[str, Document] = {}
    for document in documents:
        known = best.get(document.id)
        if known is not None and record is not None:
            record(Repeated(document.id))
        if known is None or score_sort_key(document.score) > score_sort_key(known.score):
            best[document.id] = document
    return list(best.values())


def sort_if_scored(documents: list[Document]) -> list[Document]:
    """Return the documents by falling score if all have a score, else unchanged."""
    return documents if any(document.score is None for document in documents) else sort_by_score(documents)


def sort_by_score(documents: Sequence[Document], *, missing: float = -math.inf) -> list[Document]:
    """Return the documents by falling score, NaN last; `missing` replaces no score. Stable."""
    scores = [missing if document.score is None else document.score for document in documents]
    keys = list(map(score_sort_key, scores)) if is_nan(sum(scores)) else scores  # the sum shows any NaN, fast
    return [documents[at] for at in sorted(range(len(keys)), key=keys.__getitem__, reverse=True)]


def find_highest_score(documents: Iterable[Document]) -> float | None:
    """Return the highest score: NaN if all are NaN, None if there is none."""
    scores = (document.score for document in documents if document.score is not None)
    return max(scores, key=score_sort_key, default=None)


def score_sort_key(score: float | None) -> tuple[bool, float]:
    """Return the sort key of a score: None counts as -infinity, NaN is below it.

    >>> sorted([2.0, math.nan, None, -1.0], key=score_sort_key)
    [nan, None, -1.0, 2.0]
    """
    if score is None:
        return True, -math.inf
    return (False, 0.0) if is_nan(score) else (True, score)


def is_nan(value: object) -> bool:
    """Return if a score or another value is NaN, the only value that differs from itself."""
    return bool(value != value)  # noqa: PLR0124


def drop_low_scores(documents: list[Document], min_score: float | None, record: Recorder | None) -> list[Document]:
    """Return the documents with at least `min_score`, and those without a score."""
    if min_score is None:
        return documents
    kept = []
    for document in documents:
        if document.score is None or document.score >= min_score:
            kept.append(document)
        elif record is not None:
            record(Dropped(document.id, f"score {document.score:.4g} is below min_score {min_score:g}", "min_score"))
    return kept


def limit_to_top_k(documents: list[Document], top_k: int | None, record: Recorder | None) -> list[Document]:
    """Return the first `top_k` documents; None: all."""
    kept = documents[:top_k]
    if record is not None and len(kept) < len(documents):

        def list_events() -> Iterator[Dropped]:
            last = kept[-1].score if kept else None
            limit = "" if last is None else f", and the last one kept has {last:.4g}"
            for rank, document in enumerate(documents[len(kept) :], len(kept) + 1):
                score = "" if document.score is None else f", with score {document.score:.4g}{limit}"
                yield Dropped(document.id, f"rank {rank} of top_k {top_k}{score}", "top_k")

        record(list_events())
    return kept


def compute_utilities(hits: Sequence[Document]) -> list[float]:
    """Return positive utilities of hits: the scores, or 1 / (61 + rank) if any is not positive.

    A hit with a missing or infinite score also makes the ranks count. NaN ranks last.

    >>> compute_utilities([Document(id="a", score=3.0), Document(id="b", score=1.0)])
    [3.0, 1.0]
    >>> hits = [Document(id="a", score=-3.0), Document(id="b")]
    >>> [round(utility, 4) for utility in compute_utilities(hits)]
    [0.0164, 0.0161]
    """
    scores = [hit.score for hit in hits if hit.score is not None and 0 < hit.score < math.inf]
    if len(scores) == len(hits):
        return scores
    utilities = [0.0] * len(hits)
    for rank, at in enumerate(sorted(range(len(hits)), key=lambda at: is_nan(hits[at].score))):
        utilities[at] = 1 / (RANK_CONSTANT + rank)
    return utilities


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
