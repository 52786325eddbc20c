"""Pieces of limited length, cut at the first separators that suffice, and their overlaps."""

import logging
import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from spaniel.components.preprocessors.tokens import TokenBounds
from spaniel.components.preprocessors.units import find_unit_bounds

logger = logging.getLogger(__name__)

SENTENCE = "sentence"
"""The separator that means the ends of sentences."""

_WORD = re.compile(r"[^ ]+")
_NON_WHITESPACE = re.compile(r"\S+")


class LengthUnit(NamedTuple):
    """Functions that count the units of a text, and cut it into pieces of that many units."""

    measure: Callable[[str], int]
    cut: Callable[[str, int], list[str]]


def _cut_at_words(text: str, length: int) -> list[str]:
    ends = [match.end() for match in _NON_WHITESPACE.finditer(text)]
    cuts = [0, *ends[length - 1 :: length]]
    if len(cuts) > 1 and len(ends) % length == 0:
        cuts[-1] = len(text)  # trailing whitespace is not a piece of its own
    else:
        cuts.append(len(text))
    return [text[start:end] for start, end in pairwise(cuts)]


WORDS = LengthUnit(lambda text: len(_WORD.findall(text)), _cut_at_words)
"""Words separated by spaces."""

CHARACTERS = LengthUnit(len, lambda text, length: [text[at : at + length] for at in range(0, len(text), length)])
"""Characters."""


def make_token_unit(token_bounds: TokenBounds) -> LengthUnit:
    """Return tokens as the unit."""

    def cut(text: str, length: int) -> list[str]:
        bounds = token_bounds(text)
        cuts = [*bounds[:-1:length], len(text)]
        return [text[start:end] for start, end in pairwise(cuts) if end > start]

    return LengthUnit(lambda text: len(token_bounds(text)) - 1, cut)


class RecursiveCutter:
    r"""Cuts texts at a list of separators.

    :param separators: tried in order; `SENTENCE` cuts at the ends of sentences.
    :param length: the maximum number of units per piece.
    :param unit: the unit.
    :param sentence_bounds: returns the offset of each sentence of a text, and its length.

    >>> cutter = RecursiveCutter(["\n", " "], 2, WORDS, lambda text: [])
    >>> cutter.cut("one two\nthree four five")
    ['one two\n', 'three four ', 'five']
    """

    def __init__(
        self,
        separators: Sequence[str],
        length: int,
        unit: LengthUnit,
        sentence_bounds: Callable[[str], Sequence[int]],
    ) -> None:
        self._separators = separators
        self._length = length
        self._unit = unit
        self._sentence_bounds = sentence_bounds

    def cut(self, text: str) -> list[str]:
        """Return the pieces of a text. Joined, they are the text."""
        return [text] if self._unit.measure(text) <= self._length else self._cut_long(text)

    def _cut_long(self, text: str) -> list[str]:
        for separator in self._separators:
            parts, rest = self._separate(text, separator)
            if len(parts) == 1:
                continue
            if pieces := list(self._pack(parts, is_last=separator == self._separators[-1])):
                pieces[-1] += rest
                return pieces
        return self._unit.cut(text, self._length)

    def _separate(self, text: str, separator: str) -> tuple[list[str], str]:
        """Return the parts of a text, and trailing whitespace, which does not count as length."""
        if separator != SENTENCE:
            bounds: Sequence[int] = find_unit_bounds(text, separator)
            parts = [text[start:end] for start, end in pairwise(bounds)]
            return (parts if parts[-1] else parts[:-1]), ""
        end = len(text.rstrip())
        bounds = self._sentence_bounds(text[:end])
        return [text[first:after] for first, after in pairwise(bounds)], text[end:]

    def _pack(self, parts: list[str], *, is_last: bool) -> Iterator[str]:
        packed: list[str] = []
        filled = 0
        for part in parts:
            length = self._unit.measure(part)
            if filled + length > self._length:
                if packed:
                    yield "".join(packed)
                packed, filled = [], 0
                if length > self._length:
                    yield from self._unit.cut(part, self._length) if is_last else self._cut_long(part)
                    continue
            packed.append(part)
            filled += length
        if packed:
            yield "".join(packed)


