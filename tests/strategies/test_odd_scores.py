"""A score that is NaN ranks last wherever documents are ordered by score; infinity ranks as a
number.
"""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaniel import Document, Pipeline
from spaniel.components.joiners import DocumentJoiner
from spaniel.components.rankers import LostInTheMiddleRanker, MetaFieldGroupingRanker, MetaFieldRanker
from spaniel.components.retrievers import AutoMergingRetriever, BestSegments, ContextBudget, SentenceWindowRetriever
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.strategies.fusion import FUSIONS, blend, concatenate, dbsf, fuse, merge, pool
from spaniel.strategies.merging.outcomes import SCORES, score_parent
from spaniel.strategies.scores import (
    compute_utilities,
    deduplicate,
    drop_contained,
    find_highest_score,
    score_sort_key,
    sort_by_score,
    sort_if_scored,
)
from spaniel.strategies.windows.assembly import build_window_document

NAN, INF = math.nan, math.inf
ODD = [NAN, -INF, 0.5, INF, None]


def scored(*scores):
    return [Document(id=f"d{score}", content="x", score=score) for score in scores]


def ids(documents):
    return [document.id for document in documents]


def finish(program):
    try:
        next(program)
    except StopIteration as end:
        return end.value
    raise AssertionError("it asks a store")


@given(st.lists(st.floats() | st.none(), max_size=8))
def test_scores_are_ordered_by_number_with_none_as_minus_infinity_and_nan_last(scores):
    documents = [Document(id=str(place), score=score) for place, score in enumerate(scores)]
    values = [-INF if score is None else score for score in scores]
    numbers = sorted((value for value in values if not math.isnan(value)), reverse=True)
    nans = sum(score is not None and math.isnan(score) for score in scores)
    ordered = [document.score for document in sort_by_score(documents)]
    assert [-INF if score is None else score for score in ordered[: len(numbers)]] == numbers
    assert all(math.isnan(score) for score in ordered[len(ordered) - nans :])
    assert (
        find_highest_score(documents) == max((s for s in scores if s is not None), key=score_sort_key, default=None)
        or nans
    )


@pytest.mark.parametrize("scores", list(itertools.permutations([NAN, -INF, 0.5, INF])))
def test_nan_is_last_and_infinity_a_number(scores):
    expected = ["dinf", "d0.5", "d-inf", "dnan"]
    assert ids(sort_by_score(scored(*scores))) == expected
    assert ids(sort_if_scored(scored(*scores))) == expected
    assert ids(finish(pool(scored(*scores)))) == expected


@pytest.mark.parametrize("mode", ["concatenate", "merge", "distribution_based_rank_fusion"])
@pytest.mark.parametrize("scores", list(itertools.permutations([NAN, 0.5, 0.9])))
def test_a_joiner_puts_nan_last(mode, scores):
    joined = DocumentJoiner(join_mode=mode).run([scored(*scores), scored(0.7)])["documents"]
    assert ids(joined) == (["d0.9", "d0.7", "d0.5", "dnan"] if mode == "concatenate" else [*ids(joined)[:3], "dnan"])
    assert ids(finish(fuse(scored(*scores), scored(0.7), join_mode=mode, min_score=0.0))).count("dnan") == 0


@pytest.mark.parametrize("copies", list(itertools.permutations([NAN, 0.5, None])))
def test_of_several_copies_the_one_with_a_number_stays(copies):
    same = [Document(id="a", score=score) for score in copies]
    assert [document.score for document in deduplicate(same)] == [0.5]
    assert [document.score for document in concatenate([[document] for document in same])] == [0.5]


def test_a_nan_adds_nothing_to_a_merged_score():
    lists = [[Document(id="a", score=NAN), Document(id="b", score=NAN)], [Document(id="a", score=0.5)]]
    merged = {document.id: document.score for document in merge(lists)}
    assert merged["a"] == 0.25
    assert math.isnan(merged["b"])
    assert merge([[Document(id="a", score=INF)], [Document(id="a", score=1.0)]], [0.0, 1.0])[0].score == 1.0


def test_a_nan_or_an_infinity_does_not_change_how_the_others_are_rescaled():
    finite = {document.id: document.score for document in dbsf([scored(1.0, 2.0, 4.0)])}
    mixed = {document.id: document.score for document in dbsf([scored(NAN, 1.0, INF, 2.0, -INF, 4.0)])}
    assert finite.items() <= mixed.items()
    assert (mixed["dinf"], mixed["d-inf"]) == (INF, -INF)
    assert math.isnan(mixed["dnan"])


@pytest.mark.parametrize("mode", ["reciprocal_rank_fusion", "linear_score"])
def test_a_blend_of_orders_takes_odd_scores(mode):
    documents = scored(*ODD)
    assert len(blend(documents, documents[::-1], weight=0.5, mode=mode)) == len(ODD)


