"""An embedder of texts with a model of OpenAI, or of any server with the same interface."""

import os
from collections.abc import Sequence
from typing import Any

from spaniel.components.embedders.server_embedders import (
    Embedded,
    ServerEmbedder,
    ServerTextEmbedder,
)
from spaniel.core.component import component
from spaniel.core.secret import Secret
from spaniel.embedding.model_server import ModelServer
from spaniel.errors import ModelServerError
from spaniel.json_types import JsonObject
from spaniel.runtime import Program

_URL = "https://api.openai.com/v1"
_TIMEOUT, _MAX_RETRIES = 30.0, 5
API_KEY = Secret.from_env_var("OPENAI_API_KEY")


class OpenAIEmbedder(ServerEmbedder):
    """Base of the embedders of OpenAI's interface."""

    api_key: Secret | None
    model: str
    dimensions: int | None
    api_base_url: str | None
    organization: str | None
    timeout: float | None
    max_retries: int | None
    http_client_kwargs: JsonObject | None

    def _make_server(self) -> ModelServer:
        headers = {}
        if (key := None if self.api_key is None else self.api_key.resolve_value()) is not None:
            headers["Authorization"] = f"Bearer {key}"
        if self.organization is not None:
            headers["OpenAI-Organization"] = self.organization
        timeout = float(os.environ.get("OPENAI_TIMEOUT", _TIMEOUT)) if self.timeout is None else self.timeout
        retries = (
            int(os.environ.get("OPENAI_MAX_RETRIES", _MAX_RETRIES)) if self.max_retries is None else self.max_retries
        )
        url = self.api_base_url or os.environ.get("OPENAI_BASE_URL") or _URL
        options = self.http_client_kwargs
        return ModelServer(
            url, name="The model server", headers=headers, timeout=timeout, max_retries=retries, client_options=options
        )

    def _embed(self, texts: Sequence[str]) -> Program[Embedded]:
        body: JsonObject = {"model": self.model, "input": list(texts), "encoding_format": "float"}
        if self.dimensions is not None:
            body["dimensions"] = self.dimensions
        server = self.get_server()
        answer = yield from server.ask("/embeddings", body)
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, list) or len(data) != len(texts):
            raise ModelServerError(f"The model server at {server.url} did not answer with {len(texts)} vectors.")
        vectors = [each["embedding"] for each in sorted(data, key=lambda each: each.get("index", 0))]
        return vectors, {"model": answer.get("model", self.model), "usage": dict(answer.get("usage") or {})}


@component
class OpenAITextEmbedder(OpenAIEmbedder, ServerTextEmbedder):
    """Embeds a text with a model of OpenAI, or of a server with the same interface.

    :param api_key: its key; None, or an absent environment variable with ``strict=False``: none.
    :param model: the name of the model.
    :param dimensions: the size of the vectors, if the model can shorten them.
    :param api_base_url: the address of another server; None: ``$OPENAI_BASE_URL``, or OpenAI.
    :param organization: the id of an organization.
    :param prefix: text before each text.
    :param suffix: text after each text.
    :param timeout: limit for a request in seconds; None: ``$OPENAI_TIMEOUT``, or 30.
    :param max_retries: further tries while the server is busy; None: ``$OPENAI_MAX_RETRIES``, or 5.
    :param http_client_kwargs: of the clients of ``httpx2``, such as ``proxy``.
    """

    def __init__(
        self,
        api_key: Secret | None = API_KEY,
        model: str = "text-embedding-3-small",
        dimensions: int | None = None,
        api_base_url: str | None = None,
        organization: str | None = None,
        prefix: str = "",
        suffix: str = "",
        timeout: float | None = None,
        max_retries: int | None = None,
        http_client_kwargs: dict[str, Any] | None = None,
    ) -> None:
        self.api_key = api_key
        self.model = model
        self.dimensions = dimensions
        self.api_base_url = api_base_url
        self.organization = organization
        self.prefix = prefix
        self.suffix = suffix
        self.timeout = timeout
        self.max_retries = max_retries
        self.http_client_kwargs = http_client_kwargs
