"""Embedders with a model of an Ollama server."""

from collections.abc import Sequence
from typing import Any

from spaniel.components.embedders.server_embedders import (
    Embedded,
    ServerDocumentEmbedder,
    ServerEmbedder,
    ServerTextEmbedder,
)
from spaniel.core.component import component
from spaniel.embedding.model_server import ModelServer
from spaniel.errors import ModelServerError
from spaniel.json_types import JsonObject
from spaniel.runtime import Program


class _OllamaEmbedder(ServerEmbedder):
    model: str
    url: str
    generation_kwargs: JsonObject
    timeout: int
    keep_alive: float | str | None

    def _make_server(self) -> ModelServer:
        return ModelServer(self.url, name="Ollama", timeout=self.timeout)

    def _embed(self, texts: Sequence[str]) -> Program[Embedded]:
        body: JsonObject = {"model": self.model, "input": list(texts), "options": self.generation_kwargs}
        if self.keep_alive is not None:
            body["keep_alive"] = self.keep_alive
        answer = yield from self.get_server().ask("/api/embed", body)
        vectors = answer.get("embeddings") if isinstance(answer, dict) else None
        if not isinstance(vectors, list) or len(vectors) != len(texts):
            raise ModelServerError(f"Ollama at {self.url} did not answer with {len(texts)} vectors.")
        tokens = answer.get("prompt_eval_count")
        return vectors, {"model": self.model, **({"usage": {"prompt_tokens": tokens}} if tokens else {})}


@component
class OllamaTextEmbedder(_OllamaEmbedder, ServerTextEmbedder):
    """Embeds a text with a model of an Ollama server.

    :param model: the name of the model, as ``ollama list`` prints it.
    :param url: the address of the server.
    :param generation_kwargs: options of the model, such as ``num_ctx``.
    :param timeout: limit for a request in seconds.
    :param keep_alive: the time that the model stays loaded: seconds, or a text such as ``5m``.
    :param prefix: text before each text.
    :param suffix: text after each text.
    """

    def __init__(
        self,
        model: str = "nomic-embed-text",
        url: str = "http://localhost:11434",
        generation_kwargs: dict[str, Any] | None = None,
        timeout: int = 120,
        keep_alive: float | str | None = None,
        *,
        prefix: str = "",
        suffix: str = "",
    ) -> None:
        self.model = model
        self.url = url
        self.generation_kwargs = dict(generation_kwargs or {})
        self.timeout = timeout
        self.keep_alive = keep_alive
        self.prefix = prefix
        self.suffix = suffix


@component
class OllamaDocumentEmbedder(_OllamaEmbedder, ServerDocumentEmbedder):
    """Embeds documents with a model of an Ollama server.

    :param model: as in `OllamaTextEmbedder`, as are all parameters that are not here.
    :param progress_bar: show a progress bar on a terminal.
    :param meta_fields_to_embed: metadata keys whose values precede the content.
    :param embedding_separator: text between those values and the content.
    :param batch_size: number of documents of a request.
    :param raise_on_failure: False: documents of a failed request are returned without a vector, and
        the error is logged.
    """

    def __init__(
        self,
        model: str = "nomic-embed-text",
        url: str = "http://localhost:11434",
        generation_kwargs: dict[str, Any] | None = None,
        timeout: int = 120,
        keep_alive: float | str | None = None,
        prefix: str = "",
        suffix: str = "",
        progress_bar: bool = True,
        meta_fields_to_embed: list[str] | None = None,
        embedding_separator: str = "\n",
        batch_size: int = 32,
        *,
        raise_on_failure: bool = True,
    ) -> None:
        self.model = model
        self.url = url
        self.generation_kwargs = dict(generation_kwargs or {})
        self.timeout = timeout
        self.keep_alive = keep_alive
        self.prefix = prefix
        self.suffix = suffix
        self.progress_bar = progress_bar
        self.meta_fields_to_embed = list(meta_fields_to_embed or [])
        self.embedding_separator = embedding_separator
        self.batch_size = batch_size
        self.raise_on_failure = raise_on_failure
