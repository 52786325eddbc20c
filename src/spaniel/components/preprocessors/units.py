"""The units of a text (words, lines, pages, ...), and the runs of them that make chunks. All of it takes linear time."""

import re
from array import array
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

DELIMITERS = {"page": "\f", "passage": "\n\n", "period": ".", "word": " ", "line": "\n"}
"""What ends a unit. It belongs to the unit that it ends, so units joined are the text."""


class Span(NamedTuple):
    """A run of units: ``text[start:end]``, and which unit it begins with."""

    start: int
    end: int
    unit: int


def unit_bounds(text: str, delimiter: str) -> "array[int]":
    """Return where each unit of a text begins, and after them the length of the text.

    A text that ends with its delimiter has an empty last unit.

    >>> list(unit_bounds("one two ", " "))
    [0, 4, 8, 8]
    """
    bounds = array("q", [0])
    bounds.extend(match.end() for match in re.finditer(re.escape(delimiter), text))
    bounds.append(len(text))
    return bounds


def unit_spans(bounds: Sequence[int], *, length: int, overlap: int, threshold: int, keep_empty: bool) -> list[Span]:
    """Return runs of units that cover a text.

    :param bounds: where the units begin, and after them where the last one ends.
    :param length: units a run.
    :param overlap: units that a run shares with the one before; less than `length`.
    :param threshold: a run of fewer units is joined to the one before.
    :param keep_empty: keep a run without characters.

    >>> bounds = unit_bounds("a b c d e", " ")
    >>> [(span.start, span.end) for span in unit_spans(bounds, length=2, overlap=0, threshold=2, keep_empty=False)]
    [(0, 4), (4, 9)]
    """
    units = len(bounds) - 1
    spans: list[Span] = []
    for first in range(0, units, length - overlap):
        last = min(first + length, units)
        start, end = bounds[first], bounds[last]
        if spans and overlap and end == spans[-1].end:  # nothing but what the run before holds
            continue
        if spans and last - first < threshold:
            spans[-1] = spans[-1]._replace(end=end)
        elif end > start or keep_empty:
            spans.append(Span(start, end, first))
    return spans


def packed_sentences(text: str, bounds: Sequence[int], *, length: int, overlap: int) -> list[tuple[int, int]]:
    """Return runs of sentences that cover a text. Each is as long as fits; a sentence that is too long stands alone.

    :param bounds: where the sentences begin, and after them the length of the text.
    :param length: words a run, divided by any white space.
    :param overlap: a run begins with the last sentences of the one before, until these have more words than this.

    >>> packed_sentences("A b. C d. E f.", [0, 5, 10, 14], length=4, overlap=0)
    [(0, 10), (10, 14)]
    """
    words = [len(text[start:end].split()) for start, end in pairwise(bounds)]
    runs: list[tuple[int, int]] = []
    first = held = 0
    for sentence, count in enumerate(words):
        held += count
        last = sentence + 1 == len(words)
        if last or held + words[sentence + 1] > length:
            runs.append((bounds[first], bounds[sentence + 1]))
            first = sentence + 1 - _shared(words, first, sentence, length, overlap)
            held = sum(words[first : sentence + 1])
    return runs


def _shared(words: Sequence[int], first: int, last: int, length: int, overlap: int) -> int:
    """Return how many of the sentences `first` to `last` the next run shares: never the first, so that it moves on."""
    shared = held = 0
    while overlap and last - shared > first and held <= overlap:
        held += words[last - shared]
        if held > length:
            break
        shared += 1
    return shared
