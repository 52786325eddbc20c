"""Base classes of the embedders with a model on a server."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from spaniel.components.embedders.embedded_text import check_documents, check_text, prepare_texts
from spaniel.components.embedders.encoder_embedders import show_progress
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.embedding.model_server import ModelServer
from spaniel.errors import ModelServerError
from spaniel.json_types import JsonObject
from spaniel.runtime import Call, Program, async_method, sync_method

logger = logging.getLogger(__name__)

Embedded = tuple[list[list[float]], JsonObject]
"""The vectors of texts, and the report of the server: its model and usage."""


class ServerEmbedder:
    """Base of the embedders with a model on a server."""

    prefix: str
    suffix: str
    _server: ModelServer | None = None

    def warm_up(self) -> None:
        """Read the secrets; connections are opened by the first request."""
        self.get_server()

    def get_server(self) -> ModelServer:
        """Return the server."""
        if self._server is None:
            self._server = self._make_server()
        return self._server

    @sync_method
    def close(self) -> Program[None]:
        """Close the connections."""
        if self._server is not None:
            yield Call(self._server, ModelServer.close, {})

    close_async = async_method(close)

    def _make_server(self) -> ModelServer:
        raise NotImplementedError

    def _embed(self, texts: Sequence[str]) -> Program[Embedded]:
        """Return the vectors of texts by one request."""
        raise NotImplementedError


class ServerTextEmbedder(ServerEmbedder):
    """Base of the embedders of texts with a model on a server."""

    @component.output_types(embedding=list[float], meta=JsonObject)
    @sync_method
    def run(self, text: str) -> Program[JsonObject]:
        """Return the vector of a text.

        :param text: the text.
        :returns: ``{"embedding": [...], "meta": {"model": ..., "usage": {...}}}``.
        :raises TypeError: `text` is not a string.
        :raises ModelServerError: the server can't be reached, or refuses the request.
        """
        check_text(text, type(self).__name__)
        vectors, meta = yield from self._embed([f"{self.prefix}{text}{self.suffix}"])
        return {"embedding": vectors[0], "meta": meta}

    run_async = async_method(run)

    @sync_method
    def run_batch(self, texts: list[str]) -> Program[JsonObject]:
        """Return the vectors of texts, in their order, by one request.

        :returns: ``{"embeddings": [...], "meta": {...}}``.
        :raises ModelServerError: the server can't be reached, or refuses the request.
        """
        for text in texts:
            check_text(text, type(self).__name__)
        vectors, meta = yield from self._embed([f"{self.prefix}{text}{self.suffix}" for text in texts])
        return {"embeddings": vectors, "meta": meta}

    run_batch_async = async_method(run_batch)


class ServerDocumentEmbedder(ServerEmbedder):
    """Base of the embedders of documents with a model on a server."""

    batch_size: int
    meta_fields_to_embed: list[str]
    embedding_separator: str
    progress_bar: bool
    raise_on_failure: bool

    @component.output_types(documents=list[Document], meta=JsonObject)
    @sync_method
    def run(self, documents: list[Document]) -> Program[dict[str, Any]]:
        """Return copies of the documents with their vectors, under the same ids.

        :param documents: the documents; they are not changed.
        :returns: ``{"documents": [...], "meta": {"model": ..., "usage": {...}}}``.
        :raises TypeError: the input is not a list of documents.
        :raises ModelServerError: the server can't be reached, or refuses a request; with
            ``raise_on_failure=False`` the documents of that request are returned without a vector.
        """
        check_documents(documents, type(self).__name__)
        texts = prepare_texts(documents, self.meta_fields_to_embed, self.embedding_separator, self.prefix, self.suffix)
        found: list[Document] = []
        meta: JsonObject = {}
        with show_progress(len(texts), hidden=not self.progress_bar) as report:
            for start in range(0, len(texts), self.batch_size):
                batch = documents[start : start + self.batch_size]
                try:
                    vectors, reported = yield from self._embed(texts[start : start + self.batch_size])
                except ModelServerError as error:
                    if self.raise_on_failure:
                        raise
                    logger.error("These documents have no vector: %s. %s", ", ".join(each.id for each in batch), error)  # noqa: TRY400 (the reason is enough)
                    found += batch
                else:
                    found += [replace(each, embedding=vector) for each, vector in zip(batch, vectors, strict=True)]
                    meta = add_usage(meta, reported)
                if report is not None:
                    report(len(found))
        return {"documents": found, "meta": meta}

    run_async = async_method(run)


def add_usage(before: JsonObject, reported: JsonObject) -> JsonObject:
    """Return the reports of two requests as one: the sum of their usage.

    >>> add_usage({"model": "m", "usage": {"total_tokens": 2}}, {"model": "m", "usage": {"total_tokens": 3}})
    {'model': 'm', 'usage': {'total_tokens': 5}}
    """
    usage = dict(before.get("usage") or {})
    for name, count in (reported.get("usage") or {}).items():
        usage[name] = usage.get(name, 0) + count if isinstance(count, int | float) else count
    return {**reported, **before, **({"usage": usage} if usage else {})}
