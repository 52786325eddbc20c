"""Auto-merging: hits give way to their parent where enough of its children were hit."""

import logging
import math
import statistics
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import BLOCK_SIZE, CHILDREN, LEVEL, PARENT
from spaniel.filters.equality import plain
from spaniel.strategies.requests import FetchByIds, Steps
from spaniel.strategies.scores import at_least, best_first, distinct_best
from spaniel.tracing import Recorder
from spaniel.tracing.events import GaveWay, KeptApart, Merged, ParentMissing

logger = logging.getLogger(__name__)

_REQUIRED = (PARENT, LEVEL, BLOCK_SIZE)

# Sums that don't depend on the order, so that a result does not either.
SCORES: Mapping[str | None, Callable[[Sequence[float]], float | None]] = {
    "max": max,
    "mean": statistics.fmean,
    "sum": math.fsum,
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

    Asks for the parents of a level in one request. No text comes twice: a hit gives way to any ancestor in the result.

    :param hits: chunks with the metadata of a hierarchy (``__parent_id``, ``__level``, ``__block_size``).
    :param threshold: a parent takes over when more than this share of its children is hit.
    :param score: how a parent's score comes from those that gave way to it: a key of `SCORES`.
    :param raise_on_missing_parent: whether a hit whose parent is not in the store is an error; else the hit stays. A
        parent that is missing above a merge only ends the climb.
    :param min_score: what a hit or a parent must score to be returned.
    :raises ValueError: a hit lacks the metadata, its parent is missing, or its parent has no children.
    """
    check_hierarchy(hits)
    level = distinct_best(hits, record)
    above = {hit.id: hit.meta[PARENT] for hit in level}
    fetched: dict[str, Document] = {}
    merged: set[tuple[str, frozenset[str]]] = set()
    kept: list[Document] = []
    while level:
        groups, roots = _by_parent(level)
        kept += roots
        if not groups:
            break
        # The next ancestors of what was kept come along: one of them may turn out to be in the result.
        wanted = dict.fromkeys([*groups, *_unseen(fetched.values(), above)])
        fetched = {parent.id: parent for parent in (yield FetchByIds(list(wanted)))}
        above |= {parent.id: parent.meta.get(PARENT) for parent in fetched.values()}
        if not merged:
            _check_missing([parent_id for parent_id in groups if parent_id not in fetched], raise_on_missing_parent)
        level = []
        for parent_id, children in groups.items():
            parent = fetched.get(parent_id)
            if parent is None:
                kept += _without_parent(children, parent_id, record)
            elif _share(parent, children) <= threshold:
                kept += _apart(children, parent, threshold, record)
            elif (merge := (parent_id, frozenset(child.id for child in children))) in merged:
                kept += children  # the parents run in a circle
            else:
                merged.add(merge)
                level.append(_merge(parent, children, threshold, score, record))
    # What was kept may stand inside what was kept at a higher level, so all ancestors up to `highest` must be known. A fetched
    # document names its parent: one level below `highest` that is all there is to know, from two levels below on it is not.
    highest = min((_level(document) for document in kept), default=0)
    while wanted := dict.fromkeys(_unseen([up for up in fetched.values() if _level(up) >= highest + 2], above)):
        fetched = {parent.id: parent for parent in (yield FetchByIds(list(wanted)))}
        above |= {parent.id: parent.meta.get(PARENT) for parent in fetched.values()}
    found = _each_text_once(distinct_best(kept), above, score, record)
    return at_least(best_first(found), min_score, record)


def check_hierarchy(documents: Sequence[Document]) -> None:
    """Raise a ValueError that names the first key of a hierarchy that a document lacks."""
    for key in _REQUIRED:
        for document in documents:
            if key not in document.meta:
                raise ValueError(
                    f"The matched leaf documents do not have the required meta field '{key}': document "
                    f"'{document.id}' lacks it. Split with HierarchicalDocumentSplitter or SectionSplitter."
                )


def _level(document: Document) -> int:
    level = document.meta.get(LEVEL)
    return level if isinstance(level, int) else 0


def _unseen(documents: Iterable[Document], above: Mapping[str, str | None]) -> list[str]:
    """Return the parents of these documents that no request has brought yet."""
    parents = [above[document.id] for document in documents]
    return [parent for parent in parents if parent and parent not in above]


def _by_parent(documents: Sequence[Document]) -> tuple[dict[str, list[Document]], list[Document]]:
    """Return the documents by parent, and those without one."""
    groups: dict[str, list[Document]] = {}
    roots = []
    for document in documents:
        if parent_id := document.meta.get(PARENT):
            groups.setdefault(parent_id, []).append(document)
        else:
            roots.append(document)
    return groups, roots


def _check_missing(parent_ids: Sequence[str], strict: bool) -> None:
    if parent_ids and strict:
        raise ValueError(
            f"Expected 1 parent document with id {parent_ids[0]}, found 0. Store the parents beside their leaves, or "
            "pass raise_on_missing_parent=False to keep leaves without one."
        )
    if parent_ids:
        logger.warning(
            "Parents that are not in the store: %d, such as %s. Their leaves are kept.", len(parent_ids), parent_ids[0]
        )


def _share(parent: Document, children: Sequence[Document]) -> float:
    siblings = plain(parent.meta.get(CHILDREN))
    if not siblings:
        raise ValueError(f"Parent document with id {parent.id} does not have any children.")
    return len(children) / len(siblings)


def _merge(
    parent: Document, children: Sequence[Document], threshold: float, score: str | None, record: Recorder | None
) -> Document:
    merged = replace(parent, score=_score_of(children, score))
    if record is not None:
        ids = tuple(child.id for child in children)
        record(Merged(parent.id, ids, len(parent.meta[CHILDREN]), threshold, merged.score))
        for child in children:
            record(GaveWay(child.id, parent.id))
    return merged


def _score_of(documents: Sequence[Document], score: str | None) -> float | None:
    scores = [document.score for document in documents if document.score is not None]
    return SCORES[score](scores) if scores else None


def _apart(children: list[Document], parent: Document, threshold: float, record: Recorder | None) -> list[Document]:
    if record is not None:
        for child in children:
            record(KeptApart(child.id, parent.id, len(children), len(parent.meta[CHILDREN]), threshold))
    return children


def _without_parent(children: list[Document], parent_id: str, record: Recorder | None) -> list[Document]:
    if record is not None:
        for child in children:
            record(ParentMissing(child.id, parent_id))
    return children


def _each_text_once(
    documents: list[Document], above: Mapping[str, str | None], score: str | None, record: Recorder | None
) -> list[Document]:
    """Return the documents without those that stand inside another; its score then comes from theirs too."""
    ids = {document.id for document in documents}
    inside: dict[str, list[Document]] = {}
    for document in documents:
        outermost = _outermost(document.id, above, ids)
        if outermost is not None:
            inside.setdefault(outermost, []).append(document)
            if record is not None:
                record(GaveWay(document.id, outermost))
    gone = {document.id for documents in inside.values() for document in documents}
    return [_lifted(document, inside.get(document.id), score) for document in documents if document.id not in gone]


def _outermost(id: str, above: Mapping[str, str | None], ids: Container[str]) -> str | None:
    """Return the highest ancestor that is among `ids`; None if there is none, or where the parents run in a circle."""
    found, seen, ancestor = None, {id}, above.get(id)
    while ancestor:
        if ancestor in seen:
            return None
        seen.add(ancestor)
        found = ancestor if ancestor in ids else found
        ancestor = above.get(ancestor)
    return found


def _lifted(document: Document, inside: Sequence[Document] | None, score: str | None) -> Document:
    lifted = _score_of([document, *inside], score) if inside else None
    return document if lifted is None else replace(document, score=lifted)
