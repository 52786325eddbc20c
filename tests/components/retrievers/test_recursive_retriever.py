from datetime import datetime
from itertools import permutations
from typing import Any

import numpy as np
import pytest
import yaml

import spaniel
from spaniel import Document
from spaniel.components.retrievers import DeepsetOpenSearchRecursiveRetriever, RecursiveRetriever
from spaniel.core.known_types import resolve_serializable_class
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.types import FilterPolicy
from spaniel.errors import DeserializationError, FilterError
from spaniel.strategies import follow_links
from spaniel.testing import CountingStore
from spaniel.tracing.events import LedBack
from tests.components.retrievers.conftest import Way, ids
from tests.strategies.placed import ran


def doc(name: Any, *, score: float | None = None, **meta: Any) -> Document:
    """Return a document that others link to by its name, which is its id too."""
    return Document(id=str(name), content=f"text of {name}", meta={"name": name, **meta}, score=score)


def retriever(store: Any, **options: Any) -> RecursiveRetriever:
    return RecursiveRetriever(store, **{"filter_key": "name", "relevant_doc_keys": ["cites", "sees"]} | options)


# --- links ----------------------------------------------------------------------------------------


def test_linked_documents_come_after_the_originals(way: Way):
    docs = [doc("a", cites=["b", "c"]), doc("b"), doc("c"), doc("d")]
    assert way.ids(retriever(way.store(docs)), documents=docs[:1]) == ["a", "b", "c"]


def test_a_link_may_be_a_scalar(way: Way):
    docs = [doc("a", cites="b"), doc("b")]
    assert way.ids(retriever(way.store(docs)), documents=docs[:1]) == ["a", "b"]


def test_link_targets_may_be_elements_of_a_list(own_way: Way):
    docs = [doc("a", cites="x"), Document(id="b", meta={"name": ["y", "x"]})]
    assert own_way.ids(retriever(own_way.store(docs)), documents=docs[:1]) == ["a", "b"]


@pytest.mark.parametrize("key", ["name", "meta.name"])
@pytest.mark.parametrize("link", ["cites", "meta.cites"])
def test_keys_may_be_given_with_or_without_meta(way: Way, key: str, link: str):
    docs = [doc("a", cites=["b"]), doc("b")]
    options = {"filter_key": key, "relevant_doc_keys": [link]}
    assert way.ids(retriever(way.store(docs), **options), documents=docs[:1]) == ["a", "b"]


def test_links_may_point_at_ids(way: Way):
    docs = [Document(id="a", meta={"cites": "b"}), Document(id="b")]
    assert way.ids(retriever(way.store(docs), filter_key="id"), documents=docs[:1]) == ["a", "b"]


def test_keys_may_lead_into_nested_metadata(way: Way):
    docs = [Document(id="a", meta={"links": {"out": ["x"]}}), Document(id="b", meta={"at": {"anchor": "x"}})]
    options = {"filter_key": "at.anchor", "relevant_doc_keys": ["links.out"]}
    assert way.ids(retriever(way.store(docs), **options), documents=docs[:1]) == ["a", "b"]


@pytest.mark.parametrize(("link", "names", "found"), [
    ("5", [5], []), (5, ["5"], []), (5, [5.0], ["5.0"]), (1, [True], ["True"]), ("B", ["b"], []), ("b", ["bb"], []),
    ("2024-05-01T10:00:00Z", ["2024-05-01T12:00:00+02:00"], ["2024-05-01T12:00:00+02:00"]),
    ("2024-05-01", ["2024-05-01T00:00:00+02:00"], ["2024-05-01T00:00:00+02:00"]),
    ("2024-05-01T00:00:00+02:00", ["2024-05-01"], ["2024-05-01"]),
])  # fmt: skip
def test_values_match_as_in_a_filter(way: Way, link: Any, names: list[Any], found: list[str]):
    origin = Document(id="origin", meta={"cites": [link]})
    store = way.store([origin, *map(doc, names)])
    assert way.ids(retriever(store), documents=[origin]) == ["origin", *found]


