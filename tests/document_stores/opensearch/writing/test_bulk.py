import orjson
import pytest

from spaniel.document_stores.opensearch.writing.bulk import Action, bulk, chunks, present
from spaniel.errors import StoreUnavailableError
from spaniel.runtime import RetryPolicy
from tests.document_stores.opensearch.scripted import Scripted

FULL = {"type": "rejected_execution_exception", "reason": "queue is full"}


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


def ids_of(ask):
    return [orjson.loads(line)["create"]["_id"] for line in ask.body.splitlines()[::2]]


@pytest.fixture
def write(run):
    """Writes documents with these ids to a server."""
    return lambda server, *ids, patience=None: run(
        bulk("docs", [create(id) for id in ids], patience or RetryPolicy()), server
    )


def test_only_what_the_server_had_no_room_for_is_sent_again(write):
    server = Scripted(answer(a=201, b=429, c=201), answer(b=201))
    assert write(server, "a", "b", "c").done == 3
    assert [ids_of(ask) for ask in server.asked] == [["a", "b", "c"], ["b"]]


def test_what_the_server_never_has_room_for_is_refused_with_its_reason(write):
    patience = RetryPolicy(seconds=0.1)
    outcome = write(Scripted(*[answer(a=429)] * 50), "a", patience=patience)
    assert outcome.refused == {"a": "queue is full"}


def test_a_bad_document_is_refused_and_the_others_are_written(write):
    outcome = write(Scripted(answer(a=201, b=400)), "a", "b")
    assert (outcome.done, outcome.refused) == (1, {"b": "status 400"})


def stored(**more):
    return {"docs": [{"_id": "a", "found": True, "_source": {"id": "a", **more}, "_seq_no": 1, "_primary_term": 1}]}


def test_a_conflict_with_another_document_is_one(write):
    assert write(Scripted(answer(a=409), stored(other=1)), "a").conflicts == ["a"]


def test_a_conflict_with_what_is_written_itself_is_none(write):
    server = Scripted(StoreUnavailableError("gone"), answer(a=409, b=201), stored())
    outcome = write(server, "a", "b")
    assert (outcome.done, outcome.conflicts, len(outcome.created)) == (2, [], 2)


def test_a_vector_that_is_kept_in_fewer_digits_makes_no_conflict(write):
    assert write(Scripted(answer(a=409), stored(embedding=[0.1])), "a").conflicts == []


def test_what_is_there_already_is_told_by_id(run):
    docs = {"docs": [{"_id": "a", "found": True}, {"_id": "b", "found": False}]}
    assert run(present("docs", [create("a"), create("b")], RetryPolicy()), Scripted(docs)) == {"a"}


def test_a_server_that_stays_away_is_an_error(write):
    with pytest.raises(StoreUnavailableError):
        write(Scripted(*[StoreUnavailableError("gone") for _ in range(50)]), "a", patience=RetryPolicy(seconds=0.1))


def test_a_deletion_of_what_is_not_there_is_done(run):
    server = Scripted({"errors": False, "items": [{"delete": {"_id": "a", "status": 404}}]})
    assert run(bulk("docs", [Action("delete", "a")], RetryPolicy()), server).done == 1


@pytest.mark.parametrize(
    ("max_actions", "max_bytes", "sizes"),
    [(2, 10_000, [2, 2, 1]), (10, 220, [2, 2, 1]), (10, 1, [1] * 5), (10, 10_000, [5])],
)
def test_chunks_keep_both_limits(max_actions, max_bytes, sizes):
    actions = [Action("create", str(number), b"x" * 40) for number in range(5)]
    assert [len(chunk) for chunk in chunks(actions, max_actions, max_bytes)] == sizes
