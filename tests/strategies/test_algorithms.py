"""The requests of the algorithms, without any store."""

from typing import Any

from spaniel import Document
from spaniel.strategies import (
    FetchByFilter,
    FetchByIds,
    FetchByKeys,
    FetchInRanges,
    follow_links,
    merge_up,
    widen,
)
from spaniel.strategies.windows.layout import Place
from tests.components.retrievers.trees import balanced, leaves_of, nodes


def test_merging_yields_the_parents_of_a_level_in_one_request():
    tree = nodes(balanced(2, 2))
    by_id = {node.id: node for node in tree}
    steps = merge_up(leaves_of(tree), threshold=0.5)

    assert next(steps) == FetchByIds(["r.0", "r.1"])
    assert steps.send([by_id["r.0"], by_id["r.1"]]) == FetchByIds(["r"])
    assert finished(steps, [by_id["r"]]) == [by_id["r"]]


def test_a_foreign_store_may_return_parents_in_any_order():
    tree = nodes(balanced(2, 2))
    by_id = {node.id: node for node in tree}
    steps = merge_up(leaves_of(tree)[:2], threshold=0.5)
    next(steps)
    steps.send([by_id["r.0"]])
    assert [document.id for document in finished(steps, [])] == ["r.0"]


def test_windows_yield_one_request_with_a_range_for_each_distinct_window():
    hits = [Document(id=str(n), content="x", meta={"source_id": "s", "split_id": n}) for n in (1, 5)]
    request = next(widen([*hits, hits[0]], window_size=2, place=Place()))
    assert request == FetchInRanges(("source_id",), "split_id", [(["s"], -1, 3), (["s"], 3, 7)])


def test_ranges_are_one_filter_for_a_store_without_a_method_for_them():
    call = FetchInRanges(("source_id",), "split_id", [(["s"], -1, 3), (["t"], 3, 7)]).call_on(object())
    assert call.method.__name__ == "filter_documents"
    assert call.arguments["filters"]["operator"] == "OR"
    assert call.arguments["filters"]["conditions"][1] == {
        "operator": "AND",
        "conditions": [
            {"field": "meta.split_id", "operator": ">=", "value": 3},
            {"field": "meta.split_id", "operator": "<=", "value": 7},
            {"field": "meta.source_id", "operator": "==", "value": "t"},
        ],
    }


def test_very_many_windows_yield_a_filter_that_does_not_grow_with_them():
    hits = [Document(id=str(n), content="x", meta={"source_id": str(n % 7), "split_id": n}) for n in range(500)]
    request = next(widen(hits, window_size=2))
    assert isinstance(request, FetchByFilter)
    assert request.filters is not None
    assert request.filters["operator"] == "AND"
    assert [condition["value"] for condition in request.filters["conditions"]] == [-2, 501, [*"0123456"]]


def test_links_yield_the_values_of_all_keys_once_each():
    documents = [Document(id=id, meta={"cites": ["x", "y"], "sees": ["y", "z"]}) for id in "ab"]
    steps = follow_links(documents, filter_key="name", relevant_doc_keys=["cites", "sees"], top_k=9, depth=1)
    assert next(steps) == FetchByKeys({"name": ["x", "y", "z"]})


def test_thousands_of_hits_of_one_parent_merge():
    children = [f"r.{place}" for place in range(5000)]
    meta = {"__level": 1, "__block_size": 1, "__parent_id": "r", "__children_ids": []}
    hits = [Document(id=id, content="x", meta=dict(meta)) for id in children]
    root = Document(id="r", meta={"__level": 0, "__block_size": 0, "__parent_id": None, "__children_ids": children})
    steps = merge_up(hits, threshold=0.5)
    next(steps)
    assert finished(steps, [root]) == [root]


def finished(steps: Any, answer: list[Document]) -> Any:
    """Return the result of an algorithm that must end with this answer."""
    try:
        steps.send(answer)
    except StopIteration as stop:
        return stop.value
    raise AssertionError("it asks for more")
