"""Keyword search with filters on sections ranks as in Haystack: of 25 PEPs, and of 183 where they
exist.
"""

import pytest

from tests.collection import needs_shared_data, read_own, read_shared
from tests.parity.rankings import VARIANTS, Pair, assert_alike, folded, order_of


@pytest.fixture(scope="module", params=["own", pytest.param("shared", marks=needs_shared_data)])
def collection(request):
    if request.param == "own":
        return read_own()
    rows, queries = read_shared("peps_mini", "sections.jsonl")
    return rows, [row["text"] for row in queries]


@pytest.fixture(scope="module")
def pair(collection):
    rows = [
        (row["_id"], f"{row['title']} {row['text']}", {name: row["metadata"][name] for name in ("pep", "level")})
        for row in collection[0]
    ]
    return Pair(f"{len(rows)} sections", rows)


@pytest.fixture(scope="module")
def queries(collection):
    return collection[1]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "filters",
    [None, {"field": "meta.level", "operator": ">", "value": 1}, {"field": "meta.pep", "operator": "<", "value": 500}],
    ids=["all", "level", "pep"],
)
def test_sections_rank_as_in_haystack(pair, queries, variant, filters):
    queries = queries if filters is None else queries[::4]
    store = pair.spaniel(variant)
    order, allowed = order_of(store), {document.id for document in pair.haystack().filter_documents(filters)}
    for scaled in (False, True):
        for query, scores in zip(queries, pair.scores(queries, variant), strict=True):
            found = store.bm25_retrieval(folded(query), filters=filters, top_k=50, scale_score=scaled)
            expected = {id: score for id, score in scores.items() if id in allowed}
            assert_alike(found, expected, order, 50, scaled)
