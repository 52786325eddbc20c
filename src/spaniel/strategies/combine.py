"""What comes out of several searches: one list, each document once. No store is asked."""

from collections.abc import Iterator, Sequence

from spaniel.dataclasses import Document
from spaniel.strategies.fusion import FUSIONS
from spaniel.strategies.requests import Steps
from spaniel.strategies.scores import at_least, best, distinct_best, scored_first
from spaniel.tracing import Recorder
from spaniel.tracing.events import Fused

RRF = "reciprocal_rank_fusion"


def fuse(
    *rankings: Sequence[Document],
    join_mode: str = RRF,
    top_k: int | None = None,
    min_score: float | None = None,
    record: Recorder | None = None,
) -> Steps[list[Document]]:
    """Return the documents of several lists as one list.

    :param rankings: lists of documents, best first.
    :param join_mode: one of `FUSIONS`. Only ``concatenate`` leaves the documents in the order they came.
    :param top_k: how many documents at most. Lists that are just concatenated have no common order to cut by, so it
        means reciprocal rank fusion.
    :param min_score: what a document must score after the fusion.
    """
    yield from ()
    mode = join_mode if top_k is None else RRF
    fused = FUSIONS[mode](rankings, None)
    ordered = fused if mode == "concatenate" else scored_first(fused)
    if record is not None:
        record(fusions(rankings, ordered))
    return best(at_least(ordered, min_score, record), top_k, record)


def pool(
    *found: Sequence[Document], min_score: float | None = None, record: Recorder | None = None
) -> Steps[list[Document]]:
    """Return the documents of lists whose scores can be compared, best first; no score counts as 0.

    :param found: lists of documents. Of several copies the one with the highest score stays, the first of equals.
    :param min_score: what a document must score.
    """
    yield from ()
    distinct = distinct_best([document for documents in found for document in documents], record)
    ordered = scored_first(distinct, missing=0.0)
    if record is not None:
        record(fusions(found, ordered))
    return at_least(ordered, min_score, record)


def cut(
    documents: Sequence[Document],
    *,
    top_k: int | None = None,
    min_score: float | None = None,
    record: Recorder | None = None,
) -> Steps[list[Document]]:
    """Return the documents that score enough, as many of the first as are wanted.

    :param top_k: how many at most; None: all.
    :param min_score: what a document must score; one without a score stays.
    """
    yield from ()
    return best(at_least(list(documents), min_score, record), top_k, record)


def fusions(rankings: Sequence[Sequence[Document]], fused: Sequence[Document]) -> Iterator[Fused]:
    """Yield for each document of a fused list where it stood in the lists that went in."""
    places: list[dict[str, int]] = []
    for ranking in rankings:
        ranks: dict[str, int] = {}
        for rank, document in enumerate(ranking, 1):
            ranks.setdefault(document.id, rank)
        places.append(ranks)
    for document in fused:
        yield Fused(document.id, tuple(ranks.get(document.id) for ranks in places), document.score)
