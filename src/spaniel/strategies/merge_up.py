"""Auto-merging: hits give way to their parent where enough of its children were hit."""

import logging
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from spaniel.dataclasses import Document
from spaniel.strategies.requests import FetchByIds, Steps
from spaniel.strategies.scores import at_least, best_first, distinct_best
from spaniel.tracing import Recorder
from spaniel.tracing.events import KeptApart, Merged, ParentMissing, Repeated

logger = logging.getLogger(__name__)

PARENT, CHILDREN = "__parent_id", "__children_ids"
_REQUIRED = (PARENT, "__level", "__block_size")

SCORES: Mapping[str | None, Callable[[Sequence[float]], float | None]] = {
    "max": max,
    "mean": statistics.fmean,
    "sum": sum,
    None: lambda _: None,
}
"""How the scores of merged children become their parent's."""


def merge_up(
    hits: Sequence[Document],
    *,
    threshold: float,
    score: str | None = "max",
    raise_on_missing_parent: bool = True,
    min_score: float | None = None,
    record: Recorder | None = None,
) -> Steps[list[Document]]:
    """Return the hits, those of a well-covered parent replaced by it, level by level.

    Asks for the parents of a level in one request.

    :param hits: chunks with the metadata of a hierarchy (``__parent_id``, ``__level``, ``__block_size``).
    :param threshold: a parent takes over when more than this share of its children is hit.
    :param score: how a parent's score comes from its merged children: a key of `SCORES`.
    :param raise_on_missing_parent: whether a hit whose parent is not in the store is an error; else the hit stays. A
        parent that is missing above a merge only ends the climb.
    :param min_score: what a hit or a parent must score to be returned.
    :raises ValueError: a hit lacks the metadata, its parent is missing, or its parent has no children.
    """
    check_hierarchy(hits)
    level = distinct_best(hits)
    if record is not None:
        _record_repeated(hits, record)
    kept: list[Document] = []
    is_input = True
    while level:
        kept += [document for document in level if not document.meta[PARENT]]
        groups = _by_parent(level)
        if not groups:
            break
        parents = {parent.id: parent for parent in (yield FetchByIds(list(groups)))}
        merged = []
        for parent_id, children in groups.items():
            parent = parents.get(parent_id)
            if parent is None:
                _check_missing(parent_id, strict=is_input and raise_on_missing_parent, warn=is_input)
                kept += _without_parent(children, parent_id, record)
            elif _share(parent, children) > threshold:
                merged.append(_merge(parent, children, threshold, score, record))
            else:
                kept += _apart(children, parent, threshold, record)
        level, is_input = merged, False
    return at_least(best_first(distinct_best(kept)), min_score, record)


def check_hierarchy(documents: Sequence[Document]) -> None:
    """Raise a ValueError that names the first key of a hierarchy that a document lacks."""
    for key in _REQUIRED:
        for document in documents:
            if key not in document.meta:
                raise ValueError(
                    f"The matched leaf documents do not have the required meta field '{key}': document "
                    f"'{document.id}' lacks it. Split with HierarchicalDocumentSplitter or SectionSplitter."
                )


def _record_repeated(hits: Sequence[Document], record: Recorder) -> None:
    seen: set[str] = set()
    for hit in hits:
        if hit.id in seen:
            record(Repeated(hit.id))
        seen.add(hit.id)


def _by_parent(documents: Sequence[Document]) -> dict[str, list[Document]]:
    groups: dict[str, list[Document]] = {}
    for document in documents:
        if document.meta[PARENT]:
            groups.setdefault(document.meta[PARENT], []).append(document)
    return groups


def _share(parent: Document, children: Sequence[Document]) -> float:
    siblings = parent.meta.get(CHILDREN)
    if not siblings:
        raise ValueError(f"Parent document with id {parent.id} does not have any children.")
    return len(children) / len(siblings)


def _merge(
    parent: Document, children: Sequence[Document], threshold: float, score: str | None, record: Recorder | None
) -> Document:
    scores = [child.score for child in children if child.score is not None]
    merged = replace(parent, score=SCORES[score](scores) if scores else None)
    if record is not None:
        ids = tuple(child.id for child in children)
        record(Merged(parent.id, ids, len(parent.meta[CHILDREN]), threshold, merged.score))
    return merged


def _apart(children: list[Document], parent: Document, threshold: float, record: Recorder | None) -> list[Document]:
    if record is not None:
        for child in children:
            record(KeptApart(child.id, parent.id, len(children), len(parent.meta[CHILDREN]), threshold))
    return children


def _check_missing(parent_id: str, *, strict: bool, warn: bool) -> None:
    if strict:
        raise ValueError(
            f"Expected 1 parent document with id {parent_id}, found 0. Store the parents beside their leaves, or pass "
            "raise_on_missing_parent=False to keep leaves without one."
        )
    if warn:
        logger.warning("The parent %s is not in the store; its leaves are kept.", parent_id)


def _without_parent(children: list[Document], parent_id: str, record: Recorder | None) -> list[Document]:
    if record is not None:
        for child in children:
            record(ParentMissing(child.id, parent_id))
    return children