def test_a_link_may_be_a_date(own_way: Way):
    moment = datetime(2024, 5, 1, 10)  # noqa: DTZ001 (without a zone)
    docs = [Document(id="a", meta={"cites": moment}), Document(id="b", meta={"name": "2024-05-01T10:00:00"})]
    assert own_way.ids(retriever(own_way.store(docs)), documents=docs[:1]) == ["a", "b"]


def test_targets_of_one_date_come_in_store_order_each_once(own_way: Way):
    zoned, naive, offset = "2024-01-02T00:00:00Z", "2024-01-02", "2024-01-02T00:00:00+00:00"
    origin = Document(id="a", meta={"cites": [zoned]})
    names = {"b": naive, "c": offset, "d": [naive, zoned], "e": [zoned, offset], "f": naive}
    store = own_way.store([origin, *(Document(id=id, meta={"name": name}) for id, name in names.items())])
    with spaniel.trace() as trace:
        assert own_way.ids(retriever(store), documents=[origin]) == list("abcdef")
    assert not [event for event in trace.events if isinstance(event, LedBack)]


def test_links_may_be_an_array(own_way: Way):
    docs = [Document(id="a", meta={"cites": np.array([2, 1])}), doc(1), doc(2)]
    assert own_way.ids(retriever(own_way.store(docs)), documents=docs[:1]) == ["a", "2", "1"]


@pytest.mark.parametrize("link", [None, [], {}, [None], [["b"]], float("nan"), {"b": 1}])
def test_non_scalars_link_to_nothing(way: Way, link: Any):
    docs = [doc("a", cites=link), doc("b")]
    assert way.ids(retriever(way.store(docs)), documents=docs[:1]) == ["a"]


def test_a_link_without_a_target_is_no_error(way: Way):
    docs = [doc("a", cites=["nowhere", "b"]), doc("b")]
    assert way.ids(retriever(way.store(docs)), documents=docs[:1]) == ["a", "b"]


def test_a_document_without_links_is_kept_beside_one_with_links(way: Way):
    docs = [doc("a"), doc("b", cites=["c"]), doc("c")]
    assert sorted(way.ids(retriever(way.store(docs)), documents=docs[:2])) == ["a", "b", "c"]


def test_equal_texts_of_two_documents_are_two_results(way: Way):
    docs = [doc("a", cites=["b", "c"]), *(Document(id=id, content="same", meta={"name": id}) for id in "bc")]
    assert way.ids(retriever(way.store(docs)), documents=docs[:1]) == ["a", "b", "c"]


# --- originals ------------------------------------------------------------------------------------


@pytest.mark.parametrize("documents", [None, []])
def test_no_documents_give_none(way: Way, documents: list[Document] | None):
    assert way.ids(retriever(way.store([doc("a")])), documents=documents) == []


def test_documents_may_be_left_out(way: Way):
    assert way.ids(retriever(way.store())) == []


def test_an_original_given_twice_comes_once_with_its_best_score(way: Way):
    twice = [doc("a", score=0.1), doc("b", score=0.5), doc("a", score=0.9)]
    found = way.run(retriever(way.store()), documents=twice)["documents"]
    assert [(document.id, document.score) for document in found] == [("a", 0.9), ("b", 0.5)]


def test_originals_are_never_filtered(way: Way):
    docs = [doc("a", cites=["b"], ok=False), doc("b", ok=True)]
    ok = {"field": "meta.ok", "operator": "==", "value": True}
    assert way.ids(retriever(way.store(docs), filters=ok), documents=docs[:1]) == ["a", "b"]


def test_originals_need_not_be_stored(way: Way):
    assert way.ids(retriever(way.store([doc("b")])), documents=[doc("a", cites=["b"])]) == ["a", "b"]


def test_depth_0_returns_the_originals(way: Way):
    docs = [doc("a", cites=["b"]), doc("b")]
    assert way.ids(retriever(way.store(docs)), documents=docs[:1], depth=0) == ["a"]


