"""The units of a text (words, lines, pages, ...), and the runs of them that make chunks. All of it takes linear time."""

import re
from array import array
from collections.abc import Sequence
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
