"""A connection to a real server that loses answers, and a clock that advances only by pauses."""

import asyncio
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from spaniel.document_stores.opensearch.transport.http_request import HttpRequest
from spaniel.errors import StoreUnavailableError

Fault = Callable[[Callable[[], Any]], Any]


def lost_before(send: Callable[[], Any]) -> Any:
    """The request does not arrive."""
    raise StoreUnavailableError("the cable is out")


def lost_after(send: Callable[[], Any]) -> Any:
    """The request is carried out, and its answer is lost."""
    send()
    raise StoreUnavailableError("the cable is out")


def busy(send: Callable[[], Any]) -> Any:
    """The server has no room for the request (429)."""
    raise StoreUnavailableError("the queue is full (status 429)", refused=True)


def unavailable(send: Callable[[], Any]) -> Any:
    """A proxy answers (503): whether the request was carried out is not known."""
    raise StoreUnavailableError("no healthy upstream (status 503)")


def twice(send: Callable[[], Any]) -> Any:
    """A node that is lost has passed the request on, and it is passed on again."""
    send()
    return send()


FAULTS: dict[str, Fault] = {each.__name__: each for each in (lost_before, lost_after, busy, unavailable, twice)}


class LossyConnection:
    """Wraps a connection, with a fault at the n-th request.

    :param connection: to the server.
    :param fault: replaces the request.
    :param at: numbers of the faulty requests, from 0.
    """

    def __init__(self, connection: Any, fault: Fault | None = None, at: range = range(0)) -> None:
        self._connection, self._fault, self._at = connection, fault, at
        self.requests: list[HttpRequest] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def send(self, request: HttpRequest) -> Any:
        number = len(self.requests)
        self.requests.append(request)
        assert number < 500, "endless requests"

        def carry_out() -> Any:
            return self._connection.send(request)

        return self._fault(carry_out) if self._fault is not None and number in self._at else carry_out()

    async def send_async(self, request: HttpRequest) -> Any:
        return self.send(request)


class Clock:
    """Time that passes by pauses alone, but for a moment in which the server does its tasks."""

    def __init__(self, monkeypatch: Any) -> None:
        self.now, self.real = 0.0, 0.02
        self.pauses: list[float] = []
        monkeypatch.setattr("spaniel.runtime.execution.time", SimpleNamespace(sleep=self._sleep))
        monkeypatch.setattr("spaniel.runtime.execution.asyncio", _AsyncioOf(self))
        monkeypatch.setattr("spaniel.runtime.retries.time", SimpleNamespace(monotonic=lambda: self.now))

    def _sleep(self, seconds: float) -> None:
        self.now += seconds
        self.pauses.append(seconds)
        time.sleep(min(seconds, self.real))


class _AsyncioOf:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    async def sleep(self, seconds: float) -> None:
        self._clock._sleep(seconds)
