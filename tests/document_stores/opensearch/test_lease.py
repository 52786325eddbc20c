"""The lease for writing: with a simulated server, and on a real one."""

import os
import threading
import time

import pytest

from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.document_stores.opensearch import lease as lease_module
from spaniel.document_stores.opensearch.index import Index
from spaniel.document_stores.opensearch.lease import Lease
from spaniel.errors import DocumentStoreError, StoreLockedError, StoreRequestError, StoreUnavailableError
from spaniel.runtime import RetryPolicy


class SingleDocumentServer:
    """A server with a single document and its version."""

    def __init__(self):
        self.source, self.version = None, 0
        self.before_put = lambda: None

    def send(self, request):
        if request.path.endswith("_mapping"):
            return {"docs": {"mappings": {"properties": {}}}}
        if request.method == "GET":
            if self.source is None:
                raise StoreRequestError("missing", 404)
            return {"found": True, "_source": dict(self.source), "_seq_no": self.version, "_primary_term": 1}
        self.before_put()
        wanted = (request.params or {}).get("if_seq_no")
        if wanted != (None if self.source is None else self.version):
            raise StoreRequestError("conflict", 409)
        self.source, self.version = dict(request.body), self.version + 1
        return {"_seq_no": self.version, "_primary_term": 1}


def lease(server, seconds=30.0):
    return Lease(server, Index("docs", {}, None, create=True, retry_policy=RetryPolicy(seconds=0.5)), "turn", seconds)


@pytest.fixture
def server():
    return SingleDocumentServer()


def test_lease_is_exclusive(server):
    first, second = lease(server), lease(server)
    first.acquire()
    with pytest.raises(StoreLockedError, match=r"is being written by process \d+"):
        second.acquire()
    first.release()
    second.acquire()
    second.check()
    second.release()


def test_stored_lease_of_an_ended_process_is_free(server):
    first, second = lease(server), lease(server)
    first.acquire()
    server.source["pid"] = 2**22 + 1  # more than there can be
    second.acquire()
    second.release()


def test_sends_no_signal_on_windows(server, monkeypatch):
    first, second = lease(server), lease(server)
    first.acquire()
    monkeypatch.setattr(lease_module.sys, "platform", "win32")
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("a signal was sent"))
    with pytest.raises(StoreLockedError):
        second.acquire()
    first.release()


def test_release_does_not_wait_for_a_renewal(server, monkeypatch):
    monkeypatch.setattr(lease_module, "_WAIT", 0.2)
    held, asked = lease(server, seconds=0.15), threading.Event()
    held.acquire()
    answered = threading.Event()

    def hang():
        asked.set()
        answered.wait(30)
        raise StoreUnavailableError("no answer")

    server.before_put = hang
    assert asked.wait(5)
    began = time.monotonic()
    held.release()
    assert time.monotonic() - began < 1
    answered.set()


def test_permanent_conflict_raises(server):
    def others():
        server.source, server.version = {"until": 0.0}, server.version + 1

    server.before_put = others
    began = time.monotonic()
    with pytest.raises(StoreRequestError, match="conflict"):
        lease(server).acquire()
    assert server.version < 50
    assert time.monotonic() - began < 5


class TestLease:
    """On a real server."""

    @pytest.fixture
    def store(self, opensearch_url, opensearch_index):
        with OpenSearchDocumentStore(hosts=opensearch_url, index=opensearch_index, embedding_dim=None) as store:
            yield store

    @pytest.fixture
    def leases(self, store):
        taken = []

        def lease(seconds: float = 30.0):
            taken.append(store.lease("turn"))
            taken[-1]._seconds = seconds
            return taken[-1]

        yield lease
        for each in taken:
            each.release()

    def test_second_holder_is_rejected_with_the_name_of_the_first(self, leases) -> None:
        leases().acquire()
        with pytest.raises(
            StoreLockedError, match=r"is being written by process \d+ of .* on .*, whose lease ends in \d+ s"
        ):
            leases().acquire()

    def test_released_lease_is_free(self, leases) -> None:
        first = leases()
        first.acquire()
        first.release()
        leases().acquire()

    def test_version_changes_with_every_holder(self, leases) -> None:
        first = leases()
        assert first.version() is None
        first.acquire()
        before = first.version()
        first.release()
        assert first.version() != before

    def test_expired_lease_is_free_and_its_former_holder_gets_an_error(self, leases, monkeypatch) -> None:
        first = leases(seconds=0.01)
        first.acquire()
        first._released.set()  # its thread has come to an end
        second = leases()
        while True:
            try:
                second.acquire()
                break
            except StoreLockedError:
                continue
        with pytest.raises(DocumentStoreError, match=r"is lost: the cluster did not answer"):
            first.check()
        second.check()

    def test_held_lease_is_renewed(self, leases) -> None:
        first = leases(seconds=0.3)
        first.acquire()
        before = first.version()
        while first.version() == before:
            pass
        first.check()

    def test_lease_of_an_ended_process_is_free(self, leases, monkeypatch) -> None:
        first = leases()
        monkeypatch.setattr(
            "spaniel.document_stores.opensearch.lease.os.getpid", lambda: 2**22 + 1
        )  # above any process id
        first.acquire()
        first._released.set()
        monkeypatch.undo()
        leases().acquire()

    def test_lease_of_another_machine_is_not_free(self, leases, monkeypatch) -> None:
        first = leases()
        monkeypatch.setattr("spaniel.document_stores.opensearch.lease._machine", lambda: "another")
        monkeypatch.setattr("spaniel.document_stores.opensearch.lease.os.getpid", lambda: 2**22 + 1)
        first.acquire()
        monkeypatch.undo()
        with pytest.raises(StoreLockedError):
            leases().acquire()