@pytest.mark.parametrize("name", [name for name in SCORES if name])
@pytest.mark.parametrize("scores", list(itertools.permutations([NAN, 0.5, 0.25])))
def test_a_parent_is_scored_by_the_children_that_have_a_number(name, scores):
    expected = score_parent(scored(0.5, 0.25), name, 2)
    assert score_parent(scored(*scores), name, 2) == expected
    assert math.isnan(score_parent(scored(NAN, NAN), name, 2))


@pytest.mark.parametrize("name", [name for name in SCORES if name])
def test_a_parent_of_infinite_children_has_a_score(name):
    assert score_parent(scored(INF, 1.0), name, 3) == INF
    assert isinstance(score_parent(scored(INF, -INF), name, 3), float)
    assert isinstance(score_parent(scored(1e308, 1.5e308), name, 3), float)


def test_a_container_of_hits_has_the_highest_number():
    whole, part = (
        Document(id=id, content="", score=score, meta={"__root_id": "r", "__start": 0, "__end": end})
        for id, score, end in (("whole", NAN, 9), ("part", 0.5, 5))
    )
    assert [document.score for document in drop_contained([whole, part])] == [0.5]
    assert build_window_document([part], "a", [whole, part]).score == 0.5


@pytest.mark.parametrize("odd", [NAN, None, INF, -INF, 0.0])
def test_a_hit_of_an_odd_score_is_worth_something_finite(odd):
    hits = scored(odd, 0.9, 0.5)
    worths = dict(zip(ids(hits), compute_utilities(hits), strict=True))
    assert all(0 < worth < INF for worth in worths.values())
    if odd is NAN:
        assert min(worths, key=worths.__getitem__) == "dnan"


def hierarchy():
    root = Document(id="r", content="aa bb", meta={"__level": 0, "__block_size": 2, "__children_ids": ["x", "y"]})
    leaves = [
        Document(
            id=id,
            content=text,
            meta={
                "__level": 1,
                "__block_size": 1,
                "__parent_id": "r",
                "__root_id": "r",
                "__start": start,
                "__end": start + len(text),
            }
            | {"source_id": "r", "split_id": number, "split_idx_start": start},
        )
        for number, (id, text, start) in enumerate([("x", "aa ", 0), ("y", "bb", 3)])
    ]
    store = InMemoryDocumentStore()
    store.write_documents([root, *leaves])
    return store, leaves


@pytest.mark.parametrize("odd", [NAN, INF, -INF])
@pytest.mark.parametrize("kind", [AutoMergingRetriever, ContextBudget, BestSegments, SentenceWindowRetriever])
def test_retrievers_of_structure_take_hits_of_odd_scores(kind, odd):
    store, leaves = hierarchy()
    hits = [Document(id=leaf.id, content=leaf.content, meta=leaf.meta, score=odd) for leaf in leaves]
    retriever = ContextBudget(store, budget=100) if kind is ContextBudget else kind(store)
    name = "retrieved_documents" if kind is SentenceWindowRetriever else "documents"
    found = Pipeline().add_component("it", retriever).run({"it": {name: hits}})["it"]
    assert found.get("documents", found.get("context_documents"))


@pytest.mark.parametrize("values", list(itertools.permutations([NAN, 1.0, 2.0])))
def test_rankers_put_a_nan_of_metadata_last(values):
    documents = [Document(id=f"d{value}", meta={"year": value, "file": "f"}) for value in values]
    for order, expected in (("ascending", ["d1.0", "d2.0"]), ("descending", ["d2.0", "d1.0"])):
        ranked = MetaFieldRanker("year", weight=1.0, sort_order=order).run(documents)["documents"]
        assert ids(ranked) == [*expected, "dnan"]
    grouped = MetaFieldGroupingRanker(group_by="file", sort_docs_by="year").run(documents)["documents"]
    assert ids(grouped) == ["d1.0", "d2.0", "dnan"]
    assert len(LostInTheMiddleRanker().run(scored(*ODD))["documents"]) == len(ODD)


def test_a_linear_ranker_takes_a_score_of_nan_as_zero():
    documents = [Document(id="a", score=NAN, meta={"year": 1}), Document(id="b", score=0.9, meta={"year": 1})]
    ranked = MetaFieldRanker("year", weight=0.1, ranking_mode="linear_score").run(documents)["documents"]
    assert ids(ranked) == ["b", "a"]


def test_every_fusion_takes_odd_scores():
    for fusion in FUSIONS.values():
        assert len(fusion([scored(*ODD), scored(NAN, 0.5)], None)) == len(ODD)
