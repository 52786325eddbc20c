import pytest

from spaniel import Document
from spaniel.strategies.scores import deduplicate, drop_low_scores, sort_if_scored
from spaniel.tracing.events import Dropped, Event, Repeated


def doc(id: str, score: float | None) -> Document:
    return Document(id=id, score=score)


def test_each_document_comes_once_at_its_first_place_with_its_best_score():
    events: list[Event] = []
    found = deduplicate([doc("a", 0.1), doc("b", 0.5), doc("a", 0.9), doc("b", None)], events.append)
    assert [(each.id, each.score) for each in found] == [("a", 0.9), ("b", 0.5)]
    assert events == [Repeated("a"), Repeated("b")]


def test_the_best_come_first_and_equals_stay_as_they_are():
    row = [doc("a", 0.5), doc("b", -1), doc("c", 0.5), doc("d", 2)]
    assert [each.id for each in sort_if_scored(row)] == ["d", "a", "c", "b"]


def test_one_without_a_score_leaves_the_order():
    row = [doc("a", 0.5), doc("b", None), doc("c", 2)]
    assert sort_if_scored(row) == row


@pytest.mark.parametrize(("least", "expected"), [(None, "abc"), (0.5, "bc"), (0.6, "c")])
def test_documents_below_the_least_score_fall_out_those_without_one_stay(least: float | None, expected: str):
    row = [doc("a", 0.4), doc("b", 0.5), doc("c", None)]
    assert "".join(each.id for each in drop_low_scores(row, least, None)) == expected


def test_a_dropped_document_has_an_event():
    events: list[Event] = []
    drop_low_scores([doc("a", 0.4)], 0.5, events.append)
    assert events == [Dropped("a", "score 0.4 is below min_score 0.5", "min_score")]