class _OverlapRun(NamedTuple):
    start: int
    end: int
    limit: int  # the end of the piece it was made for


def overlap_characters(pieces: Sequence[str], *, length: int, overlap: int) -> list[tuple[int, int]]:
    """Return the offsets, in the joined pieces, of runs of characters.

    A run begins with the last `overlap` characters of the previous run. A run that becomes too long
    is cut, and the rest moves to the next run.

    >>> overlap_characters(["abcd", "efgh"], length=4, overlap=1)
    [(0, 4), (3, 7), (6, 8)]
    """
    runs = _overlap_units(list(accumulate(map(len, pieces))), length, overlap)
    return [(run.start, run.end) for run in runs]


def overlap_words(pieces: Sequence[str], *, length: int, overlap: int) -> list[tuple[int, int]]:
    """Return the offsets, in the joined pieces, of runs of words; words are separated by spaces.

    >>> overlap_words(["a b ", "c d"], length=2, overlap=1)
    [(0, 4), (2, 5), (4, 7)]
    """
    word_starts, word_ends = array("q"), array("q")
    piece_starts: list[int] = []
    limits: list[int] = []  # the number of words up to the end of each piece
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
    spans = [
        (word_starts[run.start], piece_ends[run.limit] if run.end == run.limit else word_ends[run.end - 1])
        for run in _overlap_units(limits, length, overlap)
    ]
    return [(0, spans[0][1]), *spans[1:]]


def overlap_tokens(
    pieces: Sequence[str], *, length: int, overlap: int, token_bounds: TokenBounds
) -> list[tuple[int, int]]:
    """Return the offsets, in the joined pieces, of runs of tokens: those of each run's own text."""
    text = "".join(pieces)

    def find_first(start: int, end: int) -> int:
        bounds = token_bounds(text[start:end])
        return start + bounds[max(0, len(bounds) - 1 - overlap)]

    def find_end(start: int, before: int, limit: int) -> int:
        return _find_end_of_tokens(text, start, before, limit, length, token_bounds)

    runs = _overlap(list(accumulate(map(len, pieces))), find_first, find_end)
    return [(run.start, run.end) for run in runs]


def _find_end_of_tokens(text: str, start: int, before: int, limit: int, length: int, token_bounds: TokenBounds) -> int:
    """Return the end of the first tokens from `start`, after `before` and up to `limit`."""
    window = 16 * length + 64  # avoids reading the rest of a long text for its first tokens
    while True:
        end = min(limit, start + window)
        bounds = token_bounds(text[start:end])
        if end == limit and len(bounds) - 1 <= length:
            return limit
        moved = max(length, bisect_right(bounds, before - start))
        if end == limit or moved + 8 < len(bounds):  # a cut text may differ in its last tokens
            return start + bounds[min(moved, len(bounds) - 1)]
        window *= 4


def _overlap_units(limits: Sequence[int], length: int, overlap: int) -> Iterator[_OverlapRun]:
    return _overlap(
        limits, lambda start, end: max(start, end - overlap), lambda start, _, limit: min(start + length, limit)
    )


def _overlap(
    limits: Sequence[int], find_first: Callable[[int, int], int], find_end: Callable[[int, int, int], int]
) -> Iterator[_OverlapRun]:
    """Yield runs of units; only the last of the pieces, which end at `limits`, can have several."""
    start, end = 0, limits[0]
    yield _OverlapRun(start, end, end)
    for limit in limits[1:]:
        while True:
            first = find_first(start, end)
            if first == start:
                logger.warning(
                    "A chunk is no longer than split_overlap. Make split_length larger or split_overlap less."
                )
            start, end = first, find_end(first, end, limit)
            yield _OverlapRun(start, end, limit)
            if limit != limits[-1] or end >= limit:
                break
