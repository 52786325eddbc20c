"""Every operation on a real server with lost, late or double answers: the right result or a clear
error, in bounded time.
"""

import itertools
from contextlib import suppress

import pytest

from spaniel import Document
from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.document_stores.opensearch.schema.mapping import MARKS, build_marks, default_mapping
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.errors import DocumentStoreError, DuplicateDocumentError, StoreUnavailableError
from tests.document_stores.faces import AsyncFace, SyncFace
from tests.document_stores.opensearch.conftest import ONE_SHARD, RawIndex
from tests.document_stores.opensearch.filters.filter_cases import LUCENE
from tests.document_stores.opensearch.lossy import FAULTS, Clock, LossyConnection, busy, lost_after, twice

pytestmark = pytest.mark.server

HELD = [
    Document(
        id=str(n),
        content=f"apple {n}",
        embedding=[1.0, float(n), 0.0],
        meta={"n": n, "word": "odd" if n % 2 else "even"},
    )
    for n in range(6)
]
NEW = [
    Document(id=f"new{n}", content=f"pear {n}", embedding=[0.0, 1.0, float(n)], meta={"n": 10 + n}) for n in range(7)
]
ODD = {"field": "meta.word", "operator": "==", "value": "odd"}
LARGE = {"field": "meta.n", "operator": ">=", "value": 2}
VECTOR = {"query_embedding": [1.0, 1.0, 0.0]}

READS = {
    "count_documents": {},
    "count_documents_by_filter": {"filters": ODD},
    "filter_documents": {"filters": LARGE},
    "get_documents_by_id": {"document_ids": ["1", "5", "none"]},
    "get_nodes_by_id": {"document_ids": ["1", "5", "none"]},
    "get_documents_by_key": {"key": "word", "values": ["odd"]},
    "get_documents_by_keys": {"values": {"word": ["even"], "n": [1]}},
    "get_documents_in_ranges": {"source_fields": ["word"], "number_field": "n", "ranges": [(["odd"], 1, 3)]},
    "bm25_retrieval": {"query": "apple 3", "filters": LARGE},
    "explain_bm25": {"query": "apple 3", "document_ids": ["1", "3"]},
    "query_terms": {"query": "Red Apple"},
    "embedding_retrieval": VECTOR,
    "hybrid_retrieval": {"words": {"query": "apple"}, "vector": VECTOR},
    "get_metadata_fields_info": {},
    "get_metadata_field_min_max": {"metadata_field": "n"},
    "count_unique_metadata_by_filter": {"filters": LARGE, "metadata_fields": ["word", "n"]},
    "get_metadata_field_unique_values": {"metadata_field": "word"},
    "metadata_search": {"query": "od", "fields": ["word"]},
    "exists": {},
    "count_if_there": {},
    "refresh": {},
    "search_statistics": {},
    "identity": {},
    "changes": {},
    "vector_size": {},
    "ids_starting_with": {"start": ""},
    "count_by_value": {"key": "word"},
    "health": {},
}
WRITES = {
    "create": ("write_documents", {"documents": NEW, "refresh": True}),
    "create some that are there": ("write_documents", {"documents": [*NEW, HELD[0]], "refresh": True}),
    "skip": ("write_documents", {"documents": [*NEW, HELD[0]], "policy": DuplicatePolicy.SKIP, "refresh": True}),
    "overwrite": (
        "write_documents",
        {"documents": [*NEW, HELD[0]], "policy": DuplicatePolicy.OVERWRITE, "refresh": True},
    ),
    "delete": ("delete_documents", {"document_ids": ["1", "none", "2"], "refresh": True}),
    "delete by filter": ("delete_by_filter", {"filters": ODD}),
    "update by filter": ("update_by_filter", {"filters": ODD, "meta": {"seen": True}}),
    "delete all": ("delete_all_documents", {}),
    "make it again": ("delete_all_documents", {"recreate_index": True}),
    "create the index": ("create_index", {}),
}


@pytest.fixture(scope="module")
def index(client):
    index = RawIndex(client, default_mapping(3, LUCENE))
    yield index
    client.indices.delete(index=index.name)


def source(document):
    flat = {key: value for key, value in document.to_dict().items() if value is not None}
    return flat | {MARKS: build_marks(flat)}


@pytest.fixture(params=[SyncFace, AsyncFace])
def run(request, index, opensearch_url, monkeypatch):
    """Runs an operation on the documents of `HELD` with a fault; returns its result, the connection
    and the clock.
    """
    clock = Clock(monkeypatch)
    monkeypatch.setattr("spaniel.document_stores.opensearch.reading.pages.PAGE", 2)  # so that points in time are read
    inner = OpenSearchDocumentStore(hosts=opensearch_url)._connection

    async def run(method, arguments, fault=None, at=range(0), patience=20.0):
        store = OpenSearchDocumentStore(
            hosts=opensearch_url,
            index=index.name,
            embedding_dim=3,
            method=LUCENE,
            chunk_size=3,
            writers=1,
            patience=patience,
        )
        store._index.retry_policy.reached = True
        store._connection = connection = LossyConnection(inner, fault, at)
        clock.pauses.clear()
        return await getattr(request.param(store), method)(**arguments), connection

    run.clock = clock
    run.faults = FAULTS if request.param is SyncFace else {"busy": busy, "lost_after": lost_after}
    yield run
    inner.close()


