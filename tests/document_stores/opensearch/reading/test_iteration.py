"""An index read whole, and what is told about it."""

import pytest

from spaniel import Document
from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.document_stores.urls import open_store
from spaniel.errors import DocumentStoreError, StoreLockedError

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
    monkeypatch.setattr(store._connection, "send", lambda ask: (sent.append(ask), send(ask))[1])
    return sent


@pytest.mark.parametrize("batch", [1, 10, 25, 26])
def test_all_documents_come_in_the_order_of_their_ids(filled, batch) -> None:
    assert [document.id for document in filled.iterate(batch=batch)] == [f"{n:02}" for n in range(25)]


def test_documents_come_whole(filled) -> None:
    first = next(iter(filled.iterate()))
    assert (first.content, first.meta, first.embedding) == ("Red apples 0", {"n": 0, "path": "0.md"}, [0.0, 1.0])


def test_reading_goes_on_after_an_id(filled) -> None:
    assert [document.id for document in filled.iterate(after="22", batch=1)] == ["23", "24"]


def test_a_filter_chooses_and_keys_are_all_that_comes(filled) -> None:
    found = filled.iterate({"field": "meta.n", "operator": ">", "value": 22}, keys=["n"])
    assert [(document.id, document.content, document.meta) for document in found] == [
        ("23", None, {"n": 23}),
        ("24", None, {"n": 24}),
    ]


def test_what_is_written_meanwhile_is_not_seen(filled) -> None:
    reading = filled.iterate(batch=5)
    next(reading)
    filled.write_documents([Document(id="99")], refresh=True)
    assert [document.id for document in reading][-1] == "24"


def test_a_moment_that_is_gone_is_taken_anew(filled) -> None:
    reading = filled.iterate(batch=5)
    next(reading)
    filled._connection.client.transport.perform_request("DELETE", "/_search/point_in_time/_all")
    assert len(list(reading)) == 24


def test_no_moment_is_left_open(filled, monkeypatch) -> None:
    sent = requests(filled, monkeypatch)
    reading = filled.iterate(batch=5)
    next(reading)
    reading.close()
    assert [ask.method for ask in sent if "point_in_time" in ask.path] == ["POST", "DELETE"]


def test_an_export_has_every_document(filled, tmp_path) -> None:
    assert filled.export(tmp_path / "all.jsonl") == 25
    assert (tmp_path / "all.jsonl").read_text().count("Red apples") == 25


def test_the_terms_of_a_query_are_those_of_the_index(store) -> None:
    assert store.query_terms("Red APPLES, red!") == ["red", "apples"]


async def test_the_terms_of_a_query_are_the_same_in_a_coroutine(store) -> None:
    async with store:
        assert await store.query_terms_async("Red APPLES, red!") == ["red", "apples"]


def test_asking_about_an_index_does_not_make_it(store) -> None:
    assert (store.exists(), store.count_if_there(), store.identity(), store.vector_size()) == (False, 0, None, None)
    assert not store.exists()


def test_what_an_index_tells_of_itself(filled) -> None:
    assert (filled.exists(), filled.count_if_there(), filled.vector_size(), filled.health()) == (True, 25, 2, "green")
    assert filled.search_statistics() == {"documents": 25}
    assert filled.size_in_bytes() > 1000
    assert filled.count_by_value("path") == {"0.md": 13, "1.md": 12}
    assert filled.count_by_value("nothing") == {}
    assert filled.ids_starting_with("2") == ["20", "21", "22", "23", "24"]


def test_a_change_makes_another_number(filled) -> None:
    before = filled.changes()
    filled.delete_documents(["00"])
    assert filled.changes() > before


def test_an_index_made_again_is_another_one(filled) -> None:
    before = filled.identity()
    filled.delete_all_documents(recreate_index=True)
    assert filled.identity() != before


def test_documents_that_are_kept_are_in_no_statistic(store) -> None:
    store.write_documents(
        [Document(id="p", content="Whole", meta={"__children_ids": ["c"]}), Document(id="c", content="Part")]
    )
    assert (store.count_documents(), store.search_statistics()) == (2, {"documents": 1})


class TestLease:
    """One process at a time."""

    @pytest.fixture
    def leases(self, store):
        taken = []

        def lease(seconds: float = 30.0):
            taken.append(store.lease("turn"))
            taken[-1]._seconds = seconds
            return taken[-1]

        yield lease
        for each in taken:
            each.give_back()

    def test_a_second_one_is_refused_with_the_name_of_the_first(self, leases) -> None:
        leases().take()
        with pytest.raises(
            StoreLockedError, match=r"is being written by process \d+ of .* on .*, whose turn ends in \d+ s"
        ):
            leases().take()

    def test_one_that_is_given_back_is_free(self, leases) -> None:
        first = leases()
        first.take()
        first.give_back()
        leases().take()

    def test_the_version_changes_with_every_turn(self, leases) -> None:
        first = leases()
        assert first.version() is None
        first.take()
        before = first.version()
        first.give_back()
        assert first.version() != before

    def test_one_that_was_not_renewed_in_time_is_free_and_its_holder_is_told(self, leases, monkeypatch) -> None:
        first = leases(seconds=0.01)
        first.take()
        first._ended.set()  # its thread has come to an end
        second = leases()
        while True:
            try:
                second.take()
                break
            except StoreLockedError:
                continue
        with pytest.raises(DocumentStoreError, match=r"is lost: the cluster did not answer"):
            first.check()
        second.check()

    def test_one_is_renewed_while_it_is_held(self, leases) -> None:
        first = leases(seconds=0.3)
        first.take()
        before = first.version()
        while first.version() == before:
            pass
        first.check()

    def test_that_of_a_process_that_is_gone_is_free(self, leases, monkeypatch) -> None:
        first = leases()
        monkeypatch.setattr(
            "spaniel.document_stores.opensearch.lease.os.getpid", lambda: 2**22 + 1
        )  # above any process id
        first.take()
        first._ended.set()
        monkeypatch.undo()
        leases().take()

    def test_that_of_another_machine_is_not(self, leases, monkeypatch) -> None:
        first = leases()
        monkeypatch.setattr("spaniel.document_stores.opensearch.lease._machine", lambda: "another")
        monkeypatch.setattr("spaniel.document_stores.opensearch.lease.os.getpid", lambda: 2**22 + 1)
        first.take()
        monkeypatch.undo()
        with pytest.raises(StoreLockedError):
            leases().take()


def test_a_url_opens_the_index(opensearch_url, opensearch_index) -> None:
    place = opensearch_url.removeprefix("http://")
    with open_store(f"opensearch://{place}/{opensearch_index}?shards=2&replicas=0&embedding_dim=2") as store:
        store.write_documents([Document(id="a", content="Apples", embedding=[1, 2])])
        assert [document.id for document in store.bm25_retrieval("apples")] == ["a"]
        made = store._connection.client.transport.perform_request("GET", f"/{opensearch_index}/_settings")
        assert made[opensearch_index]["settings"]["index"]["number_of_shards"] == "2"
