"""Order and identity of scored documents."""

from collections.abc import Iterator, Sequence

from spaniel.dataclasses import Document
from spaniel.tracing import Recorder
from spaniel.tracing.events import Dropped, Repeated


def distinct_best(documents: Sequence[Document], record: Recorder | None = None) -> list[Document]:
    """Return each document once, at its first place; of several copies the one with the highest score."""
    best: dict[str, Document] = {}
    for document in documents:
        known = best.get(document.id)
        if known is not None and record is not None:
            record(Repeated(document.id))
        if known is None or _rank(document) > _rank(known):
            best[document.id] = document
    return list(best.values())


def best_first(documents: list[Document]) -> list[Document]:
    """Return the documents sorted by falling score if all have one, else as they are."""
    if any(document.score is None for document in documents):
        return documents
    return sorted(documents, key=_rank, reverse=True)


def _rank(document: Document) -> float:
    return float("-inf") if document.score is None else document.score


def at_least(documents: list[Document], min_score: float | None, record: Recorder | None) -> list[Document]:
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
