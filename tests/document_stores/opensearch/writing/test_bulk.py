import orjson
import pytest

from spaniel.document_stores.opensearch.index import Index
from spaniel.document_stores.opensearch.writing.bulk import Action, chunk_actions, find_existing, send_bulk
from spaniel.errors import StoreUnavailableError
from spaniel.runtime import RetryPolicy
from tests.document_stores.opensearch.scripted import Scripted

FULL = {"type": "rejected_execution_exception", "reason": "queue is full"}


def index(seconds=60.0):
    return Index("docs", {}, None, create=False, retry_policy=RetryPolicy(seconds=seconds))


def create(id):
    return Action("create", id, orjson.dumps({"id": id}))


def answer(**statuses):
    """Return the answer of a server: a status, or a status with an error, for each id."""
    items = []
    for id, status in statuses.items():
        result = {"_id": id, "status": status, "_seq_no": 1, "_primary_term": 1}
        if status >= 300:
            result["error"] = FULL if status == 429 else {"type": "some_exception", "reason": f"status {status}"}
        items.append({"create": result})
    return {"errors": True, "items": items}


def ids_of(request):
    return [orjson.loads(line)["create"]["_id"] for line in request.body.splitlines()[::2]]


@pytest.fixture
def write(run):
    """Writes documents with these ids to a server."""
    return lambda server, *ids, seconds=60.0: run(send_bulk(index(seconds), [create(id) for id in ids]), server)


def test_only_transient_failures_are_repeated(write):
    server = Scripted(answer(a=201, b=429, c=201), answer(b=201))
    assert write(server, "a", "b", "c").done == 3
    assert [ids_of(request) for request in server.requests] == [["a", "b", "c"], ["b"]]


def test_permanently_busy_server_refuses_with_its_reason(write):
    outcome = write(Scripted(*[answer(a=429)] * 50), "a", seconds=0.1)
    assert outcome.refused == {"a": "queue is full"}


def test_invalid_document_is_refused_and_the_others_are_written(write):
    outcome = write(Scripted(answer(a=201, b=400)), "a", "b")
    assert (outcome.done, outcome.refused) == (1, {"b": "status 400"})


def stored(**more):
    return {"docs": [{"_id": "a", "found": True, "_source": {"id": "a", **more}, "_seq_no": 1, "_primary_term": 1}]}


def test_conflict_with_another_document(write):
    assert write(Scripted(answer(a=409), stored(other=1)), "a").conflicts == ["a"]


def test_conflict_with_the_own_write_is_a_success(write):
    server = Scripted(StoreUnavailableError("gone"), answer(a=409, b=201), stored())
    outcome = write(server, "a", "b")
    assert (outcome.done, outcome.conflicts, len(outcome.created)) == (2, [], 2)


def test_vector_stored_with_less_precision_is_no_conflict(write):
    assert write(Scripted(answer(a=409), stored(embedding=[0.1])), "a").conflicts == []


def test_finds_existing_documents(run):
    docs = {"docs": [{"_id": "a", "found": True}, {"_id": "b", "found": False}]}
    assert run(find_existing(index(), [create("a"), create("b")]), Scripted(docs)) == {"a"}


def test_unreachable_server_raises(write):
    with pytest.raises(StoreUnavailableError):
        write(Scripted(*[StoreUnavailableError("gone") for _ in range(50)]), "a", seconds=0.1)


def test_deletion_of_a_missing_document_succeeds(run):
    server = Scripted({"errors": False, "items": [{"delete": {"_id": "a", "status": 404}}]})
    assert run(send_bulk(index(), [Action("delete", "a")]), server).done == 1


@pytest.mark.parametrize(
    ("max_actions", "max_bytes", "sizes"),
    [(2, 10_000, [2, 2, 1]), (10, 220, [2, 2, 1]), (10, 1, [1] * 5), (10, 10_000, [5])],
)
def test_chunks_respect_both_limits(max_actions, max_bytes, sizes):
    actions = [Action("create", str(number), b"x" * 40) for number in range(5)]
    assert [len(chunk) for chunk in chunk_actions(actions, max_actions, max_bytes)] == sizes
