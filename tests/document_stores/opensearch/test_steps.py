import asyncio
import threading
import time

import pytest

from spaniel.document_stores.opensearch.steps import Ask, AtOnce, Pause, drive, drive_async
from spaniel.errors import StoreRequestError
from tests.document_stores.opensearch.scripted import Scripted

DRIVERS = {"sync": drive, "async": lambda steps, connection: asyncio.run(drive_async(steps, connection))}


@pytest.fixture(params=DRIVERS)
def run(request):
    return DRIVERS[request.param]


def one(number):
    answer = yield Ask("GET", f"/{number}")
    return answer


def test_an_answer_is_sent_back(run):
    def both():
        first = yield Ask("GET", "/a")
        second = yield Ask("GET", "/b")
        return first + second

    assert run(both(), Scripted(1, 2)) == 3


def test_an_error_is_raised_where_the_request_stands(run):
    def forgiving():
        try:
            yield Ask("GET", "/a")
        except StoreRequestError:
            return (yield Ask("GET", "/b"))

    assert run(forgiving(), Scripted(StoreRequestError("no"), "yes")) == "yes"


def test_an_error_that_is_not_handled_comes_out(run):
    with pytest.raises(StoreRequestError, match="no"):
        run(one(1), Scripted(StoreRequestError("no")))


def test_a_pause_takes_its_time(run):
    def pausing():
        yield Pause(0.05)

    began = time.monotonic()
    run(pausing(), Scripted())
    assert time.monotonic() - began >= 0.05


@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_operations_at_once_return_in_their_order(run, count):
    def several():
        return (yield AtOnce((one(number) for number in range(count)), 3))

    server = Scripted(*[lambda ask: ask.path] * count)
    assert run(several(), server) == [f"/{number}" for number in range(count)]


def test_no_operation_begins_after_one_failed(run):
    begun = []

    def failing(number):
        begun.append(number)
        yield Ask("GET", "/")

    def several():
        yield AtOnce((failing(number) for number in range(100)), 2)

    with pytest.raises(StoreRequestError):
        run(several(), Scripted(*[StoreRequestError("no")] * 100))
    assert len(begun) <= 4


def test_an_error_of_what_gives_the_operations_is_raised_in_the_operation(run):
    def operations():
        yield one(1)
        yield one(2)
        yield one(3)
        raise ValueError("bad document")

    def several():
        try:
            yield AtOnce(operations(), 2)
        except ValueError as error:
            return str(error)

    assert run(several(), Scripted(1, 2, 3)) == "bad document"


def test_no_more_than_the_limit_run_at_once():
    running, most, lock = 0, 0, threading.Lock()

    def slow(ask):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.005)
        with lock:
            running -= 1

    def several():
        yield AtOnce((one(number) for number in range(30)), 3)

    drive(several(), Scripted(*[slow] * 30))
    assert most == 3
