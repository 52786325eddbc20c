"""Documents in the order of new scores, and the limits of rankers."""

from collections.abc import Sequence
from dataclasses import replace

from spaniel.dataclasses import Document
from spaniel.strategies.scores import deduplicate, sort_by_score
from spaniel.tracing import note


def validate_top_k(top_k: int | None) -> int | None:
    """Return the maximum number of documents, validated.

    :raises ValueError: it is not greater than 0.
    """
    if top_k is not None and top_k <= 0:
        raise ValueError(f"top_k must be > 0, but got {top_k}.")
    return top_k


def rank_by_scores(
    name: str,
    documents: Sequence[Document],
    scores: Sequence[float],
    *,
    top_k: int | None,
    min_score: float | None,
) -> list[Document]:
    """Return documents with their new scores, best first, as a stage of a trace.

    :param name: of the stage.
    :param documents: distinct ones, each with one of the scores.
    """
    scored = [replace(document, score=score) for document, score in zip(documents, scores, strict=True)]
    kept = [document for document in sort_by_score(scored) if min_score is None or (document.score or 0.0) >= min_score]
    ranked = kept[:top_k]
    note(name, [documents], ranked, top_k=top_k, min_score=min_score)
    return ranked


def list_distinct(documents: Sequence[Document]) -> list[Document]:
    """Return the documents without duplicates: of each the copy with the highest score."""
    return deduplicate(list(documents))
