"""A context within a budget: which text stands for each hit, and which hits are left out.

Let each unit u (a hit, a window, a section, a document) hold the hits H(u). The choice maximises

    sum over chosen u of  worth[kind of u] * sum over h in H(u) of score(h)

such that the tokens of all chosen units sum to at most the budget, and no two of them share text. A hit counts in a unit only
if all its text is there. The choice is exact for usual sizes: see `knapsack`.
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Literal

from spaniel.dataclasses import Document
from spaniel.strategies.budgeting.knapsack import Interval, choose_intervals
from spaniel.strategies.budgeting.units import KIND_UTILITIES, ContextUnit, find_units
from spaniel.strategies.lengths import Length, estimate_tokens
from spaniel.strategies.scores import compute_utilities, deduplicate, drop_low_scores
from spaniel.strategies.store_requests import StrategyRun
from spaniel.strategies.windows.limits import WindowLimits
from spaniel.tracing import Recorder
from spaniel.tracing.events import BudgetSpent, Chosen, Dropped, GaveWay

BudgetOrder = Literal["score", "text"]
"""The order of a result: by score, or as in the text."""

ORDERS: Mapping[str, Callable[[int, int, int], tuple[int, ...]]] = {
    "score": lambda hit, _, __: (hit,),
    "text": lambda _, line, start: (line, start),
}
"""What the result is sorted by: the rank of a unit's best hit; or the rank of its root, which is that of its best hit, and
the place there."""


def context_budget(
    hits: Sequence[Document],
    *,
    budget: int,
    length: Length | None = None,
    worth: Mapping[str, float] | None = None,
    window_size: int = 1,
    bounded_by: Sequence[str] = (),
    overhead: int = 0,
    order: str = "score",
    min_score: float | None = None,
    record: Recorder | None = None,
) -> StrategyRun[tuple[list[Document], int]]:
    """Return the documents that bring the most score within a budget, and the tokens that they take.

    Asks once for the leaves of windows, and once for sections and documents.

    :param hits: nodes of hierarchies (``__root_id``, ``__start``, ``__end``); others can only stand for themselves. If one
        has no score above 0, the ranks count instead.
    :param budget: how many tokens there are.
    :param length: what counts tokens; by default a quarter of the bytes of a text.
    :param worth: what a score counts by kind of unit; a kind that is not named is not considered. Default: `KIND_UTILITIES`.
    :param window_size: how many leaves a window has before and after its hit.
    :param bounded_by: metadata fields; a window ends where one of them changes.
    :param overhead: how many tokens a document costs besides its text, such as for a heading in a prompt.
    :param order: a key of `ORDERS`.
    :param min_score: what a hit must score to be considered.
    """
    worth = KIND_UTILITIES if worth is None else worth
    count = length or estimate_tokens
    distinct = deduplicate(drop_low_scores(list(hits), min_score, record), record)
    candidates = yield from find_units(distinct, worth, WindowLimits(window_size, window_size, bounded_by))
    ranks = {hit.id: rank for rank, hit in enumerate(distinct)}
    lines: dict[Hashable, int] = {}
    for unit in sorted(candidates, key=lambda unit: min((ranks[hit.id] for hit in unit.hits), default=len(ranks))):
        lines.setdefault(unit.line, len(lines))
    scores = dict(zip(ranks, compute_utilities(distinct), strict=True))
    intervals = [
        Interval(
            lines[unit.line],
            unit.start,
            max(unit.end, unit.start + 1),
            count(unit.document.content or "") + overhead,
            worth[unit.kind] * math.fsum(scores[hit.id] for hit in unit.hits),
        )
        for unit in candidates
    ]
    chosen = choose_intervals(intervals, budget)
    chosen.sort(
        key=lambda at: ORDERS[order](
            min(ranks[hit.id] for hit in candidates[at].hits), intervals[at].line, intervals[at].start
        )
    )
    spent = sum(intervals[at].cost for at in chosen)
    if record is not None:
        _record(candidates, intervals, chosen, record)
        _record_rest(distinct, candidates, intervals, chosen, budget, record)
    return [candidates[at].document for at in chosen], spent


def _record(
    candidates: Sequence[ContextUnit], intervals: Sequence[Interval], chosen: Sequence[int], record: Recorder
) -> None:
    for at in chosen:
        unit, interval = candidates[at], intervals[at]
        ids = tuple(hit.id for hit in unit.hits)
        record(Chosen(unit.document.id, unit.kind, ids, interval.cost, interval.value))
        for id in ids:
            if id != unit.document.id:
                record(GaveWay(id, unit.document.id))


def _record_rest(
    hits: Sequence[Document],
    candidates: Sequence[ContextUnit],
    intervals: Sequence[Interval],
    chosen: Sequence[int],
    budget: int,
    record: Recorder,
) -> None:
    spent = sum(intervals[at].cost for at in chosen)
    covered = {hit.id for at in chosen for hit in candidates[at].hits}
    least: dict[str, int] = {}
    for unit, interval in zip(candidates, intervals, strict=True):
        for hit in unit.hits:
            least[hit.id] = min(interval.cost, least.get(hit.id, interval.cost))
    for hit in hits:
        if hit.id not in covered:
            needs = f"it needs {least[hit.id]:,} tokens" if hit.id in least else "nothing may stand for it"
            record(
                Dropped(
                    hit.id, f"over budget: {needs}, and {spent:,} of {budget:,} are spent for more score", "over_budget"
                )
            )
    record(BudgetSpent("", spent, budget, len(chosen)))
