"""The clients of a store: one for plain code, one for each event loop."""

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from spaniel.core.secret import Secret
from spaniel.document_stores.opensearch.transport.http_request import Ask
from spaniel.document_stores.opensearch.transport.server_errors import not_opensearch, translated
from spaniel.errors import DocumentStoreError

if TYPE_CHECKING:
    from opensearchpy import AsyncOpenSearch, OpenSearch

Hosts = str | Sequence[str | Mapping[str, str | int]]

_CONNECTIONS = 16  # to one node, kept open; more are made where more requests are under way
_OPAQUE_ID = "opaque_id"  # as the client calls it; a header, not a parameter of the server
_TIMEOUT = 60.0  # seconds; the client's own 10 are short for a node that merges


class Connection:
    """Makes the clients when they are first needed, and sends requests with them.

    :param hosts: as the client takes them.
    :param options: gives what else the clients' constructors take, when one is made.
    """

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
                _, made = _client_classes()
                self._client = made(hosts=self._hosts, **self._options())
            return self._client

    @property
    def async_client(self) -> "AsyncOpenSearch":
        """The client of the event loop that runs here: a session of one loop can't be used in another."""
        loop = asyncio.get_running_loop()
        with self._lock:
            if (client := self._async_clients.get(loop)) is None:
                made, _ = _client_classes()
                client = self._async_clients[loop] = made(hosts=self._hosts, **self._async_options())
            return client

    def _options(self) -> dict[str, Any]:
        return {
            "timeout": _TIMEOUT,
            "pool_maxsize": _CONNECTIONS,
            "max_retries": 0,  # `patience` asks again, and knows what may be asked twice
            **{name: value for name, value in self._given_options().items() if value is not None},
        }

    def _async_options(self) -> dict[str, Any]:
        from opensearchpy import AsyncHttpConnection  # it signs requests, which the client's default does not

        options = {"connection_class": AsyncHttpConnection, **self._options()}
        for_async = getattr(
            options.get("http_auth"), "for_async", None
        )  # an auth object may have a form for coroutines
        return {**options, "http_auth": for_async()} if callable(for_async) else options

    def send(self, ask: Ask) -> Any:
        """Return the answer to a request.

        :raises DocumentStoreError: as `failures.translated` says.
        """
        from opensearchpy.exceptions import OpenSearchException

        try:
            answer = self.client.transport.perform_request(
                ask.method, ask.path, params=_params(ask), body=ask.body, headers=_headers(ask)
            )
        except OpenSearchException as error:
            raise translated(error, ask, self.place) from error
        return self._checked(answer, ask)

    async def send_async(self, ask: Ask) -> Any:
        """Return the answer to a request, as `send` does."""
        from opensearchpy.exceptions import OpenSearchException

        try:
            answer = await self.async_client.transport.perform_request(
                ask.method, ask.path, params=_params(ask), body=ask.body, headers=_headers(ask)
            )
        except OpenSearchException as error:
            raise translated(error, ask, self.place) from error
        return self._checked(answer, ask)

    def _checked(self, answer: Any, ask: Ask) -> Any:
        if not isinstance(answer, dict):
            raise not_opensearch(self.place, f"{ask.method} {ask.path}")
        return answer

    @property
    def place(self) -> str:
        """Where the server is, without user names and passwords."""
        hosts = [self._hosts] if isinstance(self._hosts, str) else list(self._hosts or ["localhost:9200"])
        return ", ".join(_shown(host) for host in hosts)

    def close(self) -> None:
        """Close the client of plain code; a later request makes a new one."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            for connection in _all_connections(client):
                connection.close()
            client.close()

    async def close_async(self) -> None:
        """Close the client of the event loop that runs here."""
        with self._lock:
            client = self._async_clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            for connection in _all_connections(client):
                await connection.close()
            await client.close()


def _all_connections(client: Any) -> Sequence[Any]:
    """Return the connections of a client, those included that are set aside as dead: it closes only the others itself."""
    return tuple(getattr(client.transport.connection_pool, "orig_connections", ()))


def _client_classes() -> tuple[Any, Any]:
    try:
        from opensearchpy import AsyncOpenSearch, OpenSearch
    except ImportError as error:
        raise DocumentStoreError(
            f"OpenSearch needs another package ({error.name}). Install it with: pip install 'spaniel[opensearch]'"
        ) from error
    return AsyncOpenSearch, OpenSearch


def _params(ask: Ask) -> dict[str, Any]:
    return {name: value for name, value in (ask.params or {}).items() if name != _OPAQUE_ID}


def _headers(ask: Ask) -> dict[str, str] | None:
    headers = {}
    if (name := (ask.params or {}).get(_OPAQUE_ID)) is not None:
        headers["x-opaque-id"] = name
    if isinstance(ask.body, bytes):
        headers["content-type"] = "application/x-ndjson" if ask.body.endswith(b"\n") else "application/json"
    return headers or None


def _shown(host: str | Mapping[str, Any]) -> str:
    if isinstance(host, str):
        return host.rpartition("@")[2]
    return f"{host.get('host', 'localhost')}:{host.get('port', 9200)}"


_PAIR = 2


def resolved_auth(auth: Any) -> Any:
    """Return what the client takes for a pair of secrets; anything else as it is.

    :raises DocumentStoreError: only one of the two has a value.
    """
    if not _is_secret_pair(auth):
        return auth or None
    name, password = (secret.resolve_value() for secret in auth)
    if bool(name) != bool(password):
        missing = "password" if name else "user name"
        raise DocumentStoreError(f"http_auth has no {missing}: both must be set, or neither ({auth[0]}, {auth[1]}).")
    return (name, password) if name else None


def saved_auth(auth: Any) -> Any:
    """Return an auth as plain data; names and passwords that are written in the program are left out."""
    if _is_secret_pair(auth):
        return [secret.to_dict() for secret in auth]
    return auth.to_dict() if hasattr(auth, "to_dict") else None


def _is_secret_pair(auth: Any) -> bool:
    return isinstance(auth, (tuple, list)) and len(auth) == _PAIR and all(isinstance(item, Secret) for item in auth)
