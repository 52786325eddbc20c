"""An embedding retriever that is asked with a text."""

from functools import partial
from typing import Any

from spaniel.components.embedders.types import TextEmbedder
from spaniel.components.retrievers.base import CompositeRetriever, fetch_documents, validate_min_score
from spaniel.components.retrievers.types import EmbeddingRetriever
from spaniel.core.component import component
from spaniel.core.serialization import component_to_dict
from spaniel.dataclasses import Document
from spaniel.runtime import Call, Program, async_method, sync_method
from spaniel.strategies import run_stage
from spaniel.strategies.fusion import pool


@component
class TextEmbeddingRetriever(CompositeRetriever):
    """Embeds a query and asks an embedding retriever for it: so vector search looks like keyword search.

    :param retriever: the retriever.
    :param text_embedder: makes the query's vector.
    :param min_score: what a document must score.
    :raises ValueError: `min_score` is no number.

    >>> from spaniel.components.embedders import MockDocumentEmbedder, MockTextEmbedder
    >>> from spaniel.components.retrievers import InMemoryEmbeddingRetriever
    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> store = InMemoryDocumentStore()
    >>> documents = [Document(content="sun"), Document(content="wind")]
    >>> store.write_documents(MockDocumentEmbedder().run(documents)["documents"])
    2
    >>> by_vector = InMemoryEmbeddingRetriever(store, top_k=1)
    >>> retriever = TextEmbeddingRetriever(retriever=by_vector, text_embedder=MockTextEmbedder())
    >>> [document.content for document in retriever.run("wind")["documents"]]
    ['wind']
    """

    def __init__(
        self, *, retriever: EmbeddingRetriever, text_embedder: TextEmbedder, min_score: float | None = None
    ) -> None:
        self.retriever = retriever
        self.text_embedder = text_embedder
        self.min_score = validate_min_score(min_score)

    _own_options = frozenset({"min_score"})

    def _components(self) -> list[Any]:
        return [self.text_embedder, self.retriever]

    @component.output_types(documents=list[Document])
    @sync_method
    def run(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> Program[dict[str, list[Document]]]:
        """Return the documents under ``documents``, best first.

        :param query: the text.
        :param filters: given to the retriever.
        :param top_k: given to the retriever.
        """
        yield Call(self, CompositeRetriever.warm_up, {})
        embedded = yield Call(self.text_embedder, TextEmbedder.run, {"text": query})
        inputs = {"query_embedding": embedded["embedding"], "filters": filters, "top_k": top_k}
        found = yield from fetch_documents(Call(self.retriever, EmbeddingRetriever.run, inputs))
        return {
            "documents": (
                yield from run_stage(partial(pool, found, min_score=self.min_score), None, type(self).__name__)
            )
        }

    run_async = async_method(run)

    def _init_parameters(self) -> dict[str, Any]:
        return {
            **super()._init_parameters(),
            "retriever": component_to_dict(self.retriever, "retriever"),
            "text_embedder": component_to_dict(self.text_embedder, "text_embedder"),
        }
