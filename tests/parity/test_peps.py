"""183 PEPs in 2,966 sections; 138 paragraphs as queries."""

import pytest

from tests.parity.rankings import VARIANTS, Pair, assert_alike, folded, order_of
from tests.shared_data import needs_shared_data, read_jsonl

pytestmark = needs_shared_data


@pytest.fixture(scope="module")
def pair():
    return Pair(
        "peps",
        [
            (
                row["_id"],
                f"{row['title']} {row['text']}",
                {"pep": row["metadata"]["pep"], "level": row["metadata"]["level"]},
            )
            for row in read_jsonl("peps_mini", "sections.jsonl")
        ],
    )


@pytest.fixture(scope="module")
def queries():
    return [row["text"] for row in read_jsonl("peps_mini", "queries.jsonl")]


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
