"""One HTTP request to a server, and asking again while the server is away."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import orjson

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

    Both methods raise DocumentStoreError: see `spaniel.document_stores.opensearch.transport.server_errors`.
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


_OPTIONS = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS


def dumped(data: Any) -> bytes:
    """Return data as JSON; arrays, dates and keys that are no texts are written too.

    :raises TypeError: something in it can't be written, such as a whole number of more than 64 bits.

    >>> dumped({"year": 2020})
    b'{"year":2020}'
    """
    return orjson.dumps(data, option=_OPTIONS)


class JsonBodies:
    """Writes and reads the bodies of requests; what ``opensearch-py`` takes as its ``serializer``."""

    mimetype = "application/json"

    def dumps(self, data: Any) -> str | bytes:
        """Return data as JSON; text and bytes are JSON already."""
        return data if isinstance(data, (str, bytes)) else dumped(data)

    def loads(self, s: str | bytes) -> Any:
        """Return the data of a JSON text.

        :raises SerializationError: it is none; the client's error, which is translated with the request at hand.
        """
        try:
            return orjson.loads(s)
        except orjson.JSONDecodeError as error:
            from opensearchpy.exceptions import SerializationError

            raise SerializationError(s, error) from error
