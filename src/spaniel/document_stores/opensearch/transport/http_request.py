"""HTTP requests that programs yield, their JSON bodies, and retries while the server is away."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import orjson

from spaniel.errors import StoreUnavailableError
from spaniel.json_types import Json
from spaniel.runtime import Call, Program, RetryPolicy, retry

_OPTIONS = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS


@dataclass(frozen=True)
class HttpRequest:
    """An HTTP request, answered by the parsed body; bytes are serialised already."""

    method: str
    path: str
    body: Json = None
    params: Mapping[str, str] | None = None
    repeatable: bool = True  # safe to send again although the server may have executed it

    def call_on(self, transport: "Transport", /) -> Call:
        """Return the call that sends the request."""
        return Call(transport, Transport.send, {"request": self})


class Transport(Protocol):
    """Sends requests and returns their answers; raises DocumentStoreError."""

    def send(self, request: HttpRequest) -> Json:
        """Return the answer."""
        ...

    async def send_async(self, request: HttpRequest) -> Json:
        """Return the answer."""
        ...


def send_with_retries(request: HttpRequest, policy: RetryPolicy) -> Program[Json]:
    """Return the answer to a request, which is repeated while the server is unreachable or busy."""
    return retry(
        request,
        policy,
        lambda error: isinstance(error, StoreUnavailableError) and (request.repeatable or error.refused),
    )


def to_json(data: Json) -> bytes:
    """Return data as JSON; arrays, dates and keys of other types than text are serialised too.

    >>> to_json({"year": 2020})
    b'{"year":2020}'
    """
    return orjson.dumps(data, option=_OPTIONS)


class JsonSerializer:
    """The ``serializer`` of ``opensearch-py``: several times faster than the standard library."""

    mimetype = "application/json"

    def dumps(self, data: Json) -> str | bytes:
        """Return data as JSON; text and bytes are JSON already."""
        return data if isinstance(data, (str, bytes)) else to_json(data)

    def loads(self, s: str | bytes) -> Json:
        """Return the parsed data."""
        try:
            return orjson.loads(s)
        except orjson.JSONDecodeError as error:
            from opensearchpy.exceptions import SerializationError

            raise SerializationError(s, error) from error
