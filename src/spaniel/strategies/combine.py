"""What comes out of several searches: one list, each document once. No store is asked."""

from collections.abc import Sequence

from spaniel.dataclasses import Document
from spaniel.strategies.fusion import FUSIONS, scored_first
from spaniel.strategies.requests import Steps
from spaniel.strategies.scores import at_least, distinct_best
from spaniel.tracing import Recorder
from spaniel.tracing.events import Dropped

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
    kept = at_least(fused if mode == "concatenate" else scored_first(fused), min_score, record)
    if record is not None and top_k is not None:
        for document in kept[top_k:]:
            record(Dropped(document.id, f"not among the best {top_k}"))
    return kept[:top_k]


def pool(
    *found: Sequence[Document], min_score: float | None = None, record: Recorder | None = None
) -> Steps[list[Document]]:
    """Return the documents of lists whose scores can be compared, best first; no score counts as 0.

    :param found: lists of documents. Of several copies the one with the highest score stays, the first of equals.
    :param min_score: what a document must score.
    """
    yield from ()
    best = distinct_best([document for documents in found for document in documents], record)
    return at_least(sorted(best, key=lambda document: document.score or 0.0, reverse=True), min_score, record)
