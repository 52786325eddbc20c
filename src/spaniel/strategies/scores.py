"""Order and identity of scored documents."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from spaniel.dataclasses import Document
from spaniel.tracing import Recorder
from spaniel.tracing.events import Dropped, Repeated


def deduplicate(documents: Sequence[Document], record: Recorder | None = None) -> list[Document]:
    """Return each document once, at its first place; of several copies the one with the highest score."""
    best: dict[str, Document] = {}
    for document in documents:
        known = best.get(document.id)
        if known is not None and record is not None:
            record(Repeated(document.id))
        if known is None or score_sort_key(document.score) > score_sort_key(known.score):
            best[document.id] = document
    return list(best.values())


def sort_if_scored(documents: list[Document]) -> list[Document]:
    """Return the documents sorted by falling score if all have one, else as they are."""
    if any(document.score is None for document in documents):
        return documents
    return sort_by_score(documents)


def sort_by_score(documents: Sequence[Document], *, missing: float = -math.inf) -> list[Document]:
    """Return the documents by falling score, those whose score is NaN last; equals in the order given.

    :param missing: the score of a document without one.
    """
    scores = [missing if document.score is None else document.score for document in documents]
    keys = list(map(score_sort_key, scores)) if is_nan(sum(scores)) else scores  # the sum shows each NaN, and is fast
    return [documents[place] for place in sorted(range(len(keys)), key=keys.__getitem__, reverse=True)]


def find_highest_score(documents: Iterable[Document]) -> float | None:
    """Return the highest score; NaN only where there is no other, None where no document has one."""
    return max(
        (document.score for document in documents if document.score is not None), key=score_sort_key, default=None
    )


def score_sort_key(score: float | None) -> tuple[bool, float]:
    """Return the sort key of a score: none is below every number, and NaN below that.

    >>> sorted([2.0, math.nan, None, -math.inf], key=score_sort_key)
    [nan, None, -inf, 2.0]
    """
    if score is None:
        return True, -math.inf
    return (False, 0.0) if is_nan(score) else (True, score)


def is_nan(value: Any) -> bool:
    """Return whether a score or another value is NaN, which alone differs from itself."""
    return bool(value != value)  # noqa: PLR0124


def drop_low_scores(documents: list[Document], min_score: float | None, record: Recorder | None) -> list[Document]:
    """Return the documents that score at least `min_score`; those without a score stay."""
    if min_score is None:
        return documents
    kept = []
    for document in documents:
        if document.score is None or document.score >= min_score:
            kept.append(document)
        elif record is not None:
            record(Dropped(document.id, f"score {document.score:.4g} is below min_score {min_score:g}", "min_score"))
    return kept


def best(documents: list[Document], top_k: int | None, record: Recorder | None) -> list[Document]:
    """Return the first `top_k` documents; None: all."""
    kept = documents[:top_k]
    if record is not None and len(kept) < len(documents):
        record(_dropped(documents, kept, top_k))
    return kept


def _dropped(documents: Sequence[Document], kept: Sequence[Document], top_k: int | None) -> Iterator[Dropped]:
    last = kept[-1].score if kept else None
    limit = "" if last is None else f", and the last one kept has {last:.4g}"
    for rank, document in enumerate(documents[len(kept) :], len(kept) + 1):
        score = "" if document.score is None else f", with score {document.score:.4g}"
        yield Dropped(document.id, f"rank {rank} of top_k {top_k}{score}{limit if score else ''}", "top_k")


_RANK_CONSTANT = 61


def compute_utilities(hits: Sequence[Document]) -> list[float]:
    """Return a number above 0 for each hit: its score; if one has none that is finite and above 0, 1 / (61 + rank) for each.

    A hit whose score is NaN ranks after all others.

    >>> compute_utilities([Document(id="a", score=3.0), Document(id="b", score=1.0)])
    [3.0, 1.0]
    >>> [round(worth, 4) for worth in compute_utilities([Document(id="a", score=-3.0), Document(id="b")])]
    [0.0164, 0.0161]
    """
    scores = [hit.score for hit in hits if hit.score is not None and 0 < hit.score < math.inf]
    if len(scores) == len(hits):
        return scores
    worths = [0.0] * len(hits)
    for rank, at in enumerate(sorted(range(len(hits)), key=lambda at: is_nan(hits[at].score))):
        worths[at] = 1 / (_RANK_CONSTANT + rank)
    return worths
