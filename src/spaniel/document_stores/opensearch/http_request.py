"""One HTTP request to a server, and asking again while the server is away."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from spaniel.errors import StoreUnavailableError
from spaniel.runtime import Call, Program, RetryPolicy, retry


@dataclass(frozen=True)
class Ask:
    """One HTTP request; its answer is the body as Python data.

    :param body: Python data, or bytes that are JSON already.
    :param repeatable: True: it may be made again although the server may have carried it out.
    """

    method: str
    path: str
    body: Any = None
    params: Mapping[str, Any] | None = None
    repeatable: bool = True

    def call_on(self, connection: "Connected", /) -> Call:
        """Return the call that sends the request."""
        return Call(connection, Connected.send, {"ask": self})


class Connected(Protocol):
    """Sends requests and returns their answers.

    Both methods raise DocumentStoreError: see `spaniel.document_stores.opensearch.failures`.
    """

    def send(self, ask: Ask) -> Any:
        """Return the answer."""
        ...

    async def send_async(self, ask: Ask) -> Any:
        """Return the answer."""
        ...


def answered(ask: Ask, patience: RetryPolicy) -> Program[Any]:
    """Return the answer to a request, which is made again while the server can't be reached or is busy.

    :raises StoreUnavailableError: it still can't when the patience is over, or the request may not be made twice.
    """
    return retry(
        ask, patience, lambda error: isinstance(error, StoreUnavailableError) and (ask.repeatable or error.refused)
    )
