"""Why a document is not in a result: the reason that is named is the true one."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spaniel
from spaniel import Document
from spaniel.components.joiners import DocumentJoiner
from spaniel.components.preprocessors import SectionSplitter
from spaniel.components.rankers import LostInTheMiddleRanker, MetaFieldRanker
from spaniel.components.retrievers import (
    AutoMergingRetriever,
    FilterRetriever,
    RecursiveRetriever,
    SentenceWindowRetriever,
    StructuredRetriever,
)
from spaniel.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.filters import document_matches_filter
from spaniel.testing import CountingStore, PlainStore
from spaniel.tracing import Reason
from tests.components.retrievers.trees import ancestors
from tests.tracing.libraries import FILTERS, QUERIES, documents, stored

FRUIT = [
    Document(id="a", content="red apple", meta={"lang": "en"}),
    Document(id="b", content="red red sky", meta={"lang": "en"}),
    Document(id="c", content="blue sea", meta={"lang": "en"}),
    Document(id="d", content="red sea", meta={"lang": "de"}),
]


GERMAN = {"field": "meta.lang", "operator": "==", "value": "de"}


def first(trace: spaniel.Trace, id: str) -> Reason:
    answer = trace.why_not(id)
    assert answer.first is not None
    assert str(answer.first) in str(answer)
    return answer.first


# --- documents that a search missed, compared with our own search ---------------------------------


@settings(max_examples=60)
@given(
    documents(),
    QUERIES,
    FILTERS,
    st.integers(1, 4),
    st.sampled_from([None, 0.5, 2.0]),
    st.sampled_from(["all", "leaves"]),
)
def test_a_search_names_the_true_reason(
    made: list[Document], query: str, filters: Any, top_k: int, min_score: float | None, search: str
) -> None:
    store = stored(made, search=search)
    with spaniel.trace() as t:
        found = InMemoryBM25Retriever(store, filters, top_k, min_score=min_score).run(query)["documents"]
    ranked = [each for each in store.bm25_retrieval(query, top_k=1000) if passes(filters, each)]
    places = {each.id: (rank, each.score) for rank, each in enumerate(ranked, 1)}
    for document in [*made, Document(id="absent")]:
        if document.id in {each.id for each in found}:
            assert t.why_not(document.id).rank is not None
            continue
        reason = first(t, document.id)
        assert reason.cause == true_cause(document, query, filters, top_k, search, places)
        if reason.cause == "top_k":
            assert (reason.figures["rank"], reason.figures["score"]) == places[document.id]
            assert reason.figures["last_score"] == ranked[top_k - 1].score
        assert t.why_not(document.id).changed == ()


def passes(filters: Any, document: Document) -> bool:
    return not filters or document_matches_filter(filters, document)


def true_cause(
    document: Document, query: str, filters: Any, top_k: int, search: str, places: dict[str, tuple[int, float]]
) -> str:
    if document.id == "absent":
        return "not_stored"
    if not passes(filters, document):
        return "filtered"
    if search == "leaves" and document.meta["__children_ids"]:
        return "not_searched"
    if not set(query.split()) & set((document.content or "").split()):
        return "no_common_term"
    return "top_k" if places[document.id][0] > top_k else "min_score"


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=8), st.integers(1, 4))
def test_a_vector_search_names_the_true_rank(vectors: list[tuple[int, int]], top_k: int) -> None:
    made = [Document(id=f"v{n}", embedding=[float(x), float(y)]) for n, (x, y) in enumerate(vectors)]
    store = stored([*made, Document(id="plain", content="no vector")])
    with spaniel.trace() as t:
        InMemoryEmbeddingRetriever(store, top_k=top_k).run([1.0, 0.5])
    order = sorted(made, key=lambda each: -(each.embedding[0] + each.embedding[1] / 2))
    for rank, document in enumerate(order, 1):
        if rank <= top_k:
            assert t.why_not(document.id).rank == rank
        else:
            assert (first(t, document.id).cause, first(t, document.id).figures["rank"]) == ("top_k", rank)
    assert first(t, "plain").cause == "no_embedding"


# --- the whole chain ------------------------------------------------------------------------------

CHAINS = st.fixed_dictionaries(
    {
        "top_k": st.integers(1, 3),
        "merge": st.booleans(),
        "threshold": st.sampled_from([0.3, 0.5, 0.9]),
        "window": st.integers(0, 1),
        "follow": st.sampled_from([[], ["links"]]),
        "depth": st.integers(1, 2),
        "hits": st.sampled_from([None, 2]),
        "direction": st.sampled_from(["out", "in", "both"]),
        "score_decay": st.sampled_from([None, 0.5]),
        "share": st.sampled_from(["children", "text"]),
        "min_children": st.integers(1, 2),
        "window_over": st.sampled_from(["source", "root"]),
        "budget": st.sampled_from([None, None, 0, 3, 10]),
    }
)


@settings(max_examples=60)
@given(documents(), QUERIES, FILTERS, CHAINS)
def test_whatever_is_not_in_the_result_of_a_chain_has_a_true_reason(
    made: list[Document], query: str, filters: Any, options: dict[str, Any]
) -> None:
    store = stored(made, search="leaves")
    with spaniel.trace() as t:
        found = StructuredRetriever(store, filters=filters, **options).run(query)["documents"]
    returned = [document.id for document in found]
    for document in made:
        answer = t.why_not(document.id)
        if document.id in returned:
            assert (answer.rank, answer.first) == (returned.index(document.id) + 1, None)
            assert t.why(document.id).lines
            continue
        assert answer.changed == ()
        check_reason(answer, document, t, query, filters, returned)


def check_reason(
    answer: spaniel.tracing.WhyNot, document: Document, t: spaniel.Trace, query: str, filters: Any, returned: list[str]
) -> None:
    reason = answer.first
    assert reason is not None
    results = {stage.name: [each.id for each in stage.results] for stage in t.stages}
    if reason.cause == "no_common_term":
        assert not set(query.split()) & set((document.content or "").split())
    elif reason.cause == "filtered":
        assert not passes(filters, document)
    elif reason.cause == "not_searched":
        assert document.meta["__children_ids"]
    elif reason.cause == "gave_way":
        assert reason.figures["to"] in [*ancestors(document.id)] or reason.name == "budget"
    elif reason.cause == "top_k":
        assert document.id not in results[reason.name]
    elif reason.cause == "repeat":
        assert reason.name == "follow"
    elif reason.cause == "over_budget":
        assert reason.name == "budget"
    else:
        raise AssertionError(f"no reason was expected to be {reason}")
    if answer.inside is not None:
        assert answer.inside in returned
        assert answer.inside in ancestors(document.id) or "window" in results or "budget" in results


# --- one cause each, with its sentence ------------------------------------------------------------


def test_no_word_in_common_tells_the_words_of_both_the_closest_first() -> None:
    store = stored([Document(id="a", content="the spaniel hunted"), Document(id="b", content="hunting")])
    with spaniel.trace() as t:
        InMemoryBM25Retriever(store).run("hunting")
    assert str(first(t, "a")) == (
        "1. InMemoryBM25Retriever: no word in common: the query has hunting; it has hunted, the, spaniel"
    )
    assert first(t, "a").figures["close_terms"] == ["hunted"]


def test_a_rank_beyond_top_k_is_reported_with_both_scores() -> None:
    with spaniel.trace() as t:
        [best] = InMemoryBM25Retriever(stored(FRUIT), top_k=1).run("red")["documents"]
    reason = first(t, "d")
    assert (best.id, reason.figures["rank"]) == ("b", 3)
    assert reason.text == (
        f"rank 3 of top_k 1: its score is {reason.figures['score']:.4g}, and the one at rank 1 has {best.score:.4g}"
    )


def test_a_tie_is_said_to_be_one() -> None:
    store = stored([Document(id="a", content="sky"), Document(id="b", content="sky")])
    with spaniel.trace() as t:
        InMemoryBM25Retriever(store, top_k=1).run("sky")
    assert first(t, "b").text.endswith("which comes first in the store")


def test_a_filter_is_reported_by_the_condition_and_the_value() -> None:
    filters = {
        "operator": "AND",
        "conditions": [
            {"field": "meta.lang", "operator": "in", "value": ["en", "fr"]},
            {"field": "content", "operator": "!=", "value": "x"},
        ],
    }
    with spaniel.trace() as t:
        InMemoryBM25Retriever(stored(FRUIT), filters).run("red")
    reason = first(t, "d")
    assert reason.text == "filtered out by meta.lang in ['en', 'fr'], as its value is 'de'"
    assert reason.figures == {"values": {"meta.lang": "de"}}


def test_a_document_that_is_not_stored_names_ids_like_it() -> None:
    store = stored([Document(id="chapter-1", content="x"), Document(id="chapter-2", content="x")])
    with spaniel.trace() as t:
        InMemoryBM25Retriever(store).run("y")
    answer = t.why_not("chapter-9")
    assert (answer.first.cause, set(answer.nearest)) == ("not_stored", {"chapter-1", "chapter-2"})  # type: ignore[union-attr]
    assert "Ids like it: chapter-" in str(answer)


def test_a_plain_filter_stage_says_why_too() -> None:
    german = {"field": "meta.lang", "operator": "==", "value": "de"}
    with spaniel.trace() as t:
        FilterRetriever(stored(FRUIT), german).run()
    assert first(t, "a").text == "filtered out by meta.lang == 'de', as its value is 'en'"


def test_a_document_of_one_of_two_searches_is_lost_later() -> None:
    store = stored([Document(id="a", content="sky", embedding=[1.0]), Document(id="b", content="sea", embedding=[0.5])])
    with spaniel.trace() as t:
        words = InMemoryBM25Retriever(store).run("sky")["documents"]
        near = InMemoryEmbeddingRetriever(store).run([1.0])["documents"]
        DocumentJoiner(top_k=1).run([words, near])
    reason = first(t, "b")
    assert (reason.name, reason.cause, reason.figures["rank"]) == ("DocumentJoiner", "top_k", 2)


def test_a_document_of_no_search_has_a_reason_of_each() -> None:
    store = stored([Document(id="a", content="sky", embedding=[1.0]), Document(id="b", content="sea", embedding=[0.5])])
    with spaniel.trace() as t:
        words = InMemoryBM25Retriever(store).run("sky")["documents"]
        near = InMemoryEmbeddingRetriever(store, top_k=1).run([1.0])["documents"]
        DocumentJoiner().run([words, near])
    assert [reason.cause for reason in t.why_not("b").reasons] == ["no_common_term", "top_k"]


@pytest.mark.parametrize("ranker", [LostInTheMiddleRanker(top_k=1), MetaFieldRanker("year", top_k=1)])
def test_a_ranker_that_cuts_is_named(ranker: Any) -> None:
    made = [Document(id=f"d{n}", content="sky", meta={"year": 2000 - n}) for n in range(3)]
    with spaniel.trace() as t:
        ranker.run(InMemoryBM25Retriever(stored(made)).run("sky")["documents"])
    reason = first(t, "d2")
    assert (reason.name, reason.cause, reason.figures["rank"]) == (type(ranker).__name__, "top_k", 3)


def test_a_document_that_untraced_code_drops_is_not_given_on() -> None:
    store = stored(FRUIT)
    with spaniel.trace() as t:
        found = InMemoryBM25Retriever(store).run("red")["documents"]
        RecursiveRetriever(store, "id", ["links"]).run(found[:1])
    reason = first(t, "d")
    assert (reason.cause, reason.stage, reason.figures["rank"]) == ("not_given", 2, 3)


def test_a_link_that_is_too_far_names_who_links_to_it() -> None:
    made = [Document(id=f"d{n}", content=f"word{n}", meta={"links": [f"d{n + 1}"]}) for n in range(4)]
    store = stored(made)
    with spaniel.trace() as t:
        RecursiveRetriever(store, "id", ["links"], depth=2).run(made[:1])
    reason = first(t, "d3")
    assert reason.cause == "not_linked"
    assert reason.text == "no link under links leads to it within 2 hops; links to it are in d2"


def test_a_chunk_outside_all_windows_says_how_far_it_stands() -> None:
    chunks = [Document(id=str(n), content=str(n), meta={"source_id": "s", "split_id": n}) for n in range(6)]
    with spaniel.trace() as t:
        SentenceWindowRetriever(stored(chunks), 1).run(chunks[:1])
    assert first(t, "4").text == "its distance from 0, the nearest hit of its source, is 4; the window is 1"


def test_a_parent_that_was_not_merged_says_how_many_of_its_children_were_hit() -> None:
    made = [Document(id="p", content="x y z", meta=tree(None, "a", "b", "c"))]
    made += [Document(id=id, content=id, meta=tree("p")) for id in "abc"]
    store = stored(made, search="leaves")
    with spaniel.trace() as t:
        hits = InMemoryBM25Retriever(store).run("a")["documents"]
        AutoMergingRetriever(store).run(hits)
    assert [reason.cause for reason in t.why_not("p").reasons] == ["not_searched", "too_few_children"]
    assert "1 of 3 were hit (0.33 <= 0.5)" in str(t.why_not("p"))


def tree(parent: str | None, *children: str) -> dict[str, Any]:
    return {
        "__parent_id": parent,
        "__children_ids": list(children),
        "__level": int(parent is not None),
        "__block_size": 1,
    }


def test_a_merged_leaf_is_in_the_result_inside_its_parent() -> None:
    made = [Document(id="p", content="x x", meta=tree(None, "a", "b"))]
    made += [Document(id=id, content="x", meta=tree("p")) for id in "ab"]
    store = stored(made, search="leaves")
    with spaniel.trace() as t:
        AutoMergingRetriever(store).run(InMemoryBM25Retriever(store).run("x")["documents"])
    answer = t.why_not("a")
    assert (answer.inside, answer.first.cause) == ("p", "gave_way")  # type: ignore[union-attr]
    assert "is in the result inside p" in str(answer)


# --- changes of the store, and the cost of requests -----------------------------------------------


def test_a_store_that_has_changed_is_said_to_have() -> None:
    store = stored(FRUIT)
    with spaniel.trace() as t:
        InMemoryBM25Retriever(store, top_k=1).run("red")
    store.write_documents([Document(id="e", content="red")])
    store.delete_documents(["b"])
    changed = t.why_not("c").changed
    assert changed == ("b is gone",)
    assert set(t.why_not("e").changed) == {
        "b is gone",
        "InMemoryBM25Retriever finds other documents now, or with other scores",
        "InMemoryBM25Retriever finds it now, at rank 1",
    }


def test_a_document_with_another_text_now_is_said_to_be_another() -> None:
    store = stored(FRUIT)
    with spaniel.trace() as t:
        InMemoryBM25Retriever(store).run("red")
    store.update_by_filter({"field": "id", "operator": "==", "value": "a"}, {"lang": "fr"})
    assert t.why_not("c").changed == ("a is another now",)


def test_requests_are_counted_as_for_the_trace_and_bounded() -> None:
    store = CountingStore(stored([Document(id=f"d{n:03}", content="sky") for n in range(300)]))
    with spaniel.trace() as t:
        InMemoryBM25Retriever(store, top_k=2).run("sky")
    assert len(t.events) == 2  # the terms are asked for
    asked = [request for request in t.requests if not request.for_trace]
    store.forget()
    assert first(t, "d299").figures["rank"] == 300
    assert [request for request in t.requests if not request.for_trace] == asked
    made = sum(number for name, number in store.calls.items() if name != "query_terms")
    assert made == len([request for request in t.requests if request.for_trace]) - 1  # the terms were asked for before
    assert made <= 10


def test_a_store_without_look_ups_is_asked_by_filters() -> None:
    german = {"field": "meta.lang", "operator": "==", "value": "de"}
    with spaniel.trace() as t:
        FilterRetriever(PlainStore(stored(FRUIT)), german).run()
    assert first(t, "a").cause == "filtered"


def test_without_a_trace_of_anything_the_answer_says_so() -> None:
    with spaniel.trace() as t:
        pass
    assert first(t, "x").cause == "not_returned"


def test_an_empty_store_is_no_error() -> None:
    with spaniel.trace() as t:
        InMemoryBM25Retriever(InMemoryDocumentStore()).run("x")
    assert first(t, "x").cause == "not_stored"


def test_of_two_searches_one_after_the_other_the_last_counts() -> None:
    store = stored(FRUIT)
    with spaniel.trace() as t:
        InMemoryBM25Retriever(store).run("apple")
        InMemoryBM25Retriever(store).run("sea")
    reason = first(t, "a")
    assert (reason.stage, reason.cause) == (2, "no_common_term")


def test_a_store_that_answers_async_calls_only_cannot_be_asked() -> None:
    class Distant:
        def __init__(self, store: InMemoryDocumentStore) -> None:
            self.filter_documents_async = store.filter_documents_async

    with spaniel.trace() as t:
        asyncio.run(FilterRetriever(Distant(stored(FRUIT)), GERMAN).run_async())  # type: ignore[arg-type]
    assert first(t, "a").cause == "not_found"
    assert t.why_not("a", stored(FRUIT)).first.cause == "filtered"  # type: ignore[union-attr]


def test_a_section_is_explained_by_the_best_of_its_parts() -> None:
    filler = "Meat and fish and rice. " * 30
    text = f"# Dogs\n\n{filler}\n\n{filler}\n\nBones.\n\n{filler}\n\n# Cats\n\nBones bones bones.\n"
    pieces = SectionSplitter(max_words=40).run([Document(id="pets", content=text)])["documents"]
    store = stored(pieces, search="leaves")
    with spaniel.trace() as t:
        [best] = StructuredRetriever(store, 1, hits=1).run("bones")["documents"]
    assert best.meta["section"] == ["Cats"]
    [dogs] = [
        piece
        for piece in pieces
        if piece.meta.get("anchor", "").endswith("dogs")
        or (piece.meta.get("section") == ["Dogs"] and piece.meta["__children_ids"])
    ]
    reason = first(t, dogs.id)
    ranked = [hit.id for hit in store.bm25_retrieval("bones", top_k=100)]
    assert (reason.cause, reason.figures["rank"]) == ("not_searched", ranked.index(reason.figures["part"]) + 1)
    assert f"has rank {reason.figures['rank']} of top_k 1" in reason.text


@given(documents(), QUERIES)
def test_the_best_part_of_an_unsearched_document_is_the_best(made: list[Document], query: str) -> None:
    store = stored(made, search="leaves")
    with spaniel.trace() as t:
        InMemoryBM25Retriever(store, top_k=1).run(query)
    ranked = [hit.id for hit in store.bm25_retrieval(query, top_k=1000)]
    for document in made:
        if document.meta["__children_ids"]:
            figures = first(t, document.id).figures
            inside = [id for id in ranked if document.id in ancestors(id)]
            if inside:
                assert (figures["part"], figures["rank"]) == (inside[0], ranked.index(inside[0]) + 1)
            else:
                assert "part" not in figures


def test_a_store_that_keeps_its_embeddings_to_itself_is_not_said_to_have_none() -> None:
    made = [Document(id="a", embedding=[1.0]), Document(id="b", embedding=[0.5])]
    store = stored(made, return_embedding=False)
    with spaniel.trace() as t:
        InMemoryEmbeddingRetriever(store, top_k=1).run([1.0])
    assert first(t, "b").cause == "top_k"


def test_threads_find_and_explain_the_same() -> None:
    store = stored(FRUIT)

    def asked() -> tuple[list[str], str]:
        with spaniel.trace() as t:
            found = StructuredRetriever(store, 1).run("red sea")["documents"]
        return [document.id for document in found], str(t.why_not("a"))

    with ThreadPoolExecutor(4) as pool:
        assert len({repr(answer) for answer in pool.map(lambda _: asked(), range(40))}) == 1


# --- references -----------------------------------------------------------------------------------

PAGES = [
    Document(id="p1", content="red apple", meta={"path": "fruit.md", "anchor": "fruit.md#red"}),
    Document(id="p2", content="red red sky", meta={"path": "fruit.md", "anchor": "fruit.md#sky"}),
    Document(id="p3", content="blue sea", meta={"path": "sea.md", "anchor": "sea.md"}),
    Document(id="p4", content="deep sea", meta={"path": "sea.md", "anchor": "sea.md#deep"}),
    Document(id="p5", content="red", meta={"path": "other.md"}),
]


def red(store: Any, top_k: int = 1) -> spaniel.Trace:
    with spaniel.trace() as t:
        InMemoryBM25Retriever(store, top_k=top_k).run("red")
    return t


def test_a_path_or_an_anchor_refers_to_a_document() -> None:
    t = red(stored(PAGES))
    assert (t.why_not("sea.md").id, t.why_not("sea.md").documents) == ("p3", ("p3",))
    answer = t.why_not("sea.md#deep")
    assert (answer.id, answer.documents, answer.first.cause) == ("p4", ("p4",), "no_common_term")  # type: ignore[union-attr]
    assert answer.to_dict()["documents"] == ["p4"]
    assert t.why_not("p4").documents == ()
    assert t.why_not("no.md").first.cause == "not_stored"  # type: ignore[union-attr]


def test_of_several_documents_the_closest_to_the_result_is_explained() -> None:
    store = stored(PAGES)
    t = red(store)
    answer = t.why_not("fruit.md")
    assert ([result.id for result in t.results], answer.documents, answer.id) == (["p5"], ("p1", "p2"), "p2")
    assert answer.first.figures["rank"] == 2  # type: ignore[union-attr]
    assert red(store, top_k=2).why_not("fruit.md").rank == 2
    assert "closest to the result of 2 documents: p1, p2" in str(answer)


def test_a_reference_finds_the_documents_of_stores_without_look_ups_and_of_saved_traces(tmp_path: Path) -> None:
    t = red(stored(PAGES), top_k=5)
    t.save(tmp_path / "t.json")
    again = spaniel.Trace.load(tmp_path / "t.json")
    assert again.why_not("fruit.md").documents in {("p1", "p2"), ("p2", "p1")}
    assert again.why_not("sea.md").documents == ()  # the trace has not seen it
    with spaniel.trace() as plain:
        FilterRetriever(PlainStore(stored(PAGES)), {"field": "meta.path", "operator": "==", "value": "sea.md"}).run()
    assert plain.why_not("fruit.md#sky").id == "p2"


def test_a_reference_is_looked_up_in_the_stores_of_all_stages() -> None:
    with spaniel.trace() as t:
        InMemoryBM25Retriever(stored(FRUIT)).run("red")
        InMemoryBM25Retriever(stored(PAGES)).run("red")
    assert t.why_not("sea.md").documents == ("p3",)
