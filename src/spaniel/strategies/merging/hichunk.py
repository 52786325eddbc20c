"""The rule of HiChunk: hits are taken best first, and a parent takes over while there is budget for it.

Let T be the budget in tokens and t what was taken so far. A parent p replaces its children when

- at least two of them are taken,
- these hold at least ``len(p) / 3 * (1 + t / T)`` characters: a third of the parent at first, two thirds in the end,
- the parent fits: what is taken, with the parent in place of its parts, is at most T.

Source: W. Lu, K. Chen, R. Qiao, X. Sun, *HiChunk: Evaluating and Enhancing Retrieval-Augmented Generation with
Hierarchical Chunking*, arXiv 2509.11552, the Auto-Merge retrieval; the figures are those of its published program: there t is
what was taken before the hit, and the tokens of the parts are free again when the parent replaces them. Two things differ. What
the budget can't take is not cut off here: such hits stay as they are. A hit that is its parent's only child stays the hit.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import PARENT
from spaniel.strategies.lengths import Length
from spaniel.strategies.merging.ancestry import Ancestry, count_children, group_by_parent, report_missing_parents
from spaniel.strategies.merging.outcomes import ParentScoring, kept_apart, merged, without_parent
from spaniel.strategies.merging.share import count_characters, count_covered_characters
from spaniel.strategies.scores import sort_if_scored
from spaniel.strategies.store_requests import StrategyRun
from spaniel.tracing import Recorder

_LEAST_CHILDREN = 2


@dataclass(frozen=True)
class TokenBudget:
    """What a context may cost.

    :param tokens: how much.
    :param count: how many tokens a text has.
    """

    tokens: int
    count: Length


def climb_by_budget(
    hits: list[Document],
    ancestry: Ancestry,
    budget: TokenBudget,
    scoring: ParentScoring,
    *,
    strict: bool,
    record: Recorder | None,
) -> StrategyRun[list[Document]]:
    """Return the hits, those of parents that the budget has room for replaced by them."""
    parents, candidates = yield from _parents(hits, ancestry, budget, strict=strict, record=record)
    wholes = ancestry.above.intersection(hit.id for hit in hits)
    context = _Context(parents, candidates, wholes, ancestry, budget, scoring, record)
    ranked = sort_if_scored(hits)
    for place, hit in enumerate(ranked):
        if context.used >= budget.tokens:
            return context.documents(rest=ranked[place:])
        context.take(hit)
    return context.documents(rest=())


def _parents(
    hits: Sequence[Document], ancestry: Ancestry, budget: TokenBudget, *, strict: bool, record: Recorder | None
) -> StrategyRun[tuple[dict[str, Document], set[str]]]:
    """Return the parents of hits and of candidates, and the ids of the candidates: parents that may come to take over."""
    found: dict[str, Document] = {}
    candidates: set[str] = set()
    below: dict[str, int] = {}
    known = {hit.id for hit in hits}
    level: Sequence[Document] = hits
    while groups := group_by_parent(level)[0]:
        fetched = yield from ancestry.fetch(parent_id for parent_id in groups if parent_id not in found)
        missing = [parent_id for parent_id in groups if parent_id not in fetched and parent_id not in found]
        if level is hits:
            report_missing_parents(missing, strict=strict)
        for parent_id in missing:
            without_parent(parent_id, groups.pop(parent_id), record)
        level = []
        for parent_id, children in groups.items():
            parent = found.get(parent_id) or fetched[parent_id]
            found[parent_id] = parent
            before = below.get(parent_id, 0)
            below[parent_id] = before + len(children)
            if before == 0:
                count_children(parent)
            if before < _LEAST_CHILDREN <= below[parent_id]:
                candidates.add(parent_id)
                if parent_id not in known and budget.count(parent.content or "") <= budget.tokens:
                    level.append(parent)
    return found, candidates


@dataclass
class _CoveredTotals:
    """What was taken of a parent: its children, their characters, and the tokens of all that stands in it."""

    children: int = 0
    characters: int = 0
    tokens: int = 0


@dataclass(frozen=True)
class _RuleDecision:
    """What the rule says of a parent. `covered` may count characters twice that children share."""

    threshold: float
    covered: int
    whole: int
    needed: int
    room: int

    @property
    def fits(self) -> bool:
        return self.needed <= self.room

    def __str__(self) -> str:
        figures = f"{self.covered:,} of {self.whole:,} characters, {self.threshold:.2f} needed"
        return figures if self.fits else f"{figures}; it would make {self.needed:,} of {self.room:,} tokens"


@dataclass
class _Context:
    """What was taken, and which parents may replace parts of it."""

    parents: Mapping[str, Document]
    candidates: Container[str]  # the parents that may come to take over
    wholes: Container[str]  # the hits in which other hits may stand
    ancestry: Ancestry
    budget: TokenBudget
    scoring: ParentScoring
    record: Recorder | None
    used: int = 0
    _taken: dict[str, tuple[int, Document]] = field(default_factory=dict)
    _whole: set[str] = field(default_factory=set)
    _inside: dict[str, dict[str, Document]] = field(default_factory=dict)
    _sums: dict[str, _CoveredTotals] = field(default_factory=dict)
    _costs: dict[str, int] = field(default_factory=dict)
    _refused: dict[str, _RuleDecision] = field(default_factory=dict)
    _look_again: dict[str, float] = field(default_factory=dict)
    _covered: list[Document] = field(default_factory=list)

    def take(self, hit: Document) -> None:
        """Add a hit, and let its ancestors take over, one after the other, while they may."""
        if self._whole and (hit.id in self._taken or self.ancestry.outermost(hit.id, self._whole) is not None):
            self._covered.append(hit)  # its text is there
            return
        before = self.used
        parts = self._parts(hit.id) if hit.id in self.wholes else []
        self._covered += parts
        self._replace(parts, hit)
        node = hit
        while (parent := self.parents.get(node.meta.get(PARENT) or "")) is not None and parent.id in self._sums:
            if self._sums[parent.id].children < _LEAST_CHILDREN:
                return
            verdict = self._verdict(parent, before)
            if not self._allows(parent, verdict):
                self._refused[parent.id] = verdict
                return
            parts = self._parts(parent.id)
            node = merged(
                parent, parts, self.scoring, self.record, threshold=verdict.threshold, why=partial(str, verdict)
            )
            self._replace(parts, node)
            before = self.used

    def _verdict(self, parent: Document, before: int) -> _RuleDecision:
        sums = self._sums.get(parent.id, _CoveredTotals())
        threshold = (1 + min(before / self.budget.tokens, 1)) / 3
        needed = self.used - sums.tokens + self._cost(parent)
        return _RuleDecision(threshold, sums.characters, count_characters(parent), needed, self.budget.tokens)

    def _allows(self, parent: Document, verdict: _RuleDecision) -> bool:
        least = verdict.threshold * verdict.whole
        if least <= 0 or not verdict.fits or verdict.covered < max(least, self._look_again.get(parent.id, 0)):
            return False
        children = [part for part in self._parts(parent.id) if part.meta.get(PARENT) == parent.id]
        covered = count_covered_characters(children)
        # Where children overlap, to look at all of them for each new one would take the square of their number.
        self._look_again[parent.id] = verdict.covered + least - covered
        return covered >= least

    def _parts(self, id: str) -> list[Document]:
        return list(self._inside.get(id, {}).values())

    def _cost(self, document: Document) -> int:
        if document.id not in self._costs:
            self._costs[document.id] = self.budget.count(document.content or "")
        return self._costs[document.id]

    def _replace(self, parts: Sequence[Document], document: Document) -> None:
        place = min(self._taken[part.id][0] for part in parts) if parts else len(self._costs)
        for part in parts:
            del self._taken[part.id]
            self._whole.discard(part.id)
            self._count(part, -1)
        self._taken[document.id] = place, document
        if document.id in self.candidates or document.id in self.wholes:
            self._whole.add(document.id)
        self._count(document, 1)

    def _count(self, document: Document, sign: int) -> None:
        """Add a document to what was taken, or, with the sign -1, take it away."""
        cost = sign * self._cost(document)
        self.used += cost
        for ancestor in self.ancestry.of(document.id):
            if ancestor not in self.candidates and ancestor not in self.wholes:
                continue
            sums = self._sums.get(ancestor) or self._sums.setdefault(ancestor, _CoveredTotals())
            sums.tokens += cost
            if document.meta.get(PARENT) == ancestor:
                sums.children += sign
                sums.characters += sign * count_characters(document)
            if sign > 0:
                self._inside.setdefault(ancestor, {})[document.id] = document
            else:
                del self._inside[ancestor][document.id]

    def documents(self, rest: Sequence[Document]) -> list[Document]:
        """Return what was taken, and the hits that the budget had no room for."""
        kept = [document for _, document in sorted(self._taken.values(), key=lambda item: item[0])]
        if self.record is not None:
            for parent_id, children in group_by_parent([*kept, *rest])[0].items():
                if (parent := self.parents.get(parent_id)) is not None:
                    verdict = self._refused.get(parent_id) or self._verdict(parent, self.used)
                    alone = "a child alone" if len(children) < _LEAST_CHILDREN else str(verdict)
                    kept_apart(parent, children, self.record, threshold=verdict.threshold, why=partial(str, alone))
        return [*kept, *self._covered, *rest]