def test_min_score_leaves_out_a_weak_original_and_its_links(way: Way):
    docs = [doc("a", score=0.9), doc("b", score=0.1, cites=["c"]), doc("c"), doc("d")]
    assert way.ids(retriever(way.store(docs), min_score=0.5), documents=[docs[0], docs[1], docs[3]]) == ["a", "d"]


# --- hops -----------------------------------------------------------------------------------------

CHAIN = [doc("a", cites="b"), doc("b", cites="c"), doc("c", cites="d"), doc("d")]


@pytest.mark.parametrize(("depth", "expected"), [(1, "ab"), (2, "abc"), (3, "abcd"), (9, "abcd")])
def test_depth_is_how_many_hops_are_taken(way: Way, depth: int, expected: str):
    found = way.ids(retriever(way.store(CHAIN)), documents=CHAIN[:1], depth=depth)
    assert "".join(found) == expected


def test_the_depth_of_the_constructor_is_used(way: Way):
    assert way.ids(retriever(way.store(CHAIN), depth=2), documents=CHAIN[:1]) == ["a", "b", "c"]


def test_cycles_end_and_each_document_comes_once(way: Way):
    docs = [doc("a", cites="b"), doc("b", cites=["a", "b"])]
    assert way.ids(retriever(way.store(docs)), documents=docs[:1], depth=9) == ["a", "b"]


def test_filters_hold_on_every_hop(way: Way):
    docs = [doc("a", cites=["b"]), doc("b", cites=["c", "d"], ok=1), doc("c", ok=1), doc("d", ok=0)]
    ok = {"field": "meta.ok", "operator": "==", "value": 1}
    assert way.ids(retriever(way.store(docs)), documents=docs[:1], depth=2, filters=ok) == ["a", "b", "c"]


def test_filtered_documents_are_not_followed(way: Way):
    docs = [doc("a", cites=["b"]), doc("b", cites=["c"], ok=0), doc("c", ok=1)]
    ok = {"field": "meta.ok", "operator": "==", "value": 1}
    assert way.ids(retriever(way.store(docs)), documents=docs[:1], depth=2, filters=ok) == ["a"]


@pytest.mark.parametrize(
    ("policy", "expected"), [("replace", ["a", "b", "c"]), ("merge", ["a", "b"]), ("restrict", ["a", "b"])]
)
def test_the_policy_joins_the_filters_of_constructor_and_run(way: Way, policy: str, expected: list[str]):
    docs = [doc("a", cites=["b", "c", "d"]), doc("b", x=1, y=1), doc("c", y=1), doc("d", x=1)]
    x, y = ({"field": f"meta.{name}", "operator": "==", "value": 1} for name in "xy")
    chosen = retriever(way.store(docs), filters=x, filter_policy=policy)
    assert way.ids(chosen, documents=docs[:1], filters=y) == expected
    assert way.ids(chosen, documents=docs[:1]) == ["a", "b", "d"]


def test_malformed_filter_raises_without_a_hop(way: Way):
    with pytest.raises(FilterError, match="operator"):
        way.run(retriever(way.store()), documents=[], filters={"field": "meta.x", "value": 1})


# --- ranks and sampling ---------------------------------------------------------------------------


def test_the_default_samples_one_document_a_step_as_the_reference_page_says(way: Way):
    docs = [
        doc("o0", cites=["a", "b"], sees=["c", "d"]),
        doc("a", cites=["aa"]),
        *map(doc, ["b", "c", "d", "aa"]),
    ]
    found = way.ids(retriever(way.store(docs)), documents=docs[:1], depth=2)
    # (0,0,0) (0,0,1) (0,0,2) (0,1,1) (1,0,1) (1,1,1)
    assert found == ["o0", "a", "aa", "c", "b", "d"]


def test_the_first_link_of_every_document_comes_before_the_second_of_any(way: Way):
    docs = [doc("a", cites=["a1", "a2"]), doc("b", cites=["b1", "b2"]), *map(doc, ["a1", "a2", "b1", "b2"])]
    found = way.ids(retriever(way.store(docs), sampling_strategy=["depth", "source", "rank"]), documents=docs[:2])
    assert found == ["a", "b", "a1", "b1", "a2", "b2"]


