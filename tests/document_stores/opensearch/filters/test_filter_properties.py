"""Any filter finds on a server what the reference evaluator passes."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from spaniel import Document
from spaniel.document_stores.opensearch.filters.partial_queries import filter_queries
from spaniel.document_stores.opensearch.schema.fields import Fields
from spaniel.document_stores.opensearch.schema.mapping import MARKS, default_mapping, marks
from spaniel.filters import parse_filter
from tests.document_stores.opensearch.conftest import RawIndex
from tests.document_stores.opensearch.filters.filter_cases import LUCENE, NESTED, filters, many, metas
from tests.document_stores.opensearch.filters.reference import passes

SETS, FILTERS = 40, 130
"""5,200 cases: sets of documents, and filters for each."""


@pytest.fixture(scope="module")
def index(client):
    index = RawIndex(client, default_mapping(3, LUCENE, NESTED))
    yield index
    client.indices.delete(index=index.name)


def source(document):
    flat = document.to_dict()
    return flat | {MARKS: marks(flat)}


# A failure names one filter and its documents, so there is nothing to shrink.
@settings(max_examples=SETS, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(many(metas(), 8, 12), many(filters(), FILTERS))
def test_a_filter_finds_what_the_reference_passes(index, metas, filters):
    documents = {str(number): Document(id=str(number), meta=meta) for number, meta in enumerate(metas)}
    index.replace({key: source(document) for key, document in documents.items()})
    fields = Fields(index.properties())
    asked = [filter_queries(each, fields) for each in filters]
    answers = iter(index.ids([query for queries in asked for query, _ in queries]))
    for each, queries in zip(filters, asked, strict=True):
        node = parse_filter(each)
        expected = {key for key, document in documents.items() if passes(node, document)}
        found = set()
        for _, check in queries:
            found |= {key for key in next(answers) if not check or passes(node, documents[key])}
        differing = {key: documents[key].meta for key in found ^ expected}
        assert not differing, (each, f"found: {found}", f"expected: {expected}", queries, differing)
