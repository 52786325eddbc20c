"""Pieces of a text that are not longer than allowed, cut at the first separators that will do."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
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