def test_several_targets_of_one_value_follow_each_other_in_store_order(way: Way):
    docs = [doc("a", cites=["x", "y"]), *(Document(id=id, meta={"name": id[0]}) for id in ["x2", "y1", "x1"])]
    assert way.ids(retriever(way.store(docs)), documents=docs[:1]) == ["a", "x2", "x1", "y1"]


def test_a_document_stands_under_its_lowest_source_and_leaves_no_gap_under_the_other(way: Way):
    docs = [doc("a", cites=["x"], sees=["x", "y"]), doc("x"), doc("y")]
    found = way.ids(
        retriever(way.store(docs), sampling_strategy=["rank", "source", "depth"]), documents=docs[:1], top_k=3
    )
    assert found == ["a", "x", "y"]  # y has rank 0 under source 1
    extra = [doc("a", cites=["x", "z"], sees=["x", "y"]), doc("x"), doc("y"), doc("z")]
    assert way.ids(retriever(way.store(extra)), documents=extra[:1]) == ["a", "x", "y", "z"]


def test_a_document_stands_at_its_smallest_depth(way: Way):
    docs = [doc("a", sees=["c"], cites=["b"]), doc("b", cites=["c", "d"]), doc("c"), doc("d")]
    chosen = retriever(way.store(docs), sampling_strategy=["depth", "source", "rank"], depth=2)
    assert way.ids(chosen, documents=docs[:1]) == ["a", "b", "c", "d"]


def test_a_repeated_link_of_one_document_counts_once(way: Way):
    docs = [doc("a", cites=["x", "x", "y"]), doc("b", cites=["z", "w"]), *map(doc, "xyzw")]
    found = way.ids(retriever(way.store(docs), sampling_strategy=["depth", "source", "rank"]), documents=docs[:2])
    assert found == ["a", "b", "x", "z", "y", "w"]


@pytest.mark.parametrize(("top_k", "expected"), [(1, ["a"]), (2, ["a", "c"]), (3, ["a", "c", "b"])])
def test_top_k_cuts_the_sampled_list(way: Way, top_k: int, expected: list[str]):
    docs = [doc("a", cites=["c", "d"]), doc("b"), doc("c"), doc("d")]
    assert way.ids(retriever(way.store(docs)), documents=docs[:2], top_k=top_k) == expected


def test_top_k_0_gives_none_even_if_originals_are_kept(way: Way):
    docs = [doc("a", cites=["b"]), doc("b")]
    assert way.ids(retriever(way.store(docs), force_keep_original_documents=True), documents=docs, top_k=0) == []


def test_kept_originals_stay_in_their_places_and_linked_documents_give_way(way: Way):
    docs = [doc("a", cites=["c", "d"]), doc("b"), doc("c"), doc("d")]
    chosen = retriever(way.store(docs), force_keep_original_documents=True)
    assert way.ids(chosen, documents=docs[:2], top_k=3) == ["a", "c", "b"]
    assert way.ids(chosen, documents=docs[:2], top_k=2) == ["a", "b"]


def test_more_kept_originals_than_top_k_are_all_returned_and_nothing_else(way: Way):
    docs = [doc("a", cites=["c"]), doc("b"), doc("c")]
    assert way.ids(retriever(way.store(docs), force_keep_original_documents=True), documents=docs[:2], top_k=1) == [
        "a",
        "b",
    ]


def test_a_hop_adds_at_most_max_targets_documents_the_lowest_ranks_first(way: Way):
    docs = [
        doc("a", cites=["hub"], sees=["s"]),
        *(Document(id=f"h{n}", meta={"name": "hub"}) for n in range(9)),
        doc("s"),
    ]
    found = way.ids(retriever(way.store(docs), max_targets=3), documents=docs[:1])
    assert found == ["a", "h0", "s", "h1"]


