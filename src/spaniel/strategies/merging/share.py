"""The usual rule: a parent takes over when more than a share of it was hit, level by level."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import END, START
from spaniel.strategies.merging.ancestry import (
    Ancestry,
    count_children,
    get_level,
    group_by_parent,
    report_missing_parents,
)
from spaniel.strategies.merging.outcomes import ParentScoring, kept_apart, merged, without_parent
from spaniel.strategies.store_requests import StrategyRun
from spaniel.tracing import Recorder


def count_covered_characters(documents: Sequence[Document]) -> int:
    """Return how many characters documents of one text hold together; where they overlap, each counts once.

    >>> def piece(start, end):
    ...     return Document(content="x" * (end - start), meta={"__start": start, "__end": end})
    >>> count_covered_characters([piece(5, 9), piece(0, 6)])
    9
    """
    if any(START not in document.meta or END not in document.meta for document in documents):
        return sum(map(count_characters, documents))
    covered = last = 0
    for start, end in sorted((document.meta[START], document.meta[END]) for document in documents):
        covered += max(0, end - max(start, last))
        last = max(last, end)
    return covered


def count_characters(document: Document) -> int:
    """Return how many characters a document holds, as its place in the root tells, else its content.

    >>> count_characters(Document(content="abc")), count_characters(Document(meta={"__start": 10, "__end": 14}))
    (3, 4)
    """
    if START in document.meta and END in document.meta:
        return int(document.meta[END]) - int(document.meta[START])
    return len(document.content or "")


ShareMeasure = Literal["children", "text"]
"""The quantity that a share counts: the children of a parent, or its characters."""

SHARES: Mapping[str, Callable[[Document, Sequence[Document]], tuple[int, int]]] = {
    "children": lambda parent, children: (len(children), count_children(parent)),
    "text": lambda parent, children: (count_covered_characters(children), count_characters(parent)),
}
"""What a share is of: the children of a parent, or its characters. Each gives what was hit, and the whole."""


@dataclass(frozen=True)
class Share:
    """When a parent takes over.

    :param threshold: the share that must be exceeded.
    :param of: a key of `SHARES`.
    :param min_children: how many children must be hit at least.
    :param levels: thresholds of parents at some levels, 0 being the roots.
    """

    threshold: float
    of: str = "children"
    min_children: int = 1
    levels: Mapping[int, float] = field(default_factory=dict)

    def threshold_of(self, parent: Document) -> float:
        """Return the share of a parent that must be exceeded."""
        return self.levels.get(get_level(parent), self.threshold) if self.levels else self.threshold

    def allows(self, parent: Document, children: Sequence[Document]) -> bool:
        """Return whether a parent takes the place of these children."""
        count_children(parent)
        part, whole = SHARES[self.of](parent, children)
        return len(children) >= self.min_children and whole > 0 and part / whole > self.threshold_of(parent)

    def why(self, parent: Document, children: Sequence[Document]) -> str:
        """Return the figures behind `allows`, where the number of children does not say all."""
        part, whole = SHARES[self.of](parent, children)
        threshold = self.threshold_of(parent)
        if len(children) < self.min_children:
            return f"min_children is {self.min_children}"
        if self.of == "children":
            return ""
        share = part / whole if whole else 0.0
        sign = ">" if share > threshold else "<="
        return f"{part:,} of {whole:,} characters, {share:.2f} {sign} {threshold:g}"


def climb_by_share(
    hits: list[Document],
    ancestry: Ancestry,
    share: Share,
    scoring: ParentScoring,
    *,
    strict: bool,
    record: Recorder | None,
) -> StrategyRun[list[Document]]:
    """Return the hits, those of a well-covered parent replaced by it; a parent counts as a hit of the next level."""
    level, kept = hits, list[Document]()
    done: set[tuple[str, frozenset[str]]] = set()
    first = True
    while level:
        groups, roots = group_by_parent(level)
        kept += roots
        if not groups:
            break
        parents = yield from ancestry.fetch(groups)
        if first:
            report_missing_parents([parent_id for parent_id in groups if parent_id not in parents], strict=strict)
        level, first = [], False
        for parent_id, children in groups.items():
            parent = parents.get(parent_id)
            if parent is None:
                without_parent(parent_id, children, record)
                kept += children
            elif not share.allows(parent, children):
                why = partial(share.why, parent, children)
                kept_apart(parent, children, record, threshold=share.threshold_of(parent), why=why)
                kept += children
            elif (merge := (parent_id, frozenset(child.id for child in children))) in done:
                kept += children  # the parents run in a circle
            else:
                done.add(merge)
                why = partial(share.why, parent, children)
                level.append(merged(parent, children, scoring, record, threshold=share.threshold_of(parent), why=why))
    return kept
