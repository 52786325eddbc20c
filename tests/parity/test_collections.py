"""Keyword search on real collections ranks as in Haystack: sections of PEPs, and SciFact where it
exists.
"""

import random

import pytest

from tests.collection import needs_shared_data, read_own, read_shared
from tests.parity.rankings import VARIANTS, Pair, assert_alike, folded, order_of

PARAMETERS = {
    "BM25Okapi": {"k1": 0.9, "b": 0.4, "epsilon": 0.5},
    "BM25L": {"k1": 0.9, "b": 0.4, "delta": 1.5},
    "BM25Plus": {"k1": 2.0, "b": 1.0, "delta": 0.1},
}


@pytest.fixture(scope="module", params=["peps", pytest.param("scifact", marks=needs_shared_data)])
def collection(request):
    """The rows and queries of a collection; of SciFact 5,183 abstracts, and the 300 test claims."""
    if request.param == "peps":
        return read_own()
    rows, claims = read_shared("scifact", "corpus.jsonl")
    queries = [claim["text"] for claim in claims if claim["metadata"]["split"] == "test"]
    assert (len(rows), len(queries)) == (5183, 300)
    return rows, queries


@pytest.fixture(scope="module")
def rows(collection):
    return [
        (row["_id"], f"{row['title']} {row['text']}", {"number": number, "third": number % 3})
        for number, row in enumerate(collection[0])
    ]


@pytest.fixture(scope="module")
def queries(collection):
    return collection[1]


@pytest.fixture(scope="module")
def pair(rows):
    return Pair(f"{len(rows)} documents", rows)


@pytest.fixture(scope="module")
def changed(rows):
    """The store after documents were overwritten (some twice, some by others' texts), deleted, and
    written again.
    """
    pair, choose = Pair(f"{len(rows)} documents, changed", rows), random.Random(3)
    overwritten = choose.sample(rows, len(rows) // 7)
    texts = [text for _, text, _ in choose.sample(rows, len(rows) // 7)]
    pair.write([(id, text, meta) for (id, _, meta), text in zip(overwritten, texts, strict=True)])
    pair.delete([id for id, _, _ in choose.sample(rows, len(rows) // 6)])
    pair.write(overwritten[: len(rows) // 25])
    pair.delete([id for id, _, _ in overwritten[len(rows) // 40 : len(rows) // 30]])
    return pair


def check(pair, queries, variant, *, parameters=None, top_k=100, filters=None, scaled=False):
    store = pair.spaniel(variant, parameters)
    order, allowed = order_of(store), {document.id for document in pair.haystack().filter_documents(filters)}
    for query, scores in zip(queries, pair.scores(queries, variant, parameters), strict=True):
        found = store.bm25_retrieval(folded(query), filters=filters, top_k=top_k, scale_score=scaled)
        expected = {id: score for id, score in scores.items() if id in allowed}
        assert_alike(found, expected, order, top_k, scaled)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_adapter_returns_haystack_s_results(pair, queries, variant):
    for query, scores in zip(queries[:4], pair.scores(queries[:4], variant), strict=True):
        found = pair.haystack(variant).bm25_retrieval(folded(query), top_k=50)
        assert [document.score for document in found] == [scores[document.id] for document in found]


@pytest.mark.parametrize("variant", VARIANTS)
def test_all_queries_rank_as_in_haystack(pair, queries, variant):
    check(pair, queries, variant)


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_document_that_shares_a_term_is_returned_and_no_other(pair, queries, variant):
    check(pair, queries[::20], variant, top_k=10_000)


@pytest.mark.parametrize("variant", VARIANTS)
def test_scaled_scores_are_haystack_s(pair, queries, variant):
    check(pair, queries[::5], variant, scaled=True)


@pytest.mark.parametrize("variant", VARIANTS)
def test_other_parameters_rank_as_in_haystack(pair, queries, variant):
    check(pair, queries[1::15], variant, parameters=PARAMETERS[variant])


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "filters",
    [
        {"field": "meta.third", "operator": "==", "value": 1},
        {
            "operator": "AND",
            "conditions": [
                {"field": "meta.number", "operator": ">=", "value": 100},
                {"operator": "NOT", "conditions": [{"field": "meta.third", "operator": "in", "value": [0, 1]}]},
            ],
        },
    ],
    ids=["equal", "nested"],
)
def test_a_filter_leaves_scores_and_order_as_they_are(pair, queries, variant, filters):
    check(pair, queries[2::10], variant, filters=filters)


@pytest.mark.parametrize("variant", VARIANTS)
def test_overwrites_and_deletes_leave_the_documents_of_haystack(changed, queries, variant):
    assert list(changed.spaniel().storage) == list(changed.haystack().storage)
    check(changed, queries[::10], variant)
