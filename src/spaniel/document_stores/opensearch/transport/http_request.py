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
    """An HTTP request; its answer is the parsed body.

    :param body: data to serialise, or serialised JSON as bytes.
    :param repeatable: True: safe to send again although the server may have executed it.
    """

    method: str
    path: str
    body: Json = None
    params: Mapping[str, str] | None = None
    repeatable: bool = True

    def call_on(self, transport: "Transport", /) -> Call:
        """Return the call that sends the request."""
        return Call(transport, Transport.send, {"request": self})


class Transport(Protocol):
    """Sends requests and returns their answers.

    Both methods raise DocumentStoreError: see `spaniel.document_stores.opensearch.transport.server_errors`.
    """

    def send(self, request: HttpRequest) -> Json:
        """Return the answer."""
        ...

    async def send_async(self, request: HttpRequest) -> Json:
        """Return the answer."""
        ...


def send_with_retries(request: HttpRequest, policy: RetryPolicy) -> Program[Json]:
    """Return the answer to a request, which is repeated while the server is unreachable or busy.

    :raises StoreUnavailableError: the policy's time is over, or the request is not repeatable.
    """
    return retry(
        request,
        policy,
        lambda error: isinstance(error, StoreUnavailableError) and (request.repeatable or error.refused),
    )


def to_json(data: Json) -> bytes:
    """Return data as JSON; arrays, dates and keys of other types than text are serialised too.

    :raises TypeError: a value has no JSON form, such as an integer of more than 64 bits.

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
        """Return the parsed data.

        :raises SerializationError: the client's error, translated later with its request.
        """
        try:
            return orjson.loads(s)
        except orjson.JSONDecodeError as error:
            from opensearchpy.exceptions import SerializationError

            raise SerializationError(s, error) from error
