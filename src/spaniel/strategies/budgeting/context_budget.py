"""Fit a context to a budget: the text that represents each hit, and the hits to leave out.

Let each unit u (a hit, a window, a section, a document) contain the hits H(u). The choice maximises

    sum over chosen u of  utility[kind of u] * sum over h in H(u) of score(h)

such that the tokens of the chosen units are within the budget, and no two of them share text. A
unit contains a hit only with all of its text. The choice is exact for usual sizes: see `knapsack`.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Literal

from spaniel.dataclasses import Document
from spaniel.json_types import Filters
from spaniel.strategies.budgeting.knapsack import Interval, choose_intervals
from spaniel.strategies.budgeting.units import KIND_UTILITIES, ContextUnit, UnitKind, find_units
from spaniel.strategies.lengths import Length, estimate_tokens
from spaniel.strategies.scores import compute_utilities, deduplicate, drop_low_scores
from spaniel.strategies.store_requests import StrategyRun
from spaniel.strategies.windows.limits import WindowLimits
from spaniel.tracing import Recorder
from spaniel.tracing.events import BudgetSpent, Chosen, Dropped, GaveWay

BudgetOrder = Literal["score", "text"]
"""The order of a result: by the best hits of units, or of roots and then by position in them."""


UtilityMeasure = Literal["score", "rank"]
"""The value of a hit: its score, or 1 / rank, which falls faster than the scores of BM25."""


def context_budget(
    hits: Sequence[Document],
    *,
    budget: int,
    length: Length | None = None,
    worth: Mapping[UnitKind, float] | None = None,
    window_size: int = 1,
    bounded_by: Sequence[str] = (),
    overhead: int = 0,
    order: BudgetOrder = "score",
    min_score: float | None = None,
    utility: UtilityMeasure = "score",
    filters: Filters | None = None,
    record: Recorder | None = None,
) -> StrategyRun[tuple[list[Document], int]]:
    """Return the documents with the most score within a budget, and the number of their tokens.

    Makes a request for the leaves of windows, and another for sections and documents.
    docs/budget.md describes the parameters; `worth` is the utility of a score by kind of unit,
    `filters` a filter that windows, sections and documents must match.
    """
    utilities = KIND_UTILITIES if worth is None else worth
    count = length or estimate_tokens
    distinct = deduplicate(drop_low_scores(list(hits), min_score, record), record)
    candidates = yield from find_units(distinct, utilities, WindowLimits(window_size, window_size, bounded_by), filters)
    ranks = {hit.id: rank for rank, hit in enumerate(distinct)}
    best_ranks = [min((ranks[hit.id] for hit in unit.hits), default=len(ranks)) for unit in candidates]
    lines: dict[Hashable, int] = {}
    for at in sorted(range(len(candidates)), key=best_ranks.__getitem__):
        lines.setdefault(candidates[at].line, len(lines))
    by_rank = [1 / (rank + 1) for rank in range(len(distinct))]
    scores = dict(zip(ranks, by_rank if utility == "rank" else compute_utilities(distinct), strict=True))
    intervals = []
    for unit in candidates:
        cost = count(unit.document.content or "") + overhead
        value = utilities[unit.kind] * math.fsum(scores[hit.id] for hit in unit.hits)
        intervals.append(Interval(lines[unit.line], unit.start, max(unit.end, unit.start + 1), cost, value))
    chosen = choose_intervals(intervals, budget)
    if order == "score":
        chosen.sort(key=best_ranks.__getitem__)
    else:
        chosen.sort(key=lambda at: (intervals[at].line, intervals[at].start))
    spent = sum(intervals[at].cost for at in chosen)
    if record is not None:
        _record_choice(distinct, list(zip(candidates, intervals, strict=True)), chosen, budget, record)
    return [candidates[at].document for at in chosen], spent


def _record_choice(
    hits: Sequence[Document],
    candidates: Sequence[tuple[ContextUnit, Interval]],
    chosen: Sequence[int],
    budget: int,
    record: Recorder,
) -> None:
    for unit, interval in (candidates[at] for at in chosen):
        ids = tuple(hit.id for hit in unit.hits)
        record(Chosen(unit.document.id, unit.kind, ids, interval.cost, interval.value))
        for id in ids:
            if id != unit.document.id:
                record(GaveWay(id, unit.document.id))

    spent = sum(candidates[at][1].cost for at in chosen)
    covered = {hit.id for at in chosen for hit in candidates[at][0].hits}
    min_costs: dict[str, int] = {}
    for unit, interval in candidates:
        for hit in unit.hits:
            min_costs[hit.id] = min(interval.cost, min_costs.get(hit.id, interval.cost))
    for hit in hits:
        if hit.id not in covered:
            needs = f"it needs {min_costs[hit.id]:,} tokens" if hit.id in min_costs else "no unit may represent it"
            reason = f"over budget: {needs}, and {spent:,} of {budget:,} are spent for more score"
            record(Dropped(hit.id, reason, "over_budget"))
    record(BudgetSpent("", spent, budget, len(chosen)))
