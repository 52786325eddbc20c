"""A document embedder without a model, for tests and examples."""

from dataclasses import replace
from typing import Any

from spaniel.components.embedders.embedded_text import check_documents, prepare_texts
from spaniel.components.embedders.mock_embedder import EmbeddingFn, MockEmbedder
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.json_types import JsonObject
from spaniel.runtime import Program, async_method, sync_method


@component
class MockDocumentEmbedder(MockEmbedder):
    r"""Embeds documents without a model: the same text gets the same vector on every machine.

    The vectors have no meaning: their distances do not reflect similarity.

    :param embedding: the vector of every document.
    :param embedding_fn: function from the prepared text to its vector. Exclusive with `embedding`.
    :param dimension: the number of dimensions of vectors drawn from the text's hash.
    :param model: the reported name of the model.
    :param meta: more metadata to report.
    :param prefix: text before each text.
    :param suffix: text after each text.
    :param meta_fields_to_embed: metadata keys whose values precede the content.
    :param embedding_separator: text between those values and the content.
    :param progress_bar: accepted for compatibility; no progress bar is shown.
    :raises ValueError: both `embedding` and `embedding_fn` are given, `embedding` is empty, or
        `dimension` is below 1.
    :raises TypeError: `embedding` is not a list or tuple of numbers.

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
        meta: JsonObject | None = None,
        prefix: str = "",
        suffix: str = "",
        meta_fields_to_embed: list[str] | None = None,
        embedding_separator: str = "\n",
        progress_bar: bool = False,
    ) -> None:
        super().__init__(
            embedding,
            embedding_fn=embedding_fn,
            dimension=dimension,
            model=model,
            meta=meta,
            prefix=prefix,
            suffix=suffix,
        )
        self.meta_fields_to_embed = copy_value(meta_fields_to_embed or [])
        self.embedding_separator = embedding_separator
        self.progress_bar = progress_bar

    @component.output_types(documents=list[Document], meta=JsonObject)
    @sync_method
    def run(self, documents: list[Document]) -> Program[dict[str, Any]]:
        """Return copies of the documents with their vectors, under the same ids.

        :param documents: the documents; they are not changed.
        :returns: ``{"documents": [...], "meta": {"model": ..., "usage": {...}}}``; the usage counts
            words.
        :raises TypeError: the input is not a list of documents.
        """
        yield from ()
        check_documents(documents, "MockDocumentEmbedder")
        texts = prepare_texts(documents, self.meta_fields_to_embed, self.embedding_separator, self.prefix, self.suffix)
        embedded = [
            replace(document, embedding=self._embed(text)) for document, text in zip(documents, texts, strict=True)
        ]
        return {"documents": embedded, "meta": self._report_usage(texts)}

    run_async = async_method(run)
