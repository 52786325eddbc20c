import pytest

from spaniel.document_stores.opensearch.index import Index
from spaniel.document_stores.opensearch.reading.pages import PointInTime
from spaniel.errors import StoreRequestError, StoreUnavailableError
from spaniel.runtime import RetryPolicy
from tests.document_stores.opensearch.scripted import Scripted

FOUND = {"hits": {"hits": []}}
ENDED = [
    StoreRequestError("gone", 404, "search_context_missing_exception"),
    StoreRequestError("no node found for id: x", 500, "illegal_state_exception"),
    StoreUnavailableError("a shard is away"),
]


def moment(seconds=60.0):
    return PointInTime(Index("docs", {}, None, create=False, retry_policy=RetryPolicy(seconds=seconds)))


@pytest.mark.parametrize("error", ENDED, ids=str)
def test_expired_point_in_time_is_reopened(run, error):
    server = Scripted({"pit_id": "1"}, error, {"pit_id": "2"}, FOUND)
    assert run(moment().search({"search_after": ["d7"]}), server) == FOUND
    assert server.requests[-1].body["pit"]["id"] == "2"
    assert server.requests[-1].body["search_after"] == ["d7"]


def test_other_errors_are_raised(run):
    with pytest.raises(StoreRequestError, match="malformed"):
        run(moment().search({}), Scripted({"pit_id": "1"}, StoreRequestError("malformed", 400)))


def test_reopening_is_bounded(run):
    gone = StoreUnavailableError("a shard is away")
    with pytest.raises(StoreUnavailableError):
        run(moment(seconds=0.1).search({}), Scripted(*[{"pit_id": "1"}, gone] * 50))


def test_latest_id_is_used(run):
    server, point = Scripted({"pit_id": "1"}, {**FOUND, "pit_id": "2"}, FOUND, {}), moment()
    run(point.search({}), server)
    run(point.search({}), server)
    run(point.close(), server)
    assert server.requests[2].body["pit"]["id"] == "2"
    assert server.requests[3].body == {"pit_id": ["2"]}


def test_dropped_point_in_time_is_closed_too(run):
    server = Scripted({"pit_id": "1"}, StoreUnavailableError("a shard is away"), {"pit_id": "2"}, FOUND, {})
    reader = moment()
    run(reader.search({}), server)
    run(reader.close(), server)
    assert server.requests[-1].body == {"pit_id": ["1", "2"]}
