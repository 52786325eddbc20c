"""Units of a text (words, lines, pages, sentences, ...) and runs of units, in linear time."""

import re
from array import array
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

DELIMITERS = {"page": "\f", "passage": "\n\n", "period": ".", "word": " ", "line": "\n"}
"""The delimiter that ends a unit and belongs to it, so that all units joined are the text."""


class UnitRun(NamedTuple):
    """A run of units: its text is ``text[start:end]``, its first unit is number `unit`."""

    start: int
    end: int
    unit: int


def find_unit_bounds(text: str, delimiter: str) -> "array[int]":
    """Return the offset of each unit, and the length of the text; the last unit may be empty.

    >>> list(find_unit_bounds("one two ", " "))
    [0, 4, 8, 8]
    """
    bounds = array("q", [0])
    bounds.extend(match.end() for match in re.finditer(re.escape(delimiter), text))
    bounds.append(len(text))
    return bounds


def group_units(bounds: Sequence[int], *, length: int, overlap: int, threshold: int, keep_empty: bool) -> list[UnitRun]:
    """Return runs of units that cover a text; one of fewer than `threshold` joins the previous run.

    >>> bounds = find_unit_bounds("a b c d e", " ")
    >>> [(run.start, run.end) for run in group_units(bounds, length=2, overlap=0, threshold=2, keep_empty=False)]
    [(0, 4), (4, 9)]
    """
    num_units = len(bounds) - 1
    runs: list[UnitRun] = []
    for first in range(0, num_units, length - overlap):
        last = min(first + length, num_units)
        start, end = bounds[first], bounds[last]
        if runs and overlap and end == runs[-1].end:  # the previous run contains it
            continue
        if runs and last - first < threshold:
            runs[-1] = runs[-1]._replace(end=end)
        elif end > start or keep_empty:
            runs.append(UnitRun(start, end, first))
    return runs


def pack_sentences(text: str, bounds: Sequence[int], *, length: int, overlap: int) -> list[tuple[int, int]]:
    """Return runs of whole sentences of at most `length` words, except sentences that are too long.

    >>> pack_sentences("A b. C d. E f.", [0, 5, 10, 14], length=4, overlap=0)
    [(0, 10), (10, 14)]
    """
    words = [len(text[start:end].split()) for start, end in pairwise(bounds)]
    runs: list[tuple[int, int]] = []
    first = num_words = 0
    for sentence, count in enumerate(words):
        num_words += count
        last = sentence + 1 == len(words)
        if last or num_words + words[sentence + 1] > length:
            runs.append((bounds[first], bounds[sentence + 1]))
            first = sentence + 1 - _count_shared(words, first, sentence, length, overlap)
            num_words = sum(words[first : sentence + 1])
    return runs


def _count_shared(words: Sequence[int], first: int, last: int, length: int, overlap: int) -> int:
    """Count the sentences after `first`, up to `last`, that the next run shares."""
    shared = num_words = 0
    while overlap and last - shared > first and num_words <= overlap:
        num_words += words[last - shared]
        if num_words > length:
            break
        shared += 1
    return shared
