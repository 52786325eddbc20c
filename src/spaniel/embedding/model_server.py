"""Requests to a server with models: JSON over HTTP, repeated while it is busy."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, finalize

from spaniel.errors import ModelServerError
from spaniel.runtime import Call, Program, Sleep

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spaniel.json_types import JsonObject

_BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
_FIRST_PAUSE, _MAX_PAUSE = 0.5, 8.0  # seconds, doubled for each try
_MAX_SHOWN = 300


class ModelServer:
    """A server with models.

    :param url: its address, before the path of each request.
    :param name: in errors, such as ``OpenAI``.
    :param headers: of each request; they are never shown.
    :param timeout: limit for a request, in seconds.
    :param max_retries: number of further tries while the server is busy or can't be reached.
    :param client_options: of the clients ``Client`` and ``AsyncClient`` of ``httpx2``.
    """

    def __init__(
        self,
        url: str,
        *,
        name: str,
        headers: Mapping[str, str] | None = None,
        timeout: float = 30.0,
        max_retries: int = 5,
        client_options: Mapping[str, Any] | None = None,
    ) -> None:
        self.url, self.name = url.rstrip("/"), name
        self._max_retries = max_retries
        self._options = {"timeout": timeout, "headers": dict(headers or {}), **(client_options or {})}
        self._client: Any = None
        self._async_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, Any] = WeakKeyDictionary()

    def ask(self, path: str, body: JsonObject) -> Program[Any]:
        """Return the answer to a request.

        :raises ModelServerError: the server can't be reached, refuses the request, or answers with
            something else than JSON.
        """
        for attempt in range(self._max_retries + 1):
            is_last = attempt == self._max_retries
            pause = min(_FIRST_PAUSE * 2**attempt, _MAX_PAUSE) * random.uniform(0.5, 1.0)  # noqa: S311 (no secret)
            try:
                response = yield Call(self, ModelServer.send, {"path": path, "body": body}, "abandon")
            except _transport_errors() as error:
                if is_last:
                    raise ModelServerError(self._describe(error)) from error
            else:
                if response.status_code not in _BUSY or is_last:
                    return self._read(response)
                pause = _read_pause(response.headers.get("retry-after"), pause)
            yield Sleep(pause)
        raise AssertionError("the last try returns or raises")

    def send(self, path: str, body: JsonObject) -> Any:
        """Send a request once, and return the response."""
        if self._client is None:
            self._client = _import_client().Client(**self._options)
            finalize(self, self._client.close)
        return self._client.post(f"{self.url}{path}", json=body)

    async def send_async(self, path: str, body: JsonObject) -> Any:
        """Send a request once without blocking the event loop, and return the response."""
        loop = asyncio.get_running_loop()  # a connection of one loop can't be used in another
        if (client := self._async_clients.get(loop)) is None:
            client = self._async_clients[loop] = _import_client().AsyncClient(**self._options)
        return await client.post(f"{self.url}{path}", json=body)

    def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

    async def close_async(self) -> None:
        """Close the connections of the running event loop."""
        client = self._async_clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()

    def _read(self, response: Any) -> Any:
        if response.is_success:
            try:
                return response.json()
            except ValueError as error:
                raise ModelServerError(
                    f"{self.name} at {self.url} does not answer with JSON: is this the right address?"
                ) from error
        raise ModelServerError(f"{self.name} at {self.url} refused the request: {_read_reason(response)}")

    def _describe(self, error: Exception) -> str:
        if "timeout" in type(error).__name__.lower():
            return f"{self.name} at {self.url} did not answer within {self._options['timeout']} s. Raise the timeout."
        return f"{self.name} at {self.url} can't be reached: {error}. Is it running, and is the address right?"


def _import_client() -> Any:
    try:
        import httpx2
    except ImportError as error:
        raise ImportError(f"{error}. Models on a server need: pip install 'spaniel[http]'") from error
    return httpx2


def _transport_errors() -> tuple[type[Exception], ...]:
    return (_import_client().TransportError,)


def _read_reason(response: Any) -> str:
    """Return the reason that a server gives, in the forms that are usual."""
    try:
        found = response.json()
    except ValueError:
        found = response.text
    if isinstance(found, dict):
        found = found.get("error", found.get("message", found.get("detail", found)))
    if isinstance(found, dict):
        found = found.get("message", found)
    return f"{response.status_code} {str(found)[:_MAX_SHOWN]}".strip()


def _read_pause(header: str | None, pause: float) -> float:
    """Return the seconds that a server asks to wait, within limits."""
    try:
        return min(max(float(header or ""), 0.0), 60.0)
    except ValueError:
        return pause
