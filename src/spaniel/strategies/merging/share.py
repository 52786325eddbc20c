"""The default rule: a parent replaces its children if more than a share of it was hit."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import END, PARENT, START
from spaniel.filters import Filter, matches
from spaniel.strategies.lengths import Length, estimate_tokens
from spaniel.strategies.merging.ancestry import (
    Ancestry,
    count_children,
    get_level,
    group_by_parent,
    report_missing_parents,
)
from spaniel.strategies.merging.outcomes import Outcomes
from spaniel.strategies.scores import contains
from spaniel.strategies.store_requests import StrategyRun


def count_covered_characters(documents: Sequence[Document]) -> int:
    """Return the number of characters in documents of a text; overlaps count once.

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
    """Return the number of characters in a document, by its span in the root, else by its content.

    >>> count_characters(Document(content="abc")), count_characters(Document(meta={"__start": 10, "__end": 14}))
    (3, 4)
    """
    if START in document.meta and END in document.meta:
        return int(document.meta[END]) - int(document.meta[START])
    return len(document.content or "")


ShareMeasure = Literal["children", "text"]
"""The quantity that a share counts: the children of a parent, or its characters."""

SHARES: Mapping[ShareMeasure, Callable[[Document, Sequence[Document]], tuple[int, int]]] = {
    "children": lambda parent, children: (len(children), count_children(parent)),
    "text": lambda parent, children: (count_covered_characters(children), count_characters(parent)),
}
"""The function of each measure: it returns the hit part, and the whole."""


@dataclass(frozen=True)
class ParentLimits:
    """Further conditions for a parent: its length, its metadata, the scores of the hits in it.

    :param hits: all hits, so that the text of a merged child counts only as far as it was hit.
    :param min_score: hits with lower scores do not count.
    :param max_tokens: the maximum number of tokens of a parent, and `max_root_tokens`: of a root.
    :param filter: that a parent must match.
    """

    hits: Sequence[Document] = ()
    min_score: float | None = None
    max_tokens: float | None = None
    max_root_tokens: float | None = None
    length: Length = estimate_tokens
    filter: Filter | None = None

    def list_strong(self, parent: Document, children: Sequence[Document], measure: ShareMeasure) -> list[Document]:
        """Return the documents that count for a parent: its children, or for text the hits in it."""
        counted = [hit for hit in self.hits if contains(parent, hit)] if measure == "text" else children
        low = self.min_score
        return [each for each in counted if low is None or each.score is None or each.score >= low]

    def find_reason(self, parent: Document) -> str:
        """Return the condition that a parent fails; an empty string if it fails none."""
        if self.filter is not None and not matches(self.filter, parent):
            return "it does not match the filter"
        limit = self.max_tokens if parent.meta.get(PARENT) else self.max_root_tokens
        if limit is None:
            return ""
        tokens = self.length(parent.content or "")
        return f"it has {tokens:,} tokens, and may have {int(limit):,}" if tokens > limit else ""


@dataclass(frozen=True)
class ShareRule:
    """The condition for a parent to replace its children: a share above a threshold."""

    threshold: float
    measure: ShareMeasure = "children"
    min_children: int = 1
    level_thresholds: Mapping[int, float] = field(default_factory=dict)
    limits: ParentLimits | None = None

    def find_threshold(self, parent: Document) -> float:
        """Return the threshold of a parent."""
        return self.level_thresholds.get(get_level(parent), self.threshold) if self.level_thresholds else self.threshold

    def allows(self, parent: Document, children: Sequence[Document]) -> bool:
        """Return if a parent replaces these children."""
        count_children(parent)  # raises an error for none
        if self.limits is not None and self.limits.find_reason(parent):
            return False
        part, whole = SHARES[self.measure](parent, self._count(parent, children))
        return len(children) >= self.min_children and whole > 0 and part / whole > self.find_threshold(parent)

    def _count(self, parent: Document, children: Sequence[Document]) -> Sequence[Document]:
        return children if self.limits is None else self.limits.list_strong(parent, children, self.measure)

    def format_reason(self, parent: Document, children: Sequence[Document]) -> str:
        """Return the figures behind `allows`, unless the number of children is enough."""
        if len(children) < self.min_children:
            return f"min_children is {self.min_children}"
        if self.limits is not None and (reason := self.limits.find_reason(parent)):
            return reason
        if self.measure == "children":
            return ""
        part, whole = SHARES[self.measure](parent, self._count(parent, children))
        threshold = self.find_threshold(parent)
        share = part / whole if whole else 0.0
        sign = ">" if share > threshold else "<="
        return f"{part:,} of {whole:,} characters, {share:.2f} {sign} {threshold:g}"


def climb_by_share(
    hits: list[Document], ancestry: Ancestry, rule: ShareRule, outcomes: Outcomes, *, strict: bool
) -> StrategyRun[list[Document]]:
    """Return the hits with well-covered parents in place of their children, level by level."""
    level, kept = hits, list[Document]()
    done: set[tuple[str, frozenset[str]]] = set()
    while level:
        groups, roots = group_by_parent(level)
        kept += roots
        if not groups:
            break
        parents = yield from ancestry.fetch(groups)
        if level is hits:
            report_missing_parents([parent_id for parent_id in groups if parent_id not in parents], strict=strict)
        level = []
        for parent_id, children in groups.items():
            parent = parents.get(parent_id)
            if parent is None:
                outcomes.keep_without_parent(parent_id, children)
                kept += children
                continue
            threshold, why = rule.find_threshold(parent), partial(rule.format_reason, parent, children)
            if not rule.allows(parent, children):
                outcomes.keep_apart(parent, children, threshold=threshold, why=why)
                kept += children
            elif (merge := (parent_id, frozenset(child.id for child in children))) in done:
                kept += children  # the parents form a cycle
            else:
                done.add(merge)
                level.append(outcomes.merge(parent, children, threshold=threshold, why=why))
    return kept
