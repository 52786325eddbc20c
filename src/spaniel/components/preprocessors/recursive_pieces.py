"""Pieces of a text that are not longer than allowed, cut at the first separators that will do."""

import logging
import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from spaniel.components.preprocessors.tokens import TokenBounds
from spaniel.components.preprocessors.units import unit_bounds

SENTENCE = "sentence"
"""The separator that stands for the ends of sentences."""

_WORD = re.compile(r"[^ ]+")
_SOLID = re.compile(r"\S+")


class Measure(NamedTuple):
    """A unit of length.

    :param length: how many units a text has.
    :param cut: the pieces of a text of so many units each, whatever is in it.
    """

    length: Callable[[str], int]
    cut: Callable[[str, int], list[str]]


def word_measure() -> Measure:
    """Return words as the unit: whatever lies between spaces.

    >>> word_measure().length("one  two"), word_measure().cut("a b c ", 2)
    (2, ['a b', ' c '])
    """
    return Measure(lambda text: len(_WORD.findall(text)), _cut_at_words)


def char_measure() -> Measure:
    """Return characters as the unit."""
    return Measure(len, lambda text, length: [text[at : at + length] for at in range(0, len(text), length)])


def token_measure(token_bounds: TokenBounds) -> Measure:
    """Return tokens as the unit."""

    def cut(text: str, length: int) -> list[str]:
        bounds = token_bounds(text)
        cuts = [*bounds[:-1:length], len(text)]
        return [text[start:end] for start, end in pairwise(cuts) if end > start]

    return Measure(lambda text: len(token_bounds(text)) - 1, cut)


def _cut_at_words(text: str, length: int) -> list[str]:
    ends = [match.end() for match in _SOLID.finditer(text)]
    cuts = [0, *ends[length - 1 :: length]]
    if len(cuts) > 1 and len(ends) % length == 0:
        cuts[-1] = len(text)  # the white space at the end is no piece of its own
    else:
        cuts.append(len(text))
    return [text[start:end] for start, end in pairwise(cuts)]


class RecursivePieces:
    r"""Cuts texts at a list of separators.

    :param separators: tried one after the other; `SENTENCE` cuts where sentences end.
    :param length: units a piece.
    :param measure: the unit.
    :param sentence_bounds: returns where the sentences of a text begin, and after them its length.

    >>> pieces = RecursivePieces(["\n", " "], 2, word_measure(), lambda text: [])
    >>> pieces("one two\nthree four five")
    ['one two\n', 'three four ', 'five']
    """

    def __init__(
        self,
        separators: Sequence[str],
        length: int,
        measure: Measure,
        sentence_bounds: Callable[[str], Sequence[int]],
    ) -> None:
        self._separators = separators
        self._length = length
        self._measure = measure
        self._sentence_bounds = sentence_bounds

    def __call__(self, text: str) -> list[str]:
        """Return the pieces of a text. Joined, they are the text."""
        return [text] if self._measure.length(text) <= self._length else self._cut(text)

    def _cut(self, text: str) -> list[str]:
        for separator in self._separators:
            parts, rest = self._parts(text, separator)
            if len(parts) == 1:
                continue
            if pieces := list(self._packed(parts, last=separator == self._separators[-1])):
                pieces[-1] += rest
                return pieces
        return self._measure.cut(text, self._length)

    def _parts(self, text: str, separator: str) -> tuple[list[str], str]:
        """Return the parts of a text, and the white space after the last sentence, which counts for no length."""
        if separator != SENTENCE:
            bounds: Sequence[int] = unit_bounds(text, separator)
            parts = [text[start:end] for start, end in pairwise(bounds)]
            return (parts if parts[-1] else parts[:-1]), ""
        end = len(text.rstrip())
        bounds = self._sentence_bounds(text[:end])
        return [text[first:after] for first, after in pairwise(bounds)], text[end:]

    def _packed(self, parts: list[str], *, last: bool) -> Iterator[str]:
        held: list[str] = []
        filled = 0
        for part in parts:
            length = self._measure.length(part)
            if filled + length > self._length:
                if held:
                    yield "".join(held)
                held, filled = [], 0
                if length > self._length:
                    yield from self._measure.cut(part, self._length) if last else self._cut(part)
                    continue
            held.append(part)
            filled += length
        if held:
            yield "".join(held)


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
