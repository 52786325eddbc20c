"""An embedder of documents for tests and examples, without a model."""

from dataclasses import replace
from typing import Any

from spaniel.components.embedders.mock_embedder import EmbeddingFn, MockEmbedder
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.runtime import Program, async_method, sync_method


@component
class MockDocumentEmbedder(MockEmbedder):
    r"""Embeds documents without a model: the same text gives the same vector, on every machine.

    The vectors carry no meaning: close texts are no closer than others.

    :param embedding: one vector for every document.
    :param embedding_fn: takes the prepared text, returns its vector. Not together with `embedding`.
    :param dimension: numbers a vector, where it is drawn from the text's hash.
    :param model: the name to report.
    :param meta: more to report.
    :param prefix: put before each text.
    :param suffix: put after each text.
    :param meta_fields_to_embed: metadata keys whose values are put before the content.
    :param embedding_separator: put between those values and the content.
    :param progress_bar: accepted, and without effect.
    :raises ValueError: both `embedding` and `embedding_fn`, an empty `embedding`, or a `dimension` below 1.
    :raises TypeError: `embedding` is no list or tuple of numbers.

    >>> from spaniel import Document
    >>> embedder = MockDocumentEmbedder(dimension=3, meta_fields_to_embed=["title"])
    >>> documents = embedder.run([Document(content="in Rome", meta={"title": "Pizza"})])["documents"]
    >>> from spaniel.components.embedders import MockTextEmbedder
    >>> documents[0].embedding == MockTextEmbedder(dimension=3).run("Pizza\nin Rome")["embedding"]
    True
    """

    def __init__(
        self,
        embedding: list[float] | None = None,
        *,
        embedding_fn: EmbeddingFn | None = None,
        dimension: int = 768,
        model: str = "mock-model",
        meta: dict[str, Any] | None = None,
        prefix: str = "",
        suffix: str = "",
        meta_fields_to_embed: list[str] | None = None,
        embedding_separator: str = "\n",
        progress_bar: bool = False,
    ) -> None:
        self._choose_source(embedding, embedding_fn, dimension)
        self.model = model
        self.meta = copy_value(meta or {})
        self.prefix = prefix
        self.suffix = suffix
        self.meta_fields_to_embed = copy_value(meta_fields_to_embed or [])
        self.embedding_separator = embedding_separator
        self.progress_bar = progress_bar

    @component.output_types(documents=list[Document], meta=dict[str, Any])
    @sync_method
    def run(self, documents: list[Document]) -> Program[dict[str, Any]]:
        """Return copies of the documents with their vectors, under the same ids.

        :param documents: the documents; they are not changed.
        :returns: ``{"documents": [...], "meta": {"model": ..., "usage": {...}}}``; the usage counts words.
        :raises TypeError: the input is no list of documents.
        """
        yield from ()
        if not isinstance(documents, list) or not all(isinstance(document, Document) for document in documents):
            raise TypeError("MockDocumentEmbedder expects a list of Documents. Use MockTextEmbedder for a string.")
        prepared = [self._prepare(document) for document in documents]
        embedded = [
            replace(document, embedding=self._embed(text)) for document, text in zip(documents, prepared, strict=True)
        ]
        return {"documents": embedded, "meta": self._report(prepared)}

    run_async = async_method(run)

    def _prepare(self, document: Document) -> str:
        values = [document.meta.get(key) for key in self.meta_fields_to_embed]
        parts = [str(value) for value in values if value is not None]
        return self.prefix + self.embedding_separator.join([*parts, document.content or ""]) + self.suffix
