"""Search, merge, links and windows as one retriever: the same as its parts, at no more than the
planned requests.
"""

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spaniel
from spaniel import Document
from spaniel.components.embedders import MockDocumentEmbedder, MockTextEmbedder
from spaniel.components.preprocessors import SectionSplitter
from spaniel.components.retrievers import AutoMergingRetriever, RecursiveRetriever, StructuredRetriever
from spaniel.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.errors import FilterError, WrongStoreError
from spaniel.filters import document_matches_filter
from spaniel.strategies.score_fusion import add_scores
from spaniel.strategies.scores import drop_overlapping_links
from spaniel.testing import AsyncOnlyStore, CountingStore, PlainStore
from tests.tracing.libraries import FILTERS, QUERIES, documents, stored
from tests.tracing.test_why_not import CHAINS

ARTICLES = [
    Document(
        content="# Dogs\n\nA spaniel finds things. See [toys](toys.md).\n\n# Cats\n\nA cat sleeps.",
        meta={"path": "pets.md"},
    ),
    Document(content="# Toys\n\nBalls and bones.", meta={"path": "toys.md"}),
]


def library(**options: Any) -> InMemoryDocumentStore:
    pieces = SectionSplitter().run(ARTICLES)["documents"]
    return stored(MockDocumentEmbedder().run(pieces)["documents"], search="leaves", **options)


def ids(found: list[Document]) -> list[str]:
    return [document.id for document in found]


def both(retriever: StructuredRetriever, *args: Any, **kwargs: Any) -> dict[str, Any]:
    """Return the result of a run, checked to be the same as that of a coroutine over a store that
    is async only.
    """
    result = retriever.run(*args, **kwargs)
    plain, retriever.document_store = retriever.document_store, AsyncOnlyStore(retriever.document_store)
    try:
        assert asyncio.run(retriever.run_async(*args, **kwargs)) == result
    finally:
        retriever.document_store = plain
    return result


