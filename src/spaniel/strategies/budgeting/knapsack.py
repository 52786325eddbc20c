"""Choose intervals: the most value within a capacity, without overlaps.

Weighted interval scheduling with a capacity, for intervals sorted by line and end:

    best(k, room) = max(best(k - 1, room), value(k) + best(before(k), room - cost(k)))

where ``before(k)`` counts the intervals that end at or before the start of k. (J. Kleinberg,
É. Tardos, *Algorithm Design*, 2005, sections 6.1 and 6.4.)

That is exact up to `MAX_CELLS`, such as ten thousand tokens for 400 intervals. For more, costs are
rounded up to a step: the choice is at least as good as the best of n intervals with costs of at
most ``capacity - n * step``. The remaining room is filled by value per cost.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

MAX_CELLS = 4_000_000


@dataclass(frozen=True)
class Interval:
    """A candidate from `start` to before `end`; intervals of different lines never overlap."""

    line: int
    start: int
    end: int
    cost: int
    value: float


def choose_intervals(intervals: Sequence[Interval], capacity: int, *, max_cells: int = MAX_CELLS) -> list[int]:
    """Return the indexes of the intervals with the most value, by line and position.

    Of choices with equal values, returns a cheapest. `max_cells` bounds the size of the table.

    >>> section, first, second = Interval(0, 0, 10, 9, 2.5), Interval(0, 0, 5, 4, 1.0), Interval(0, 5, 9, 4, 1.0)
    >>> choose_intervals([section, first, second], 9), choose_intervals([section, first, second], 8)
    ([0], [1, 2])
    """
    possible = [at for at, each in enumerate(intervals) if each.cost <= capacity and each.value > 0]
    order = sorted(possible, key=lambda at: (intervals[at].line, intervals[at].end, intervals[at].start, at))
    if not order:
        return []
    step = max(1, -(-((capacity + 1) * (len(order) + 1)) // max_cells))
    chosen = _choose(intervals, order, capacity // step, step)
    return chosen if step == 1 else _fill(intervals, order, chosen, capacity)


def _fill(intervals: Sequence[Interval], order: Sequence[int], chosen: Sequence[int], capacity: int) -> list[int]:
    room = capacity - sum(intervals[at].cost for at in chosen)
    lines: dict[int, list[Interval]] = {}
    for at in chosen:
        lines.setdefault(intervals[at].line, []).append(intervals[at])
    taken = set(chosen)
    for at in sorted(order, key=lambda at: intervals[at].value / max(intervals[at].cost, 1), reverse=True):
        each = intervals[at]
        beside = lines.setdefault(each.line, [])
        if each.cost <= room and all(each.end <= other.start or other.end <= each.start for other in beside):
            beside.append(each)
            taken.add(at)
            room -= each.cost
    return [at for at in order if at in taken]


def _choose(intervals: Sequence[Interval], order: Sequence[int], capacity: int, step: int) -> list[int]:
    import numpy as np

    ordered = [intervals[at] for at in order]
    ends = [each.end for each in ordered]
    first_of_line: dict[int, int] = {}
    for at, each in enumerate(ordered):
        first_of_line.setdefault(each.line, at)
    before = [bisect_right(ends, each.start, first_of_line[each.line], at) for at, each in enumerate(ordered)]
    best = np.zeros((len(order) + 1, capacity + 1))
    costs = [-(-each.cost // step) for each in ordered]
    for row, (each, cost, previous) in enumerate(zip(ordered, costs, before, strict=True), 1):
        best[row] = best[row - 1]
        if cost <= capacity:
            added = best[previous, : capacity + 1 - cost] + each.value
            np.maximum(best[row, cost:], added, out=best[row, cost:])
    row, room = len(order), int(np.argmax(best[-1]))
    chosen = []
    while row:
        if best[row, room] == best[row - 1, room]:
            row -= 1
            continue
        chosen.append(order[row - 1])
        room -= costs[row - 1]
        row = before[row - 1]
    return chosen[::-1]
