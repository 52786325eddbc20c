"""Haystack's own tests of stores, on the OpenSearch store and a real server."""

import secrets

import pytest
from haystack import Document
from haystack.document_stores.errors import DocumentStoreError
from haystack_integrations.document_stores.opensearch import OpenSearchDocumentStore as TheirStore
from opensearchpy import OpenSearch

from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.interop.haystack import as_haystack_store
from tests.interop.haystack.mixins import test_classes_over

# The engine that the tests' server has.
METHOD = {"space_type": "cosinesimil", "engine": "lucene", "name": "hnsw"}
SETTINGS = {"index.knn": True, "number_of_shards": 1, "number_of_replicas": 0}


def _shown(document):
    """The compared fields: embeddings are rounded, as the server stores 32 bits per dimension."""
    data = document.to_dict(flatten=False)
    data["embedding"] = pytest.approx(document.embedding, rel=1e-6) if document.embedding else None
    return data


@pytest.fixture(scope="class")
def settings(opensearch_url):
    """One index for each class of tests, as to make one takes longer than a test."""
    index = f"spaniel-test-{secrets.token_hex(6)}"
    settings = {"hosts": opensearch_url, "index": index, "method": METHOD, "settings": SETTINGS}
    yield settings | {"return_embedding": True}
    _delete_index(settings)


def _delete_index(settings):
    with OpenSearch(hosts=settings["hosts"], timeout=60) as client:
        client.indices.delete(index=settings["index"], ignore=[404])


class Stores:
    # A field of an index has one type; TestFieldTypes has the consequences.
    test_get_metadata_field_unique_values_distinct_types = None
    test_get_metadata_field_unique_values_distinct_types_async = None

    @pytest.fixture
    async def document_store(self, settings, request):
        if "empty" in request.node.name:  # without the fields of other tests
            _delete_index(settings)
        store = OpenSearchDocumentStore(**settings)
        store.delete_all_documents()
        yield as_haystack_store(store)
        store.close()
        await store.close_async()

    @staticmethod
    def assert_documents_are_equal(received, expected):
        """A server returns matching documents in any order, which the classes leave to each store."""

        def by_id(document):
            return document.id

        assert [document.to_dict(flatten=False) for document in sorted(received, key=by_id)] == [
            _shown(document) for document in sorted(expected, key=by_id)
        ]


globals().update(test_classes_over(Stores, recreates_index=True))


def test_there_are_many_of_them():
    assert sum(name.startswith("Test") for name in globals()) >= 20


PRIORITIES = [1, "1", 1.0, True, 1]


class TestFieldTypes:
    """Haystack's test asks for four distinct values."""

    def test_values_of_another_type_than_their_field_s_are_kept_and_not_counted(self, settings):
        with OpenSearchDocumentStore(**settings) as ours:
            store = as_haystack_store(ours)
            store.write_documents([Document(id=str(n), meta={"priority": each}) for n, each in enumerate(PRIORITIES)])

            assert sorted((each.id, each.meta["priority"]) for each in store.filter_documents()) == [
                (str(n), each) for n, each in enumerate(PRIORITIES)
            ]
            assert store.get_metadata_field_unique_values("priority") == ([1], 1)

    def test_opensearch_haystack_refuses_them(self, opensearch_url, opensearch_index):
        store = TheirStore(hosts=opensearch_url, index=opensearch_index, method=METHOD, settings=SETTINGS, timeout=60)

        with pytest.raises(DocumentStoreError, match=r"mapper_parsing_exception|document_parsing_exception"):
            store.write_documents([Document(id=str(n), meta={"priority": each}) for n, each in enumerate(PRIORITIES)])

        store.close()