async def outcome(run, *args, **kwargs):
    try:
        return await run(*args, **kwargs)
    except DuplicateDocumentError as error:
        return str(error), None


def fill(index):
    """Recreate the index: operations of an earlier attempt may still run in the old one."""
    index.client.indices.delete(index=index.name, params={"ignore_unavailable": "true"})
    index.client.indices.create(index=index.name, body={"settings": ONE_SHARD, "mappings": default_mapping(3, LUCENE)})
    index.write({document.id: source(document) for document in HELD})


@pytest.fixture
def held(index):
    fill(index)


@pytest.mark.parametrize("method", READS)
async def test_reads_return_the_right_result_despite_any_fault(run, held, method):
    true, connection = await run(method, READS[method])
    for (name, fault), at in itertools.product(run.faults.items(), range(len(connection.requests))):
        result, faulty = await run(method, READS[method], fault, range(at, at + 1))
        assert result == true, (name, at)
        assert len(faulty.requests) <= len(connection.requests) + 3, (name, at)


@pytest.mark.parametrize("method", READS)
async def test_reads_fail_in_bounded_time_without_a_server(run, held, method):
    run.clock.real = 0.0  # there is no task to wait for
    _, connection = await run(method, READS[method])
    for at, request in enumerate(connection.requests):
        if request.method == "DELETE":
            continue  # the documents are read; a point in time expires
        with pytest.raises(StoreUnavailableError, match=r"out|full"):
            await run(method, READS[method], busy, range(at, 10_000))
        assert 15 < sum(run.clock.pauses) < 60
        assert len(run.clock.pauses) < 60


def own(connection):
    """Return the requests without polls of tasks, whose number depends on the server."""
    return [request for request in connection.requests if not request.path.startswith("/_tasks/")]


def contents(index):
    found = index.client.search(index=index.name, body={"size": 100, "query": {"match_all": {}}})["hits"]["hits"]
    return {hit["_id"]: hit["_source"] for hit in found}


@pytest.mark.parametrize("name", WRITES)
async def test_writes_have_the_same_effect_despite_any_fault(run, index, name):
    method, arguments = WRITES[name]

    fill(index)

    async def attempt(fault=None, at=range(0)):
        if name == "make it again":
            fill(index)
        index.replace({document.id: source(document) for document in HELD})
        result, connection = await outcome(run, method, arguments, fault, at)
        index.client.indices.refresh(index=index.name)
        return result, contents(index), connection

    true, after, connection = await attempt()
    count = 8 if connection is None else min(len(connection.requests), 9)
    for (fault_name, fault), at in itertools.product(run.faults.items(), range(count)):
        if (fault is twice and "filter" in name) or (name == "make it again" and fault not in (busy, lost_after)):
            continue  # a proxy does not repeat changes; the creation of an index is slow
        result, found, faulty = await attempt(fault, range(at, at + 1))
        assert (result, found) == (true, after), (fault_name, at)
        if faulty is not None:
            assert len(own(faulty)) <= len(own(connection)) + 8, (fault_name, at)


@pytest.mark.parametrize("name", WRITES)
async def test_writes_fail_in_bounded_time_without_a_server(run, index, name):
    method, arguments = WRITES[name]
    for fault in (busy, lost_after):
        for at in (0, 3):
            fill(index)
            with suppress(DocumentStoreError):  # all requests may be done by then
                await run(method, arguments, fault, range(at, 10_000))
            assert sum(run.clock.pauses) < 120, (fault, at)
            assert len(run.clock.pauses) < 120


@pytest.mark.parametrize("name", ["delete by filter", "update by filter"])
async def test_permanent_conflicts_raise_with_the_count(run, index, name, monkeypatch):
    """Another client changes each document before each request."""
    fill(index)
    method, arguments = WRITES[name]

    def conflicting(send):
        answer = send()
        response = answer.get("response")
        if response is not None:
            answer["response"] = response | {"deleted": 0, "updated": 0, "version_conflicts": 3}
        return answer

    with pytest.raises(
        DocumentStoreError, match=r"0 documents are changed, but 3 were changed by others .*version_conflict"
    ):
        await run(method, arguments, conflicting, range(10_000), patience=10.0)
    assert 5 < sum(run.clock.pauses) < 60
    assert len(run.clock.pauses) < 100
