"""The turn to write, on a server in a few lines."""

import os
import threading
import time

import pytest

from spaniel.document_stores.opensearch import lease as leases
from spaniel.document_stores.opensearch.index import Index
from spaniel.document_stores.opensearch.lease import Lease
from spaniel.errors import StoreLockedError, StoreRequestError, StoreUnavailableError
from spaniel.runtime import RetryPolicy


class Kept:
    """Keeps one document by its version, as a server does."""

    def __init__(self):
        self.source, self.version = None, 0
        self.before_put = lambda: None

    def send(self, ask):
        if ask.path.endswith("_mapping"):
            return {"docs": {"mappings": {"properties": {}}}}
        if ask.method == "GET":
            if self.source is None:
                raise StoreRequestError("missing", 404)
            return {"found": True, "_source": dict(self.source), "_seq_no": self.version, "_primary_term": 1}
        self.before_put()
        wanted = (ask.params or {}).get("if_seq_no")
        if wanted != (None if self.source is None else self.version):
            raise StoreRequestError("conflict", 409)
        self.source, self.version = dict(ask.body), self.version + 1
        return {"_seq_no": self.version, "_primary_term": 1}


def lease(server, seconds=30.0):
    return Lease(server, Index("docs", {}, None, create=True, patience=RetryPolicy(seconds=0.5)), "turn", seconds)


@pytest.fixture
def server():
    return Kept()


def test_one_at_a_time_has_the_turn(server):
    first, second = lease(server), lease(server)
    first.take()
    with pytest.raises(StoreLockedError, match=r"is being written by process \d+"):
        second.take()
    first.give_back()
    second.take()
    second.check()
    second.give_back()


def test_a_turn_of_a_process_that_is_gone_is_free(server):
    first, second = lease(server), lease(server)
    first.take()
    server.source["pid"] = 2**22 + 1  # more than there can be
    second.take()
    second.give_back()


def test_no_signal_is_sent_where_it_would_be_ctrl_c(server, monkeypatch):
    first, second = lease(server), lease(server)
    first.take()
    monkeypatch.setattr(leases.sys, "platform", "win32")
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("a signal was sent"))
    with pytest.raises(StoreLockedError):
        second.take()
    first.give_back()


def test_a_turn_is_given_back_while_a_renewal_gets_no_answer(server, monkeypatch):
    monkeypatch.setattr(leases, "_WAIT", 0.2)
    held, asked = lease(server, seconds=0.15), threading.Event()
    held.take()
    answered = threading.Event()

    def hang():
        asked.set()
        answered.wait(30)
        raise StoreUnavailableError("no answer")

    server.before_put = hang
    assert asked.wait(5)
    began = time.monotonic()
    held.give_back()
    assert time.monotonic() - began < 1
    answered.set()


def test_a_turn_that_others_take_each_time_is_an_error_in_the_end(server):
    def others():
        server.source, server.version = {"until": 0.0}, server.version + 1

    server.before_put = others
    began = time.monotonic()
    with pytest.raises(StoreRequestError, match="conflict"):
        lease(server).take()
    assert server.version < 50
    assert time.monotonic() - began < 5
