"""Span recall, precision and IoU, beside counting of single characters."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaniel.evaluation import Span, SpanScores, count_in_tokens, score_spans, unite_spans

SPANS = st.lists(
    st.builds(
        lambda source, start, size: Span(source, start, start + size),
        *map(st.sampled_from, ("ab",)),
        st.integers(0, 20),
        st.integers(0, 9),
    ),
    max_size=8,
)


def characters(spans):
    return Counter((source, place) for source, start, end in spans for place in range(start, end))


@given(SPANS, SPANS.filter(lambda spans: any(span.start < span.end for span in spans)))
def test_scores_are_those_of_counted_characters(retrieved, relevant):
    found, wanted = characters(retrieved), set(characters(relevant))
    both = len(wanted & found.keys())

    scores = score_spans(retrieved, relevant)

    assert scores.recall == both / len(wanted)
    assert scores.precision == (both / found.total() if found else 0)
    assert scores.iou == both / (found.total() + len(wanted - found.keys()))


def test_chromas_example_of_overlapping_chunks():
    # two chunks of 100 characters share 20; of 50 relevant ones 20 are found, 10 of them twice
    retrieved = [Span("a", 0, 100), Span("a", 80, 180)]
    relevant = [Span("a", 90, 100), Span("a", 170, 200), Span("b", 0, 10)]

    assert score_spans(retrieved, relevant) == SpanScores(recall=20 / 50, precision=20 / 200, iou=20 / (200 + 30))


def test_nothing_retrieved_scores_0():
    assert score_spans([], [Span("a", 0, 5)]) == SpanScores(0, 0, 0)


def test_no_relevant_span_is_refused():
    with pytest.raises(ValueError, match="relevant span"):
        score_spans([Span("a", 0, 5)], [Span("a", 3, 3)])


def test_a_span_that_ends_before_it_starts_is_refused():
    with pytest.raises(ValueError, match="ends before it starts"):
        unite_spans([Span("a", 5, 3)])


@given(SPANS)
def test_united_spans_are_the_same_characters_once(spans):
    united = unite_spans(spans)

    assert characters(united) == dict.fromkeys(characters(spans), 1)
    assert all(one.source != other.source or one.end < other.start for one, other in pairwise(united))


TOKENS = [(0, 3), (4, 6), (6, 9), (12, 13)]


@pytest.mark.parametrize("start", range(14))
@pytest.mark.parametrize("size", range(1, 6))
def test_a_token_belongs_to_every_span_that_it_overlaps(start, size):
    [span] = count_in_tokens([Span("a", start, start + size)], {"a": TOKENS})

    expected = [number for number, (a, b) in enumerate(TOKENS) if a < start + size and b > start]
    assert list(range(span.start, span.end)) == expected


def test_scores_by_tokens():
    tokens = {"a": TOKENS}

    scores = score_spans(count_in_tokens([Span("a", 0, 9)], tokens), count_in_tokens([Span("a", 8, 13)], tokens))

    assert scores == SpanScores(recall=1 / 2, precision=1 / 3, iou=1 / 4)
