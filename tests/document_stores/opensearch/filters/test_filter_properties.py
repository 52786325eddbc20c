"""Any filter on a server equals the reference evaluator."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from spaniel import Document
from spaniel.document_stores.opensearch.schema.fields import Fields
from spaniel.document_stores.opensearch.schema.mapping import MARKS, build_marks, default_mapping
from spaniel.filters import parse_filter
from tests.document_stores.opensearch.conftest import RawIndex
from tests.document_stores.opensearch.filters.filter_cases import LUCENE, NESTED, filters, many, metas
from tests.document_stores.opensearch.filters.queries import queries_of
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
    return flat | {MARKS: build_marks(flat)}


# A failure names one filter and its documents, so there is nothing to shrink.
@settings(max_examples=SETS, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(many(metas(), 8, 12), many(filters(), FILTERS))
def test_filters_equal_the_reference(index, metas, filters):
    documents = {str(number): Document(id=str(number), meta=meta) for number, meta in enumerate(metas)}
    index.replace({key: source(document) for key, document in documents.items()})
    fields = Fields(index.properties())
    asked = [queries_of(each, fields) for each in filters]
    answers = iter(index.ids([query for queries in asked for query, _ in queries]))
    for each, queries in zip(filters, asked, strict=True):
        node = parse_filter(each)
        expected = {key for key, document in documents.items() if passes(node, document)}
        found = set()
        for _, check in queries:
            found |= {key for key in next(answers) if not check or passes(node, documents[key])}
        differing = {key: documents[key].meta for key in found ^ expected}
        assert not differing, (each, f"found: {found}", f"expected: {expected}", queries, differing)
