"""Iteration over an index, and its export."""

import pytest

from spaniel import Document
from spaniel.document_stores.opensearch import OpenSearchDocumentStore

METHOD = {"space_type": "innerproduct", "engine": "lucene", "name": "hnsw"}


@pytest.fixture
def store(opensearch_url, opensearch_index):
    options = {"embedding_dim": 2, "method": METHOD, "settings": {"index.knn": True, "number_of_replicas": 0}}
    with OpenSearchDocumentStore(hosts=opensearch_url, index=opensearch_index, search="leaves", **options) as store:
        yield store


@pytest.fixture
def filled(store):
    store.write_documents(
        [
            Document(id=f"{n:02}", content=f"Red apples {n}", meta={"n": n, "path": f"{n % 2}.md"}, embedding=[n, 1])
            for n in range(25)
        ],
        refresh=True,
    )
    return store


def requests(store, monkeypatch):
    sent = []
    send = store._connection.send
    monkeypatch.setattr(store._connection, "send", lambda request: (sent.append(request), send(request))[1])
    return sent


@pytest.mark.parametrize("batch", [1, 10, 25, 26])
def test_iterates_all_documents_by_id(filled, batch) -> None:
    assert [document.id for document in filled.iterate(batch=batch)] == [f"{n:02}" for n in range(25)]


def test_iterates_complete_documents(filled) -> None:
    first = next(iter(filled.iterate()))
    assert (first.content, first.meta, first.embedding) == ("Red apples 0", {"n": 0, "path": "0.md"}, [0.0, 1.0])


def test_iteration_continues_after_an_id(filled) -> None:
    assert [document.id for document in filled.iterate(after="22", batch=1)] == ["23", "24"]


def test_iteration_with_filter_and_keys(filled) -> None:
    found = filled.iterate({"field": "meta.n", "operator": ">", "value": 22}, keys=["n"])
    assert [(document.id, document.content, document.meta) for document in found] == [
        ("23", None, {"n": 23}),
        ("24", None, {"n": 24}),
    ]


def test_iteration_ignores_concurrent_writes(filled) -> None:
    reading = filled.iterate(batch=5)
    next(reading)
    filled.write_documents([Document(id="99")], refresh=True)
    assert [document.id for document in reading][-1] == "24"


def test_iteration_survives_a_lost_point_in_time(filled) -> None:
    reading = filled.iterate(batch=5)
    next(reading)
    filled._connection.client.transport.perform_request("DELETE", "/_search/point_in_time/_all")
    assert len(list(reading)) == 24


def test_closed_iteration_releases_its_point_in_time(filled, monkeypatch) -> None:
    sent = requests(filled, monkeypatch)
    reading = filled.iterate(batch=5)
    next(reading)
    reading.close()
    assert [request.method for request in sent if "point_in_time" in request.path] == ["POST", "DELETE"]


def test_export_has_every_document(filled, tmp_path) -> None:
    assert filled.export(tmp_path / "all.jsonl") == 25
    assert (tmp_path / "all.jsonl").read_text().count("Red apples") == 25
