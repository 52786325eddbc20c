"""Base classes of the embedders with a model in this process."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from spaniel.components.embedders.embedded_text import check_documents, check_text, prepare_texts
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.embedding import Encoder
from spaniel.json_types import JsonObject
from spaniel.runtime import Call, Program, async_method, sync_method


class EncoderEmbedder:
    """Base of the embedders with a model in this process."""

    model: str
    prefix: str | None
    suffix: str
    _encoder: Encoder | None = None

    def warm_up(self) -> None:
        """Load the model, unless it is loaded."""
        self.load_encoder()

    def load_encoder(self) -> Encoder:
        """Return the model, loaded on the first call."""
        if self._encoder is None:
            self._encoder = self._load()
        return self._encoder

    def _load(self) -> Encoder:
        raise NotImplementedError


class EncoderTextEmbedder(EncoderEmbedder):
    """Base of the embedders of texts with a model in this process."""

    @component.output_types(embedding=list[float], meta=JsonObject)
    @sync_method
    def run(self, text: str) -> Program[JsonObject]:
        """Return the vector of a text.

        :param text: the text.
        :returns: ``{"embedding": [...], "meta": {"model": ...}}``.
        :raises TypeError: `text` is not a string.
        """
        check_text(text, type(self).__name__)
        vectors = yield from self._encode([text])
        return {"embedding": vectors[0].tolist(), "meta": {"model": self.model}}

    run_async = async_method(run)

    @sync_method
    def run_batch(self, texts: list[str]) -> Program[JsonObject]:
        """Return the vectors of texts, in their order.

        :returns: ``{"embeddings": [...], "meta": {"model": ...}}``.
        :raises TypeError: a text is not a string.
        """
        for text in texts:
            check_text(text, type(self).__name__)
        vectors = yield from self._encode(texts)
        return {"embeddings": vectors.tolist(), "meta": {"model": self.model}}

    run_batch_async = async_method(run_batch)

    def _encode(self, texts: Sequence[str]) -> Program[Any]:
        encoder = yield Call(self, EncoderEmbedder.load_encoder, {})
        prefix = encoder.query_prefix if self.prefix is None else self.prefix
        prepared = [f"{prefix}{text}{self.suffix}" for text in texts]
        return (yield Call(encoder, Encoder.encode, {"texts": prepared}, "abandon"))


class EncoderDocumentEmbedder(EncoderEmbedder):
    """Base of the embedders of documents with a model in this process."""

    meta_fields_to_embed: list[str]
    embedding_separator: str
    progress_bar: bool

    @component.output_types(documents=list[Document], meta=JsonObject)
    @sync_method
    def run(self, documents: list[Document]) -> Program[dict[str, Any]]:
        """Return copies of the documents with their vectors, under the same ids.

        :param documents: the documents; they are not changed.
        :returns: ``{"documents": [...], "meta": {"model": ...}}``.
        :raises TypeError: the input is not a list of documents.
        """
        check_documents(documents, type(self).__name__)
        encoder = yield Call(self, EncoderEmbedder.load_encoder, {})
        prefix = encoder.passage_prefix if self.prefix is None else self.prefix
        texts = prepare_texts(documents, self.meta_fields_to_embed, self.embedding_separator, prefix, self.suffix)
        with show_progress(len(texts), hidden=not self.progress_bar) as report:
            vectors = yield Call(encoder, Encoder.encode, {"texts": texts, "report": report})
        pairs = zip(documents, vectors.tolist(), strict=True)
        embedded = [replace(document, embedding=vector) for document, vector in pairs]
        return {"documents": embedded, "meta": {"model": self.model}}

    run_async = async_method(run)


@contextmanager
def show_progress(total: int, *, hidden: bool) -> Iterator[Callable[[int], None] | None]:
    """Show a progress bar on a terminal, and yield the function that moves it to a number."""
    if hidden:
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task("Calculating embeddings", total=total)
        yield lambda done: bar.update(task, completed=done)