def test_a_hub_adds_a_thousand_documents_at_most_by_default(own_way: Way):
    docs = [doc("a", cites=["hub"]), *(Document(id=f"h{n}", meta={"name": "hub"}) for n in range(1100))]
    assert len(own_way.ids(retriever(own_way.store(docs)), documents=docs[:1], top_k=5000)) == 1001


# --- bad arguments --------------------------------------------------------------------------------


@pytest.mark.parametrize(("options", "message"), [
    ({"top_k": 0}, "top_k must be greater than 0"),
    ({"top_k": -1}, "top_k must be greater than 0"),
    ({"depth": -1}, "depth must be greater than or equal to 0, but is -1"),
    ({"relevant_doc_keys": []}, "relevant_doc_keys must be a list of at least one metadata key"),
    ({"relevant_doc_keys": "links"}, "relevant_doc_keys must be a list.*'links'"),
    ({"relevant_doc_keys": [""]}, "relevant_doc_keys"),
    ({"relevant_doc_keys": [1]}, "relevant_doc_keys"),
    ({"filter_key": ""}, "filter_key must be the name of a metadata key"),
    ({"sampling_strategy": []}, "sampling_strategy must hold each of"),
    ({"sampling_strategy": ["rank", "source"]}, "sampling_strategy must hold each of"),
    ({"sampling_strategy": ["rank", "source", "source"]}, "sampling_strategy must hold each of"),
    ({"sampling_strategy": ["rank", "source", "depth", "depth"]}, "sampling_strategy must hold each of"),
    ({"sampling_strategy": ["rank", "source", 1]}, "sampling_strategy must hold each of"),
    ({"sampling_strategy": "rank"}, "sampling_strategy must hold each of"),
    ({"max_targets": 0}, "max_targets must be greater than 0"),
    ({"filter_policy": "widen"}, "Unknown FilterPolicy type 'widen'"),
    ({"direction": "up"}, "direction must be one of .*, got 'up'"),
    ({"key_weights": {"cites": 2.0}}, "must be given with a score_decay"),
    ({"key_weights": {"other": 2.0}, "score_decay": 0.5}, "key_weights must map keys among"),
    ({"key_weights": {"cites": "x"}, "score_decay": 0.5}, "must be a number, not 'x'"),
    ({"key_quotas": {"cites": -1}}, "must be greater than or equal to 0, but is -1"),
    ({"max_seconds": "soon"}, "max_seconds must be a number"),
])  # fmt: skip
def test_invalid_parameter_error_names_valid_values(options: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        retriever(InMemoryDocumentStore(), **options)


def test_a_number_beyond_any_store_gives_all(way: Way):
    docs = [doc("a", cites=["b"]), doc("b")]
    assert way.ids(retriever(way.store(docs), top_k=2**70, max_targets=2**70), documents=docs[:1]) == ["a", "b"]


@pytest.mark.parametrize("order", list(permutations(["rank", "source", "depth"])))
def test_every_order_of_the_three_is_a_strategy(order: tuple[str, ...]):
    assert retriever(InMemoryDocumentStore(), sampling_strategy=list(order)).sampling_strategy == list(order)


@pytest.mark.parametrize("name", ["top_k", "depth"])
def test_a_negative_number_in_a_run_is_an_error(way: Way, name: str):
    with pytest.raises(ValueError, match=f"{name} must be greater than or equal to 0, but is -1"):
        way.run(retriever(way.store()), documents=[], **{name: -1})


def test_none_means_the_default():
    chosen = retriever(InMemoryDocumentStore(), top_k=None, depth=None, sampling_strategy=None)
    assert (chosen.top_k, chosen.depth) == (10, 1)


# --- directions -----------------------------------------------------------------------------------


CITING = [doc("a", cites=["b"]), doc("b", cites=["c"], sees="d"), doc("c"), doc("d"), doc("e", sees=["b", "x"])]


@pytest.mark.parametrize(("direction", "expected"), [
    ("out", ["b", "c", "d"]), ("in", ["b", "a", "e"]), ("both", ["b", "c", "d", "a", "e"]),
])  # fmt: skip
def test_links_are_followed_in_a_direction(own_way: Way, direction: str, expected: list[str]):
    chosen = retriever(own_way.store(CITING), direction=direction)
    assert own_way.ids(chosen, documents=CITING[1:2]) == expected


def test_inward_links_are_followed_hop_by_hop(way: Way):
    chosen = retriever(way.store(CHAIN), direction="in", depth=2)
    assert way.ids(chosen, documents=CHAIN[3:]) == ["d", "c", "b"]


def test_inward_links_may_point_at_ids(way: Way):
    docs = [Document(id="a", meta={"cites": "b"}), Document(id="b")]
    assert way.ids(retriever(way.store(docs), filter_key="id", direction="in"), documents=docs[1:]) == ["b", "a"]


def tree_with_links() -> list[Document]:
    """Return two files: a leaf of the second links to the section of the first, and so do all that
    hold the leaf.
    """
    return [
        Document(id="one", meta={"name": "one.md", "__parent_id": None, "__children_ids": ["s1"]}),
        Document(id="s1", meta={"name": "one.md#s", "__parent_id": "one", "__children_ids": ["l1"]}),
        Document(id="l1", meta={"__parent_id": "s1", "__children_ids": []}),
        Document(
            id="two", meta={"name": "two.md", "cites": ["one.md#s"], "__parent_id": None, "__children_ids": ["l2"]}
        ),
        Document(id="l2", meta={"cites": ["one.md#s"], "__parent_id": "two", "__children_ids": []}),
    ]


def test_inward_a_leaf_counts_under_its_section(own_way: Way):
    docs = tree_with_links()
    assert own_way.ids(retriever(own_way.store(docs), direction="in"), documents=[docs[2]]) == ["l1", "l2"]


def test_inward_the_smallest_piece_with_the_link_counts(own_way: Way):
    docs = tree_with_links()
    assert own_way.ids(retriever(own_way.store(docs), direction="in"), documents=[docs[1]]) == ["s1", "l2"]


def test_an_inward_link_is_an_event(own_way: Way):
    found = events(own_way, CITING[1:2] + CITING[:1], direction="in")
    assert found == ["a: links to b by cites = 'b' (hop 1)"]


def test_elements_of_lists_are_found_in_a_store_that_looks_up_one_key_only(own_way: Way):
    class OneKey(CountingStore):
        def __getattr__(self, name: str) -> Any:
            if name.startswith("get_documents_by_keys"):
                raise AttributeError(name)
            return super().__getattr__(name)

    store = OneKey(own_way.store([*CITING, doc("bb"), doc("f", cites="xbx")]))
    assert own_way.ids(retriever(store, direction="both"), documents=CITING[1:2]) == ["b", "c", "d", "a", "e"]
    assert store.calls.total() == 1


# --- weights, quotas, budgets ---------------------------------------------------------------------


def test_a_linked_document_scores_less_with_every_hop(way: Way):
    start = doc("a", cites="b", score=8.0)
    chosen = retriever(way.store(CHAIN), depth=2, score_decay=0.5)
    found = way.run(chosen, documents=[start, doc("z", cites="d")])["documents"]
    assert {document.id: document.score for document in found} == {"a": 8.0, "b": 4.0, "c": 2.0, "z": None, "d": None}


def test_the_weight_of_a_key_counts_in_the_score(way: Way):
    docs = [doc("a", cites="b", sees="c", score=8.0), doc("b"), doc("c")]
    chosen = retriever(way.store(docs), score_decay=0.5, key_weights={"sees": 0.25})
    found = way.run(chosen, documents=docs[:1])["documents"]
    assert [(document.id, document.score) for document in found] == [("a", 8.0), ("b", 4.0), ("c", 1.0)]


def test_a_quota_limits_the_documents_of_a_key(way: Way):
    docs = [doc("a", cites=["b", "c", "d"], sees=["d", "e"]), *map(doc, "bcde")]
    found = way.ids(retriever(way.store(docs), key_quotas={"cites": 1}), documents=docs[:1])
    assert found == ["a", "b", "d", "e"]  # d comes by the other key
    assert way.ids(retriever(way.store(docs), key_quotas={"cites": 0, "sees": 0}), documents=docs[:1]) == ["a"]


def test_a_quota_holds_over_all_hops(way: Way):
    assert way.ids(retriever(way.store(CHAIN), depth=9, key_quotas={"cites": 2}), documents=CHAIN[:1]) == [
        "a",
        "b",
        "c",
    ]


def test_documents_over_quota_are_an_event(way: Way):
    found = events(way, [doc("a", cites=["b", "c"]), doc("b"), doc("c")], key_quotas={"cites": 1})
    assert "c: dropped: hop 1: the quota of cites, 1 documents, is used up" in found


@pytest.mark.parametrize(("budget", "expected", "reason"), [
    ({"max_documents": 2}, "abc", "max_documents is 2"),
    ({"max_requests": 2}, "abc", "max_requests is 2"),
    ({"max_documents": 0}, "a", "max_documents is 0"),
    ({"max_requests": 0}, "a", "max_requests is 0"),
    ({"max_seconds": 0}, "a", "max_seconds is 0"),
])  # fmt: skip
def test_a_budget_ends_the_hops_and_says_so(way: Way, budget: dict[str, Any], expected: str, reason: str):
    assert "".join(way.ids(retriever(way.store(CHAIN), depth=9, **budget), documents=CHAIN[:1])) == expected
    messages = events(way, CHAIN, depth=9, **budget)
    assert messages[-1] == f": ended before hop {len(expected)}: {reason}"


def test_documents_beyond_the_budget_are_left_out_within_a_hop(way: Way):
    docs = [doc("a", cites=["b", "c", "d"]), *map(doc, "bcd")]
    assert way.ids(retriever(way.store(docs), max_documents=2), documents=docs[:1]) == ["a", "b", "c"]
    messages = events(way, docs, max_documents=2)
    assert "d: dropped: all hops may add max_documents 2 documents" in messages


def test_the_clock_ends_the_hops():
    ticks = iter([0.0, 1.0, 2.0, 3.0])
    options = {"filter_key": "name", "relevant_doc_keys": ["cites"], "top_k": 9, "depth": 9}
    steps = follow_links(CHAIN[:1], **options, max_seconds=2.0, clock=lambda: next(ticks))
    found, asked = ran(steps, CHAIN)
    assert ids(found) == ["a", "b"]
    assert len(asked) == 1


# --- serialised -----------------------------------------------------------------------------------

SEED_TYPES = [
    "deepset_cloud_custom_nodes.retrievers.recursive_retriever.DeepsetOpenSearchRecursiveRetriever",
    "retrievers.recursive_retriever.DeepsetOpenSearchRecursiveRetriever",
]
YAML = """
type: {type}
init_parameters:
  filter_key: name
  relevant_doc_keys: [cites]
  top_k: 5
  document_store:
    type: spaniel.document_stores.in_memory.document_store.InMemoryDocumentStore
    init_parameters: {{}}
"""


@pytest.mark.parametrize(
    "type", [*SEED_TYPES, "spaniel.components.retrievers.recursive_retriever.DeepsetOpenSearchRecursiveRetriever"]
)
def test_yaml_with_each_of_its_names_loads(type: str):
    data = yaml.safe_load(YAML.format(type=type))
    loaded = resolve_serializable_class(type).from_dict(data)
    assert isinstance(loaded, DeepsetOpenSearchRecursiveRetriever)
    assert (loaded.filter_key, loaded.top_k, loaded.depth) == ("name", 5, 1)


def test_the_missing_parameters_of_yaml_are_named():
    data = yaml.safe_load(f"type: {SEED_TYPES[1]}\ninit_parameters:\n")
    with pytest.raises(DeserializationError, match=r"document_store.*filter_key.*relevant_doc_keys"):
        DeepsetOpenSearchRecursiveRetriever.from_dict(data)


def test_to_dict_survives_a_round_trip():
    chosen = retriever(InMemoryDocumentStore(), depth=3, filter_policy=FilterPolicy.RESTRICT, max_targets=7)
    data = chosen.to_dict()
    assert (data["init_parameters"]["filter_policy"], data["init_parameters"]["max_targets"]) == ("restrict", 7)
    assert RecursiveRetriever.from_dict(yaml.safe_load(yaml.safe_dump(data))).to_dict() == data


# --- events ---------------------------------------------------------------------------------------


def events(way: Way, docs: list[Document], originals: int = 1, **options: Any) -> list[str]:
    inputs = {name: options.pop(name) for name in ("filters", "top_k", "depth") if name in options}
    with spaniel.trace() as t:
        way.run(retriever(way.store(docs), **options), documents=docs[:originals], **inputs)
    return [f"{event.about}: {event}" for event in t.events]


def test_a_followed_link_is_an_event(way: Way):
    assert events(way, [doc("a", cites=["b"]), doc("b")]) == ["b: followed cites = 'b' from a (hop 1)"]


def test_a_broken_link_is_an_event(way: Way):
    expected = ["a: its link cites = 'x' leads to no document here (hop 1)"]
    assert events(way, [doc("a", cites=["x"])]) == expected


def test_a_link_whose_target_the_filter_holds_back_is_an_event(way: Way):
    ok = {"field": "meta.ok", "operator": "==", "value": 1}
    expected = ["a: its link cites = 'b' leads to no document here (hop 1)"]
    assert events(way, [doc("a", cites=["b"]), doc("b")], filters=ok) == expected


def test_a_link_back_to_an_original_that_the_filter_would_hold_back_is_not_broken(way: Way):
    ok = {"field": "meta.ok", "operator": "==", "value": 1}
    found = events(way, [doc("a", cites=["b"]), doc("b", cites=["a"], ok=1)], filters=ok, depth=2)
    assert [event for event in found if "leads to no document" in event] == []


def test_a_link_to_a_document_already_found_is_an_event(way: Way):
    found = events(way, [doc("a", cites=["c"]), doc("b", cites=["c"]), doc("c")], originals=2)
    assert found == ["c: followed cites = 'c' from a (hop 1)", "c: linked again by cites = 'c' from b (hop 1)"]


def test_a_cut_hub_is_an_event_and_so_is_each_document_left_out(way: Way):
    docs = [doc("a", cites=["hub"]), *(Document(id=f"h{n}", meta={"name": "hub"}) for n in range(3))]
    found = events(way, docs, max_targets=2)
    assert ": hop 1 found 3 documents and kept 2 (max_targets)" in found
    assert "h2: dropped: hop 1 may add max_targets 2 documents" in found
    assert not any(event.startswith("h2: followed") for event in found)


def test_a_document_beyond_top_k_is_an_event(way: Way):
    found = events(way, [doc("a", cites=["b"]), doc("b")], top_k=1)
    assert "b: dropped: it came at place 2, and top_k is 1" in found


def test_an_original_given_twice_is_an_event(way: Way):
    a = doc("a")
    with spaniel.trace() as t:
        way.run(retriever(way.store()), documents=[a, a])
    assert [str(event) for event in t.about("a")] == ["came more than once; counted once"]


def test_results_are_the_same_with_a_trace_and_without(way: Way):
    docs = [doc(n, cites=[n + 1, n + 2, 0, 99], sees=[n * 2]) for n in range(12)]
    chosen = retriever(way.store(docs), depth=3, top_k=9, max_targets=4)
    plain = way.run(chosen, documents=docs[:2])
    with spaniel.trace():
        assert way.run(chosen, documents=docs[:2]) == plain
    assert len(ids(plain["documents"])) == 9


def test_a_quota_bounds_the_targets_of_many_links_to_a_hub():
    hub = [Document(id=f"h{n}", meta={"name": "hub"}) for n in range(2000)]
    origins = [Document(id=f"o{n}", meta={"cites": "hub"}) for n in range(2000)]
    options = {"filter_key": "name", "relevant_doc_keys": ["cites"], "top_k": 9999, "depth": 1}
    found, _ = ran(follow_links(origins, **options, key_quotas={"cites": 5}), hub)
    assert len(found) == 2005
