"""The stretch of a row of numbers with the largest sum, within a length."""

from collections import deque
from collections.abc import Sequence
from itertools import accumulate


def best_stretch(
    values: Sequence[int], lengths: Sequence[int], first: int, last: int, most: float
) -> tuple[int, int, int] | None:
    """Return the largest sum above 0 of values that follow each other, where they begin, and where they end.

    Of equal sums the one that ends first. Takes time in proportion to the number of values.

    :param values: of all chunks; whole numbers, so that equal sums are equal.
    :param lengths: of all chunks.
    :param first: where to look from.
    :param last: up to where, without it.
    :param most: what the lengths may add up to.

    >>> best_stretch([-1, 3, -1, 3, -5, 4], [1, 1, 1, 1, 1, 1], 0, 6, 9)
    (5, 1, 4)
    >>> best_stretch([-1, 3, -1, 3, -5, 4], [1, 1, 1, 1, 1, 1], 0, 6, 2)
    (4, 5, 6)
    """
    sums = list(accumulate(values[first:last], initial=0))
    ends = list(accumulate(lengths[first:last], initial=0))
    starts: deque[int] = deque()  # of rising sums: the first is the best start that is not too far away
    best: tuple[int, int, int] | None = None
    for end in range(1, len(sums)):
        while starts and sums[starts[-1]] > sums[end - 1]:
            starts.pop()
        starts.append(end - 1)
        while starts and ends[end] - ends[starts[0]] > most:
            starts.popleft()
        if starts and sums[end] - sums[starts[0]] > (best[0] if best else 0):
            best = sums[end] - sums[starts[0]], first + starts[0], first + end
    return best
