"""The clients of a store: for plain code, and one per event loop, with their authentication."""

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakKeyDictionary

from spaniel.core.secret import Secret
from spaniel.document_stores.opensearch.transport.http_request import HttpRequest
from spaniel.document_stores.opensearch.transport.server_errors import not_opensearch, translate_error
from spaniel.errors import DocumentStoreError
from spaniel.json_types import Json, JsonObject

if TYPE_CHECKING:
    from opensearchpy import AsyncOpenSearch, OpenSearch

Hosts = str | Sequence[str | Mapping[str, str | int]]
Auth: TypeAlias = Any
"""A pair of secrets or texts, or any object that the client accepts as ``http_auth``."""

_POOL_SIZE = 16  # idle connections per node; under load the client opens more
_OPAQUE_ID = "opaque_id"  # the client's name for it; a header, not a parameter of the server
_TIMEOUT = 60.0  # seconds; the client's own 10 are short for a node that merges
_PAIR = 2


class Connection:
    """Creates clients on first use, with the arguments from `options`, and sends requests."""

    def __init__(self, hosts: Hosts | None, options: Callable[[], Mapping[str, Any]]) -> None:
        self._hosts = hosts
        self._given_options = options
        self._client: OpenSearch | None = None
        self._async_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncOpenSearch] = WeakKeyDictionary()
        self._lock = threading.Lock()

    @property
    def client(self) -> "OpenSearch":
        """The client of plain code."""
        with self._lock:
            if self._client is None:
                self._client = _client_classes()[0](hosts=self._hosts, **self._options())
            return self._client

    @property
    def async_client(self) -> "AsyncOpenSearch":
        """The client of the running event loop: a session of one loop can't be used in another."""
        loop = asyncio.get_running_loop()
        with self._lock:
            if (client := self._async_clients.get(loop)) is None:
                client = _client_classes()[1](hosts=self._hosts, **self._async_options())
                self._async_clients[loop] = client
            return client

    def _options(self) -> dict[str, Any]:
        return {
            "timeout": _TIMEOUT,
            "pool_maxsize": _POOL_SIZE,
            "max_retries": 0,  # the retry policy knows which requests are safe to repeat
            **{name: value for name, value in self._given_options().items() if value is not None},
        }

    def _async_options(self) -> dict[str, Any]:
        from opensearchpy import AsyncHttpConnection  # signs requests, unlike the client's default

        options = {"connection_class": AsyncHttpConnection, **self._options()}
        # An auth object may have a form for coroutines.
        for_async = getattr(options.get("http_auth"), "for_async", None)
        return {**options, "http_auth": for_async()} if callable(for_async) else options

    def send(self, request: HttpRequest) -> Json:
        """Return the answer to a request."""
        from opensearchpy.exceptions import OpenSearchException

        try:
            answer = self.client.transport.perform_request(request.method, request.path, **_arguments(request))
        except OpenSearchException as error:
            raise translate_error(error, request, self.place) from error
        return self._validate(answer, request)

    async def send_async(self, request: HttpRequest) -> Json:
        """Return the answer to a request, like `send`."""
        from opensearchpy.exceptions import OpenSearchException

        try:
            answer = await self.async_client.transport.perform_request(
                request.method, request.path, **_arguments(request)
            )
        except OpenSearchException as error:
            raise translate_error(error, request, self.place) from error
        return self._validate(answer, request)

    def _validate(self, answer: Json, request: HttpRequest) -> JsonObject:
        if not isinstance(answer, dict):
            raise not_opensearch(self.place, f"{request.method} {request.path}")
        return answer

    @property
    def place(self) -> str:
        """The hosts, without user names and passwords."""
        hosts = [self._hosts] if isinstance(self._hosts, str) else list(self._hosts or ["localhost:9200"])
        return ", ".join(_without_credentials(host) for host in hosts)

    def close(self) -> None:
        """Close the client of plain code; a later request creates another."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            for connection in _all_connections(client):
                connection.close()
            client.close()

    async def close_async(self) -> None:
        """Close the client of the running event loop."""
        with self._lock:
            client = self._async_clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            for connection in _all_connections(client):
                await connection.close()
            await client.close()


def resolve_auth(auth: Auth) -> Auth:
    """Return user name and password for a pair of secrets; any other value unchanged."""
    if not _is_secret_pair(auth):
        return auth or None
    name, password = (secret.resolve_value() for secret in auth)
    if bool(name) != bool(password):
        missing = "password" if name else "user name"
        raise DocumentStoreError(f"http_auth has no {missing}: both must be set, or neither ({auth[0]}, {auth[1]}).")
    return (name, password) if name else None


def serialize_auth(auth: Auth) -> Json:
    """Return the serialised form of an auth, without names and passwords given as text."""
    if _is_secret_pair(auth):
        return [secret.to_dict() for secret in auth]
    return auth.to_dict() if hasattr(auth, "to_dict") else None


def _is_secret_pair(auth: Auth) -> bool:
    return isinstance(auth, (tuple, list)) and len(auth) == _PAIR and all(isinstance(item, Secret) for item in auth)


def _all_connections(client: "OpenSearch | AsyncOpenSearch") -> Sequence[Any]:
    """Return the connections of a client with those marked dead, which it does not close itself."""
    return tuple(getattr(client.transport.connection_pool, "orig_connections", ()))


def _client_classes() -> tuple[type["OpenSearch"], type["AsyncOpenSearch"]]:
    try:
        from opensearchpy import AsyncOpenSearch, OpenSearch
    except ImportError as error:
        raise DocumentStoreError(
            f"OpenSearch needs another package ({error.name}). Install it with: pip install 'spaniel[opensearch]'"
        ) from error
    return OpenSearch, AsyncOpenSearch


def _arguments(request: HttpRequest) -> dict[str, Any]:
    params = dict(request.params or {})
    headers = {}
    if (name := params.pop(_OPAQUE_ID, None)) is not None:
        headers["x-opaque-id"] = name
    if isinstance(request.body, bytes):
        headers["content-type"] = "application/x-ndjson" if request.body.endswith(b"\n") else "application/json"
    return {"params": params, "body": request.body, "headers": headers or None}


def _without_credentials(host: str | Mapping[str, str | int]) -> str:
    if isinstance(host, str):
        return host.rpartition("@")[2]
    return f"{host.get('host', 'localhost')}:{host.get('port', 9200)}"
