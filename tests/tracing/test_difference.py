"""The differences between the results of two traces."""

from hypothesis import given

import spaniel
from spaniel import Document
from spaniel.components.retrievers import StructuredRetriever
from spaniel.components.retrievers.in_memory import InMemoryBM25Retriever
from tests.tracing.libraries import QUERIES, documents, stored
from tests.tracing.test_why_not import FRUIT


def traced(made: list[Document], query: str, **options: object) -> spaniel.Trace:
    with spaniel.trace() as t:
        StructuredRetriever(stored(made, search="leaves"), **options).run(query)  # type: ignore[arg-type]
    return t


@given(documents(), QUERIES, QUERIES)
def test_lists_every_difference_and_nothing_else(made: list[Document], one: str, other: str) -> None:
    before, after = traced(made, one, top_k=3), traced(made, other, top_k=3)
    diff = before.diff(after)
    old = {each.id: (rank, each.score) for rank, each in enumerate(before.results, 1)}
    new = {each.id: (rank, each.score) for rank, each in enumerate(after.results, 1)}
    assert {change.id for change in diff.entered} == new.keys() - old.keys()
    assert {change.id for change in diff.left} == old.keys() - new.keys()
    assert {change.id for change in diff.moved} == {id for id in old.keys() & new.keys() if old[id] != new[id]}
    assert bool(diff) == (list(old.items()) != list(new.items()))
    for change in (*diff.entered, *diff.left, *diff.moved):
        assert (change.before, change.score_before) == old.get(change.id, (None, None))
        assert (change.after, change.score_after) == new.get(change.id, (None, None))
        assert change.stage in {"bm25", "merge"}


def test_a_trace_differs_in_nothing_from_itself() -> None:
    t = traced(FRUIT, "red")
    assert str(t.diff(t)) == "The results are equal."


def test_a_change_says_where_it_begins() -> None:
    store = stored(FRUIT)
    with spaniel.trace() as before:
        InMemoryBM25Retriever(store, top_k=2).run("red")
    store.write_documents([Document(id="e", content="red red red red")])
    with spaniel.trace() as after:
        InMemoryBM25Retriever(store, top_k=2).run("red")
    diff = before.diff(after)
    assert [str(change) for change in diff.entered] == ["e entered at rank 1 (first differs at InMemoryBM25Retriever)"]
    assert [str(change) for change in diff.left] == [
        "a left; it was at rank 2 (first differs at InMemoryBM25Retriever)"
    ]
    [moved] = diff.moved
    assert str(moved).startswith("b rank 1 -> 2, score ")


def test_a_stage_that_only_one_trace_has_can_be_where_they_differ() -> None:
    made = [
        Document(id="a", content="sky", meta={"anchor": "a", "links": ["b"]}),
        Document(id="b", content="sea", meta={"anchor": "b"}),
    ]
    diff = traced(made, "sky").diff(traced(made, "sky", follow=["links"]))
    assert [(change.id, change.stage) for change in diff.entered] == [("b", "follow")]
