"""The rule of HiChunk: hits are taken best first, and parents replace them while the budget allows.

Let T be the budget in tokens and t the tokens taken so far. A parent p replaces its children if

- at least two of them are taken,
- these have at least ``len(p) / 3 * (1 + t / T)`` characters: a third of the parent at first, two
  thirds in the end,
- the parent fits: the tokens taken, with the parent in place of its parts, are at most T.

Source: W. Lu, K. Chen, R. Qiao, X. Sun, *HiChunk: Evaluating and Enhancing Retrieval-Augmented
Generation with Hierarchical Chunking*, arXiv 2509.11552, the Auto-Merge retrieval. The details are
those of its published program: t is taken before the hit is added, and the tokens of the parts are
free again once the parent replaces them. There are two differences: hits over the budget are kept
instead of cut off, and a hit that is its parent's only child is never replaced.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import PARENT
from spaniel.strategies.lengths import Length
from spaniel.strategies.merging.ancestry import Ancestry, count_children, group_by_parent, report_missing_parents
from spaniel.strategies.merging.outcomes import Outcomes
from spaniel.strategies.merging.share import count_characters, count_covered_characters
from spaniel.strategies.scores import sort_if_scored
from spaniel.strategies.store_requests import StrategyRun

_MIN_CHILDREN = 2


def climb_by_budget(
    hits: list[Document], ancestry: Ancestry, budget: int, length: Length, outcomes: Outcomes, *, strict: bool
) -> StrategyRun[list[Document]]:
    """Return the hits with parents that fit the budget of tokens in place of their children."""
    context = _Context(ancestry, budget, length, outcomes)
    yield from context.fetch_parents(hits, strict=strict)
    ranked = sort_if_scored(hits)
    for rank, hit in enumerate(ranked):
        if context.used >= budget:
            return context.finish(rest=ranked[rank:])
        context.add(hit)
    return context.finish(rest=())


@dataclass
class _Totals:  # the taken part of a parent
    children: int = 0
    characters: int = 0  # of the children
    tokens: int = 0  # of all descendants


@dataclass(frozen=True)
class _Decision:  # the figures of the rule for a parent
    threshold: float
    covered: int  # counts shared characters repeatedly
    whole: int
    needed: int
    budget: int

    @property
    def fits(self) -> bool:
        return self.needed <= self.budget

    def __str__(self) -> str:
        figures = f"{self.covered:,} of {self.whole:,} characters, {self.threshold:.2f} needed"
        return figures if self.fits else f"{figures}; it would make {self.needed:,} of {self.budget:,} tokens"


@dataclass
class _Context:
    ancestry: Ancestry
    budget: int
    length: Length
    outcomes: Outcomes
    used: int = 0
    _parents: dict[str, Document] = field(default_factory=dict)
    _candidates: set[str] = field(default_factory=set)  # the parents that may replace their children
    _nodes: set[str] = field(default_factory=set)  # the hits that may contain other hits
    _taken: dict[str, tuple[int, Document]] = field(default_factory=dict)
    _taken_nodes: set[str] = field(default_factory=set)
    _descendants: dict[str, dict[str, Document]] = field(default_factory=dict)
    _totals: dict[str, _Totals] = field(default_factory=dict)
    _costs: dict[str, int] = field(default_factory=dict)
    _refused: dict[str, _Decision] = field(default_factory=dict)
    _recount_at: dict[str, float] = field(default_factory=dict)
    _nested: list[Document] = field(default_factory=list)

    def fetch_parents(self, hits: Sequence[Document], *, strict: bool) -> StrategyRun[None]:
        """Fetch the parents of hits, and of parents that may replace their children."""
        num_children: Counter[str] = Counter()
        hit_ids = {hit.id for hit in hits}
        level: Sequence[Document] = hits
        while groups := group_by_parent(level)[0]:
            fetched = yield from self.ancestry.fetch(id for id in groups if id not in self._parents)
            missing = [id for id in groups if id not in fetched and id not in self._parents]
            if level is hits:
                report_missing_parents(missing, strict=strict)
            for id in missing:
                self.outcomes.keep_without_parent(id, groups.pop(id))
            level = []
            for id, children in groups.items():
                parent = self._parents[id] = self._parents.get(id) or fetched[id]
                before = num_children[id]
                num_children[id] += len(children)
                if before == 0:
                    count_children(parent)  # raises an error for none
                if before < _MIN_CHILDREN <= num_children[id]:
                    self._candidates.add(id)
                    if id not in hit_ids and self.length(parent.content or "") <= self.budget:
                        level.append(parent)
        self._nodes = self.ancestry.parent_ids & hit_ids

    def add(self, hit: Document) -> None:
        """Take a hit, then replace by its parent, and so on, while the rule allows."""
        if self._taken_nodes and (
            hit.id in self._taken or self.ancestry.find_outermost(hit.id, self._taken_nodes) is not None
        ):
            self._nested.append(hit)
            return
        before = self.used
        parts = self._list_descendants(hit.id) if hit.id in self._nodes else []
        self._nested += parts
        self._replace(parts, hit)
        node = hit
        while (parent := self._parents.get(node.meta.get(PARENT) or "")) is not None and parent.id in self._totals:
            if self._totals[parent.id].children < _MIN_CHILDREN:
                return
            decision = self._decide(parent, before)
            if not self._allows(parent, decision):
                self._refused[parent.id] = decision
                return
            parts = self._list_descendants(parent.id)
            why = partial(str, decision)
            node = self.outcomes.merge(parent, parts, threshold=decision.threshold, why=why)
            self._replace(parts, node)
            before = self.used

    def _decide(self, parent: Document, before: int) -> _Decision:
        totals = self._totals.get(parent.id, _Totals())
        threshold = (1 + min(before / self.budget, 1)) / 3
        needed = self.used - totals.tokens + self._cost(parent)
        return _Decision(threshold, totals.characters, count_characters(parent), needed, self.budget)

    def _allows(self, parent: Document, decision: _Decision) -> bool:
        needed = decision.threshold * decision.whole
        if needed <= 0 or not decision.fits or decision.covered < max(needed, self._recount_at.get(parent.id, 0)):
            return False
        children = [part for part in self._list_descendants(parent.id) if part.meta.get(PARENT) == parent.id]
        covered = count_covered_characters(children)
        # To recount overlapping children for each new child would take quadratic time.
        self._recount_at[parent.id] = decision.covered + needed - covered
        return covered >= needed

    def _list_descendants(self, id: str) -> list[Document]:
        return list(self._descendants.get(id, {}).values())

    def _cost(self, document: Document) -> int:
        if document.id not in self._costs:
            self._costs[document.id] = self.length(document.content or "")
        return self._costs[document.id]

    def _replace(self, parts: Sequence[Document], document: Document) -> None:
        position = min(self._taken[part.id][0] for part in parts) if parts else len(self._costs)
        for part in parts:
            del self._taken[part.id]
            self._taken_nodes.discard(part.id)
            self._count(part, -1)
        self._taken[document.id] = position, document
        if document.id in self._candidates or document.id in self._nodes:
            self._taken_nodes.add(document.id)
        self._count(document, 1)

    def _count(self, document: Document, sign: int) -> None:
        """Add a document to the totals, or subtract it with the sign -1."""
        cost = sign * self._cost(document)
        self.used += cost
        for ancestor in self.ancestry.list_ancestors(document.id):
            if ancestor not in self._candidates and ancestor not in self._nodes:
                continue
            totals = self._totals.get(ancestor) or self._totals.setdefault(ancestor, _Totals())
            totals.tokens += cost
            if document.meta.get(PARENT) == ancestor:
                totals.children += sign
                totals.characters += sign * count_characters(document)
            if sign > 0:
                self._descendants.setdefault(ancestor, {})[document.id] = document
            else:
                del self._descendants[ancestor][document.id]

    def finish(self, rest: Sequence[Document]) -> list[Document]:
        """Return the documents taken, those nested in them, and the hits over the budget."""
        kept = [document for _, document in sorted(self._taken.values(), key=lambda item: item[0])]
        if self.outcomes.record is not None:
            for parent_id, children in group_by_parent([*kept, *rest])[0].items():
                if (parent := self._parents.get(parent_id)) is not None:
                    decision = self._refused.get(parent_id) or self._decide(parent, self.used)
                    reason = "a child alone" if len(children) < _MIN_CHILDREN else str(decision)
                    why = partial(str, reason)
                    self.outcomes.keep_apart(parent, children, threshold=decision.threshold, why=why)
        return [*kept, *self._nested, *rest]
