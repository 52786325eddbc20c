"""Measures of retrieved text: the share of the relevant spans that it covers, and the share of it
that is relevant.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Span(NamedTuple):
    """A part of a text.

    :param source: the id of the text.
    :param start: the offset of its first character, or the number of its first token.
    :param end: the offset after its last one.
    """

    source: str
    start: int
    end: int


@dataclass(frozen=True)
class SpanScores:
    """Scores of retrieved spans, each between 0 and 1.

    :param recall: the share of the relevant characters that is retrieved.
    :param precision: the share of the retrieved characters that is relevant.
    :param iou: intersection over union of the retrieved and the relevant characters.
    """

    recall: float
    precision: float
    iou: float


def score_spans(retrieved: Iterable[Span], relevant: Iterable[Span]) -> SpanScores:
    """Return recall, precision and IoU of retrieved spans, as Chroma defines them.

    A relevant character counts once, however often it is retrieved; a retrieved one counts each
    time, so that overlapping chunks cost precision (Smith and Troynikov, Evaluating Chunking
    Strategies for Retrieval, 2024). Overlapping relevant spans are one.

    :param relevant: in the same unit; see `count_in_tokens`.
    :raises ValueError: no span is relevant, or a span ends before it starts.

    >>> score_spans([Span("a", 0, 10), Span("a", 5, 15)], [Span("a", 8, 12)])
    SpanScores(recall=1.0, precision=0.2, iou=0.2)
    """
    found, wanted = list(retrieved), unite_spans(relevant)
    num_found, num_wanted = _measure(found), _measure(wanted)
    if not num_wanted:
        raise ValueError("Span scores need a relevant span that is not empty.")
    united = unite_spans(found)
    both = num_wanted + _measure(united) - _measure(unite_spans([*united, *wanted]))
    return SpanScores(both / num_wanted, both / num_found if num_found else 0.0, both / (num_found + num_wanted - both))


def unite_spans(spans: Iterable[Span]) -> list[Span]:
    """Return the same characters as spans that neither overlap nor touch, in order.

    :raises ValueError: a span ends before it starts.

    >>> unite_spans([Span("a", 4, 9), Span("a", 0, 4), Span("b", 0, 2)])
    [Span(source='a', start=0, end=9), Span(source='b', start=0, end=2)]
    """
    united: list[Span] = []
    for span in sorted(spans):
        if span.end < span.start:
            raise ValueError(f"{span} ends before it starts.")
        last = united[-1] if united else None
        if last is not None and last.source == span.source and span.start <= last.end:
            united[-1] = last._replace(end=max(last.end, span.end))
        elif span.start < span.end:
            united.append(span)
    return united


def count_in_tokens(spans: Iterable[Span], tokens: Mapping[str, Sequence[tuple[int, int]]]) -> list[Span]:
    """Return spans of characters as spans of tokens; a token belongs to each span it overlaps.

    :param tokens: for each text, the offsets of its tokens, in order.

    >>> count_in_tokens([Span("a", 4, 7)], {"a": [(0, 3), (4, 6), (6, 9)]})
    [Span(source='a', start=1, end=3)]
    """
    counted = []
    for source, start, end in spans:
        offsets = tokens[source]
        first = bisect_right(offsets, start, key=lambda token: token[1])
        counted.append(Span(source, first, max(first, bisect_left(offsets, end, key=lambda token: token[0]))))
    return counted


def _measure(spans: Iterable[Span]) -> int:
    return sum(span.end - span.start for span in spans)