@settings(max_examples=50)
@given(documents(), QUERIES, FILTERS, CHAINS)
def test_sync_and_async_give_the_same_and_ask_no_more_than_planned(
    made: list[Document], query: str, filters: Any, options: dict[str, Any]
) -> None:
    store = CountingStore(stored(made, search="leaves"))
    retriever = StructuredRetriever(store, filters=filters, **options)
    plan = retriever.plan()
    store.forget()
    with spaniel.trace() as t:
        result = both(retriever, query)
    assert len(result["documents"]) == len(result["context_windows"]) == len({each.id for each in result["documents"]})
    stages = t.stages[: len(t.stages) // 2]
    assert [stage.name for stage in stages] == retriever.parts() == [part.name for part in plan]
    for part, stage in zip(plan, stages, strict=True):
        assert len([request for request in stage.requests if not request.for_trace]) <= part.requests  # type: ignore[operator]
    with_trace = store.calls.total()
    store.forget()
    retriever.run(query)
    assert store.calls.total() <= sum(part.requests or 0 for part in plan)
    assert store.calls.total() < with_trace


@given(documents(), QUERIES, FILTERS, st.integers(1, 4), st.sampled_from([0.3, 0.5, 0.9]))
def test_equals_the_retrievers_run_in_sequence(
    made: list[Document], query: str, filters: Any, top_k: int, threshold: float
) -> None:
    store = stored(made, search="leaves")
    hits = InMemoryBM25Retriever(store, filters, 4 * top_k).run(query)["documents"]
    merged = AutoMergingRetriever(store, threshold).run(hits)["documents"][:top_k]
    retriever = StructuredRetriever(store, top_k, filters=filters, threshold=threshold)
    assert retriever.run(query)["documents"] == merged
    following = RecursiveRetriever(
        store, "anchor", ["links"], top_k=2 * top_k, filters=filters, force_keep_original_documents=True
    )
    linked = StructuredRetriever(store, top_k, filters=filters, threshold=threshold, follow=["links"])
    assert linked.run(query)["documents"] == drop_overlapping_links(following.run(merged)["documents"], merged)


def test_vectors_are_searched_by_an_embedder_or_a_given_vector() -> None:
    store, embedder = library(), MockTextEmbedder()
    vector = embedder.run("spaniel")["embedding"]
    near = InMemoryEmbeddingRetriever(store, top_k=2).run(vector)["documents"]
    retriever = StructuredRetriever(store, 2, search="embedding", text_embedder=embedder, merge=False)
    assert both(retriever, "spaniel")["documents"] == near
    assert both(StructuredRetriever(store, 2, search="embedding", merge=False), "", vector)["documents"] == near


def test_a_hybrid_search_adds_the_scores_of_both() -> None:
    store, vector = library(), MockTextEmbedder().run("bones")["embedding"]
    words = InMemoryBM25Retriever(store, top_k=4).run("bones")["documents"]
    near = InMemoryEmbeddingRetriever(store, top_k=4).run(vector)["documents"]
    retriever = StructuredRetriever(store, 1, search="hybrid", merge=False)
    with spaniel.trace() as t:
        result = both(retriever, "bones", vector)
    assert result["documents"] == add_scores([words, near])[:1]
    assert [stage.name for stage in t.stages[:3]] == retriever.parts() == ["bm25", "embedding", "fuse"]


def test_missing_vector_error_has_a_remedy() -> None:
    with pytest.raises(ValueError, match="pass query_embedding, or set text_embedder"):
        StructuredRetriever(library(), search="hybrid").run("x")


def test_min_score_counts_after_the_fusion() -> None:
    store, vector = library(), MockTextEmbedder().run("bones")["embedding"]
    result = StructuredRetriever(store, search="hybrid", merge=False, min_score=0.99).run("bones", vector)
    assert all(document.score >= 0.99 for document in result["documents"])


def test_no_hops_are_no_part() -> None:
    with spaniel.trace() as t:
        retriever = StructuredRetriever(library(), follow=["links"], depth=0)
        assert len(both(retriever, "spaniel")["documents"]) == 1
    assert [stage.name for stage in t.stages[:2]] == retriever.parts() == ["bm25", "merge"]


def test_a_window_is_read_in_place_of_the_passage() -> None:
    chunks = [Document(id=str(n), content=f"word{n} ", meta={"source_id": "s", "split_id": n}) for n in range(4)]
    result = both(StructuredRetriever(stored(chunks), window=1), "word1")
    assert (ids(result["documents"]), result["context_windows"]) == (["1"], ["word0 word1 word2 "])


def test_links_are_followed_to_sections_of_files() -> None:
    result = both(StructuredRetriever(library(), follow=["links"]), "spaniel")
    assert [document.meta["anchor"] for document in result["documents"]] == ["pets.md#dogs", "toys.md"]


def test_hits_without_a_tree_stay_as_they_are() -> None:
    store = stored([Document(id="a", content="red"), Document(id="b", content="red red")])
    assert ids(both(StructuredRetriever(store), "red")["documents"]) == ["b", "a"]


def test_filters_of_a_run_are_joined_as_the_policy_says() -> None:
    store = stored([Document(id="a", content="red", meta={"n": 1}), Document(id="b", content="red", meta={"n": 2})])
    one = {"field": "meta.n", "operator": "==", "value": 1}
    two = {"field": "meta.n", "operator": "==", "value": 2}
    assert ids(StructuredRetriever(store, filters=one).run("red", filters=two)["documents"]) == ["b"]
    narrow = StructuredRetriever(store, filters=one, filter_policy="restrict")  # type: ignore[arg-type]
    assert narrow.run("red", filters=two)["documents"] == []


def test_malformed_filter_raises_before_any_request() -> None:
    store = CountingStore(library())
    with pytest.raises(FilterError):
        StructuredRetriever(store).run("red", filters={"field": "x"})
    assert store.calls == {}


def test_top_k_0_gives_nothing() -> None:
    assert both(StructuredRetriever(library(), follow=["links"], window=1), "spaniel", top_k=0)["documents"] == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"search": "magic"}, "search must be one of .*, got 'magic'"),
        ({"threshold": 1}, "threshold"),
        ({"score": "median"}, "score must be one of .*, got 'median'"),
        ({"top_k": 0}, "top_k"),
        ({"hits": 0}, "hits"),
        ({"window": -1}, "window"),
        ({"depth": -1}, "depth"),
        ({"follow": "links"}, "follow must be a list"),
        ({"min_score": float("nan")}, "min_score"),
    ],
)
def test_a_parameter_out_of_its_range_is_an_error(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        StructuredRetriever(library(), **options)


def test_a_store_that_cannot_search_is_an_error() -> None:
    with pytest.raises(WrongStoreError, match=r"method bm25_retrieval or bm25_retrieval_async, got .*PlainStore"):
        StructuredRetriever(PlainStore(library()))


def test_a_store_need_not_explain_itself() -> None:
    class Searching(PlainStore):
        def bm25_retrieval(self, query: str, filters: Any = None, top_k: int = 10) -> list[Document]:
            return self.store.bm25_retrieval(query, filters, top_k)  # type: ignore[attr-defined, no-any-return]

    with spaniel.trace() as t:
        result = StructuredRetriever(Searching(library()), follow=["links"]).run("spaniel")
    assert len(result["documents"]) == 2
    assert t.why(result["documents"][0].id).rank == 1
    assert StructuredRetriever(Searching(library())).plan()[1].requests is None


def test_plan_as_text() -> None:
    retriever = StructuredRetriever(library(), follow=["links"], depth=2, window=1)
    assert [str(part) for part in retriever.plan()] == [
        "bm25: at most 1 (one bm25_retrieval)",
        "merge: at most 1 (one for each level above the leaves: 1)",
        "follow: at most 2 (one per hop: depth 2)",
        "window: at most 1 (one for all windows together)",
    ]
    assert repr(retriever) == "StructuredRetriever(bm25 -> merge -> follow -> window)"


def test_the_plan_asks_the_store_for_its_levels_once_at_most() -> None:
    store = CountingStore(library())
    assert StructuredRetriever(store).plan(levels=3)[1].requests == 3
    assert store.calls == {}
    StructuredRetriever(store).plan()
    assert store.calls == {"get_metadata_field_min_max": 1}


def test_to_dict_survives_a_round_trip() -> None:
    retriever = StructuredRetriever(
        InMemoryDocumentStore(index="shelf"),
        3,
        search="hybrid",
        text_embedder=MockTextEmbedder(),
        filters={"field": "meta.path", "operator": "!=", "value": "x"},
        follow=["links"],
        window=1,
        budget=100,
    )
    data = retriever.to_dict()
    assert StructuredRetriever.from_dict(data).to_dict() == data
    assert set(data["init_parameters"]) == {
        "document_store", "top_k", "search", "text_embedder", "filters", "follow", "window", "budget"
    }  # fmt: skip


def test_a_pipeline_takes_it_by_its_name() -> None:
    pipeline = spaniel.Pipeline()
    pipeline.add_component("find", StructuredRetriever(InMemoryDocumentStore(index="empty shelf"), follow=["links"]))
    again = spaniel.Pipeline.loads(pipeline.dumps())
    assert again.run({"find": {"query": "x"}}) == {"find": {"documents": [], "context_windows": [], "lineage": []}}


def words(text: str) -> list[str]:
    return text.split()


def test_budget_limits_tokens() -> None:
    store = library()
    retriever = StructuredRetriever(store, merge=False, budget=6, tokenizer=words)
    result = both(retriever, "spaniel bones")
    assert sum(len(text.split()) for text in result["context_windows"]) <= 6
    assert [document.content for document in result["documents"]] == result["context_windows"]
    assert result["context_windows"]
    assert repr(retriever) == "StructuredRetriever(bm25 -> budget)"


def test_budget_records_dropped_hits() -> None:
    with spaniel.trace() as t:
        StructuredRetriever(library(), merge=False, budget=0, tokenizer=words).run("bones")
    reason = t.why_not(t.stages[0].results[0].id).first
    assert reason is not None
    assert (reason.name, reason.cause) == ("budget", "over_budget")


def test_a_linked_passage_may_have_a_score() -> None:
    first, linked = both(StructuredRetriever(library(), follow=["links"], score_decay=0.5), "spaniel")["documents"]
    assert linked.score == first.score / 2


def test_links_are_followed_to_where_they_stand() -> None:
    found = both(StructuredRetriever(library(), follow=["links"], direction="in"), "bones")["documents"]
    assert [document.meta["path"] for document in found] == ["toys.md", "pets.md"]


def test_a_window_may_run_over_the_leaves_of_the_whole_file() -> None:
    retriever = StructuredRetriever(library(), merge=False, window=1, window_over="root")
    [text] = both(retriever, "spaniel")["context_windows"]
    assert text == ARTICLES[0].content


def test_a_tokenizer_is_written_by_its_name() -> None:
    retriever = StructuredRetriever(InMemoryDocumentStore(index="tokens"), budget=5, tokenizer="o200k_base")
    assert StructuredRetriever.from_dict(retriever.to_dict()).tokenizer == "o200k_base"
    named = StructuredRetriever(InMemoryDocumentStore(index="tokens"), budget=5, tokenizer=words).to_dict()
    spaniel.core.serialization.allow_deserialization_module("tests.components")
    assert StructuredRetriever.from_dict(named).tokenizer is words


SELECTIONS = st.fixed_dictionaries(
    {
        "top_k": st.integers(1, 3),
        "offset": st.integers(0, 2),
        "fold": st.booleans(),
        "per_file": st.sampled_from([None, 1, 2]),
        "hits": st.sampled_from([None, 2]),
        "merge": st.booleans(),
        "share": st.sampled_from(["children", "text"]),
        "min_relative_score": st.sampled_from([None, 0.7]),
        "merged_share": st.sampled_from([None, 0.5]),
        "follow": st.sampled_from([[], ["links"]]),
        "depth": st.integers(1, 2),
        "direction": st.sampled_from(["out", "in", "both"]),
        "link_share": st.sampled_from([None, 0.3]),
        "budget": st.sampled_from([None, 0, 10, 1000]),
        "fit": st.sampled_from(["rank", "utility"]),
        "utility": st.sampled_from(["rank", "score"]),
        "neighbours": st.integers(0, 1),
        "window": st.integers(0, 1),
        "filter_context": st.just(True),
    }
)


@settings(max_examples=80)
@given(documents(), QUERIES, FILTERS, SELECTIONS)
def test_selections_give_the_same_in_both_modes_within_the_planned_requests_and_the_filter(
    made: list[Document], query: str, filters: Any, options: dict[str, Any]
) -> None:
    store = CountingStore(stored(made, search="leaves"))
    retriever = StructuredRetriever(store, filters=filters, **options)
    bound = sum(part.requests or 0 for part in retriever.plan())
    store.forget()
    result = both(retriever, query)
    assert store.calls.total() <= 2 * bound
    found = result["documents"]
    assert len(result["context_windows"]) == len({document.id for document in found}) == len(found)
    if options["link_share"] is not None or not options["follow"]:
        assert len(found) <= options["top_k"]
    if filters:
        assert all(document_matches_filter(filters, document) for document in found if document.id in set(ids(made)))
    with spaniel.trace() as t:
        assert retriever.run(query) == result
    for document in made:
        answer = t.why_not(document.id)
        assert (answer.rank is not None) == (document.id in ids(found))
        assert answer.rank is not None or answer.first is not None


@given(documents(), QUERIES, FILTERS, st.integers(0, 4), st.integers(1, 3), st.booleans())
def test_a_page_is_a_slice_of_the_ranking(
    made: list[Document], query: str, filters: Any, offset: int, top_k: int, fold: bool
) -> None:
    store = stored(made, search="leaves")
    options: dict[str, Any] = {"filters": filters, "merge": False, "fold": fold, "follow": ["links"], "link_share": 0.3}
    whole = ids(StructuredRetriever(store, 50, **options).run(query)["documents"])
    page = ids(StructuredRetriever(store, top_k, offset=offset, **options).run(query)["documents"])
    assert page == whole[offset : offset + top_k]


def test_options_at_their_default_are_not_serialised() -> None:
    data = StructuredRetriever(library(), fit="rank", per_file=2).to_dict()["init_parameters"]
    assert {"fit": "rank", "per_file": 2}.items() <= data.items()
    assert not {"fold", "offset", "link_share", "utility", "neighbours"} & data.keys()
