"""Changes by filter as tasks of the server: with scripted answers, and once on a real server."""

import itertools

import pytest

from spaniel import Document
from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.document_stores.opensearch.index import Index
from spaniel.document_stores.opensearch.writing.by_query import change_by_query
from spaniel.errors import DocumentStoreError, StoreRequestError, StoreUnavailableError
from spaniel.runtime import RetryPolicy
from tests.document_stores.opensearch.filters.filter_cases import LUCENE
from tests.document_stores.opensearch.lossy import Clock
from tests.document_stores.opensearch.scripted import Scripted

STARTED = {"task": "node:1"}
SCRIPT = {"query": {"match_all": {}}, "script": {"source": "", "params": {}}}


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    return Clock(monkeypatch)


@pytest.fixture
def change(run):
    """Changes documents by query on a server."""

    def change(server, api="_delete_by_query", body=None):
        policy = RetryPolicy(seconds=10.0)
        policy.reached = True
        index = Index("docs", {}, None, create=True, retry_policy=policy)
        return run(change_by_query(index, api, body or {"query": {"match_all": {}}}, refresh=True), server)

    return change


def running(**status):
    return {"completed": False, "task": {"status": status}}


def done(**response):
    return {"completed": True, "task": {"status": {}}, "response": {"failures": [], **response}}


def failure(kind, reason, status=400):
    return {"index": "docs", "id": "a", "cause": {"type": kind, "reason": reason}, "status": status}


def test_polls_the_task_until_it_completes(change):
    server = Scripted(STARTED, running(deleted=1), running(deleted=2), done(deleted=3))
    assert change(server) == 3
    assert [request.path for request in server.requests[1:]] == ["/_tasks/node:1"] * 3


def test_lost_answer_is_found_among_running_tasks(change):
    def tasks(request):
        name = server.requests[0].params["opaque_id"]
        mine, other = {"headers": {"X-Opaque-Id": name}}, {"headers": {"X-Opaque-Id": "another"}}
        return {"nodes": {"node": {"tasks": {"node:7": mine, "node:8": other}}}}

    missing = StoreRequestError("no such index", 404)
    server = Scripted(StoreUnavailableError("lost"), tasks, missing, done(deleted=5))
    assert change(server) == 5
    assert server.requests[-1].path == "/_tasks/node:7"


def test_lost_answer_is_found_among_completed_tasks(change):
    def ended(request):
        name = server.requests[0].params["opaque_id"]
        return {"hits": {"hits": [{"_id": "node:9", "_source": {"task": {"headers": {"X-Opaque-Id": name}}}}]}}

    server = Scripted(StoreUnavailableError("lost"), {"nodes": {}}, {}, ended, done(deleted=5))
    assert change(server) == 5


def test_unexecuted_request_is_repeated(change):
    missing = StoreRequestError("no such index", 404)
    server = Scripted(StoreUnavailableError("lost"), {"nodes": {}}, missing, STARTED, done(deleted=2))
    assert change(server) == 2


def test_lost_answer_without_permission_to_read_tasks_raises(change):
    forbidden = StoreRequestError("no permissions", 403)
    with pytest.raises(DocumentStoreError, match="was lost, and its task can't be read"):
        change(Scripted(StoreUnavailableError("lost"), {"nodes": {}}, forbidden))


def test_conflicts_are_retried_after_a_pause(change, clock):
    server = Scripted(STARTED, done(deleted=4, version_conflicts=2), {}, STARTED, done(deleted=2))
    assert change(server) == 6
    assert len(clock.pauses) == 1


def test_changed_documents_are_not_counted_twice(change):
    server = Scripted(STARTED, done(updated=4, version_conflicts=2), {}, STARTED, done(updated=2, noops=4))
    assert change(server, "_update_by_query", SCRIPT) == 6
    assert [request.body["script"]["params"] for request in server.requests if request.body] == [{}, {"again": True}]


def test_endless_conflicts_raise_in_bounded_time(change, clock):
    answers = itertools.cycle([STARTED, done(deleted=1, version_conflicts=1), {}])
    server = Scripted(*itertools.islice(answers, 600))
    with pytest.raises(DocumentStoreError, match=r"\d+ documents are changed, but 1 were changed by others"):
        change(server)
    assert len(server.requests) < 100
    assert 5 < clock.now < 20


def test_failures_are_listed_by_type_and_reason(change):
    failures = [failure("mapper_parsing_exception", "failed to parse [n]")] * 7
    with pytest.raises(StoreRequestError) as caught:
        change(Scripted(STARTED, done(deleted=3, failures=failures)))
    message = str(caught.value)
    assert "3 documents are changed, 7 failed: mapper_parsing_exception: failed to parse [n]." in message
    assert "{" not in message
    assert (caught.value.status, caught.value.kind) == (400, "mapper_parsing_exception")


def test_transient_failures_are_retried(change, clock):
    busy = failure("rejected_execution_exception", "queue is full", 429)
    assert change(Scripted(STARTED, done(deleted=1, failures=[busy]), {}, STARTED, done(deleted=1))) == 2
    assert clock.pauses


def test_lost_node_raises_with_the_progress(change):
    with pytest.raises(DocumentStoreError, match=r"its node is gone\. At least 4 documents are changed"):
        change(Scripted(STARTED, running(deleted=4), StoreRequestError("no such task", 404)))


def test_failed_task_raises_its_error(change):
    error = {
        "completed": True,
        "task": {"status": {}},
        "error": {"type": "script_exception", "reason": "compile error"},
    }
    with pytest.raises(StoreRequestError, match="script_exception"):
        change(Scripted(STARTED, error))


def test_idle_task_is_cancelled(change, clock):
    def answer(request):
        return {} if request.path.endswith(("_cancel", "blocks.*")) else running(deleted=2)

    server = Scripted(STARTED, *[answer] * 200)
    with pytest.raises(
        StoreUnavailableError, match=r"made no progress for 10 s and was cancelled; 2 documents are changed"
    ):
        change(server)
    assert any(request.path.endswith("_cancel") for request in server.requests)
    assert clock.now < 40


def test_synchronous_answer_is_accepted(change):
    assert change(Scripted({"deleted": 3, "failures": [], "version_conflicts": 0})) == 3


@pytest.mark.server
def test_repeated_update_skips_changed_documents(opensearch_url, opensearch_index, monkeypatch):
    with OpenSearchDocumentStore(hosts=opensearch_url, index=opensearch_index, embedding_dim=3, method=LUCENE) as store:
        store.write_documents([Document(id=str(n), meta={"n": n, "seen": n < 2}) for n in range(5)], refresh=True)
        send = store._connection.send

        def conflicting(request):
            answer = send(request)
            if "response" in answer and not conflicts:
                conflicts.append(True)
                answer["response"]["version_conflicts"] = 1
            return answer

        conflicts: list[bool] = []
        monkeypatch.setattr(store._connection, "send", conflicting)
        every = {"field": "n", "operator": ">=", "value": 0}
        assert store.update_by_filter(every, {"seen": True, "tags": ["a", "b"], "by": {"who": "me"}}) == 5
        assert conflicts
        assert all(document.meta["seen"] for document in store.filter_documents())
