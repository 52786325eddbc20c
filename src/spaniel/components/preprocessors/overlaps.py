"""Runs of text that begin with the end of the run before, and are no longer than allowed."""

import logging
import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from spaniel.components.preprocessors.tokens import TokenBounds

logger = logging.getLogger(__name__)

_WORD = re.compile(r"[^ ]+")


class _Run(NamedTuple):
    start: int
    end: int
    limit: int  # the end of the piece that it was made for


def char_overlaps(pieces: Sequence[str], *, length: int, overlap: int) -> list[tuple[int, int]]:
    """Return where runs of characters begin and end in the joined pieces.

    A run begins with the last `overlap` characters of the one before. What grows too long is cut, and the rest goes on to
    the next run.

    >>> char_overlaps(["abcd", "efgh"], length=4, overlap=1)
    [(0, 4), (3, 7), (6, 8)]
    """
    ends = list(accumulate(map(len, pieces)))

    def first_of(start: int, end: int) -> int:
        return max(start, end - overlap)

    runs = _runs(ends, first_of, lambda start, _, limit: min(start + length, limit))
    return [(run.start, run.end) for run in runs]


def word_overlaps(pieces: Sequence[str], *, length: int, overlap: int) -> list[tuple[int, int]]:
    """Return where runs of words begin and end in the joined pieces.

    Words are what lies between spaces, within one piece. Pieces of spaces alone belong to the run before.

    >>> word_overlaps(["a b ", "c d"], length=2, overlap=1)
    [(0, 4), (2, 5), (4, 7)]
    """
    word_starts, word_ends = array("q"), array("q")
    piece_starts: list[int] = []
    limits: list[int] = []  # how many words there are at the end of each piece
    at = 0
    for piece in pieces:
        words = [match.span() for match in _WORD.finditer(piece)]
        if words:
            word_starts.extend(at + start for start, _ in words)
            word_ends.extend(at + end for _, end in words)
            limits.append(len(word_starts))
            piece_starts.append(at)
        at += len(piece)
    if not limits:
        return [(0, at)]
    piece_ends = dict(zip(limits, [*piece_starts[1:], at], strict=True))

    def first_of(start: int, end: int) -> int:
        return max(start, end - overlap)

    runs = _runs(limits, first_of, lambda start, _, limit: min(start + length, limit))
    spans = [
        (word_starts[run.start], piece_ends[run.limit] if run.end == run.limit else word_ends[run.end - 1])
        for run in runs
    ]
    return [(0, spans[0][1]), *spans[1:]]


def token_overlaps(
    pieces: Sequence[str], *, length: int, overlap: int, token_bounds: TokenBounds
) -> list[tuple[int, int]]:
    """Return where runs of tokens begin and end in the joined pieces. A run's tokens are those of its own text."""
    text = "".join(pieces)

    def first_of(start: int, end: int) -> int:
        bounds = token_bounds(text[start:end])
        return start + bounds[max(0, len(bounds) - 1 - overlap)]

    def end_of(start: int, before: int, limit: int) -> int:
        return _end_of_tokens(text, start, before, limit, length, token_bounds)

    runs = _runs(list(accumulate(map(len, pieces))), first_of, end_of)
    return [(run.start, run.end) for run in runs]


def _end_of_tokens(text: str, start: int, before: int, limit: int, length: int, token_bounds: TokenBounds) -> int:
    """Return where the first tokens from `start` end: after `before`, so that a run moves on, and not after `limit`."""
    window = 16 * length + 64  # to find the first tokens, the rest of a long text need not be read
    while True:
        end = min(limit, start + window)
        bounds = token_bounds(text[start:end])
        if end == limit and len(bounds) - 1 <= length:
            return limit
        moved = max(length, bisect_right(bounds, before - start))
        if end == limit or moved + 8 < len(bounds):  # a cut text may differ in its last tokens
            return start + bounds[min(moved, len(bounds) - 1)]
        window *= 4


def _runs(
    limits: Sequence[int], first_of: Callable[[int, int], int], end_of: Callable[[int, int, int], int]
) -> Iterator[_Run]:
    """Yield runs of units.

    :param limits: where the pieces end. Only the last one gives more than one run.
    :param first_of: takes a run, returns where the next one begins.
    :param end_of: takes where a run begins, where the one before ended and the limit; returns where it ends.
    """
    start, end = 0, limits[0]
    yield _Run(start, end, end)
    for limit in limits[1:]:
        while True:
            first = first_of(start, end)
            if first == start:
                logger.warning(
                    "A chunk is no longer than split_overlap. Make split_length larger or split_overlap less."
                )
            start, end = first, end_of(first, end, limit)
            yield _Run(start, end, limit)
            if limit != limits[-1] or end >= limit:
                break
