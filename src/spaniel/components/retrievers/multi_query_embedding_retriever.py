"""One embedding retriever asked for several queries at once."""

from functools import partial
from typing import Any

from spaniel.components.embedders.types import BatchTextEmbedder, TextEmbedder
from spaniel.components.retrievers.base import (
    CompositeRetriever,
    fetch_documents,
    validate_count,
    validate_min_score,
    validate_queries,
)
from spaniel.components.retrievers.types import EmbeddingRetriever
from spaniel.core.component import component
from spaniel.core.serialization import component_to_dict
from spaniel.dataclasses import Document
from spaniel.runtime import Call, Gather, Program, async_method, sync_method
from spaniel.strategies import run_stage
from spaniel.strategies.fusion import pool


@component
class MultiQueryEmbeddingRetriever(CompositeRetriever):
    """Embeds several queries, asks an embedding retriever for all at once, and returns the documents, best first.

    An embedder with a ``run_batch`` gets all queries in one call. A document that several queries find keeps its highest
    score.

    :param retriever: the retriever.
    :param query_embedder: makes a query's vector.
    :param max_workers: how many queries are embedded, or asked, at a time.
    :param min_score: what a document must score.
    :raises ValueError: `max_workers` is not greater than 0, or `min_score` is no number.

    >>> from spaniel.components.embedders import MockDocumentEmbedder, MockTextEmbedder
    >>> from spaniel.components.retrievers import InMemoryEmbeddingRetriever
    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> documents = [Document(content="solar power"), Document(content="wind power"), Document(content="coal")]
    >>> store = InMemoryDocumentStore()
    >>> store.write_documents(MockDocumentEmbedder().run(documents)["documents"])
    3
    >>> by_vector = InMemoryEmbeddingRetriever(store, top_k=1)
    >>> retriever = MultiQueryEmbeddingRetriever(retriever=by_vector, query_embedder=MockTextEmbedder())
    >>> sorted(document.content for document in retriever.run(queries=["solar power", "coal"])["documents"])
    ['coal', 'solar power']
    """

    def __init__(
        self,
        *,
        retriever: EmbeddingRetriever,
        query_embedder: TextEmbedder,
        max_workers: int = 3,
        min_score: float | None = None,
    ) -> None:
        self.retriever = retriever
        self.query_embedder = query_embedder
        self.max_workers = validate_count("max_workers", max_workers, positive=True)
        self.min_score = validate_min_score(min_score)

    _own_options = frozenset({"min_score"})

    def _components(self) -> list[Any]:
        return [self.query_embedder, self.retriever]

    @component.output_types(documents=list[Document])
    @sync_method
    def run(
        self, queries: list[str], retriever_kwargs: dict[str, Any] | None = None
    ) -> Program[dict[str, list[Document]]]:
        """Return the documents that the queries find under ``documents``, best first.

        :param queries: texts.
        :param retriever_kwargs: what else the retriever's ``run`` is given, such as ``{"top_k": 5}``.
        :raises TypeError: `queries` is one string.
        :raises ValueError: the embedder gave another number of vectors than it got texts.
        """
        yield Call(self, CompositeRetriever.warm_up, {})
        vectors = yield from self._embed(validate_queries(queries))
        inputs = ({"query_embedding": vector, **(retriever_kwargs or {})} for vector in vectors)
        calls = (Call(self.retriever, EmbeddingRetriever.run, each) for each in inputs)
        found = yield Gather(map(fetch_documents, calls), self.max_workers)
        return {
            "documents": (
                yield from run_stage(partial(pool, *found, min_score=self.min_score), None, type(self).__name__)
            )
        }

    run_async = async_method(run)

    def _embed(self, queries: list[str]) -> Program[list[Any]]:
        embedder = self.query_embedder
        if not (queries and isinstance(embedder, BatchTextEmbedder)):
            vectors_of_each: list[Any] = yield Gather(map(self._embed_one, queries), self.max_workers)
            return vectors_of_each
        result = yield Call(embedder, BatchTextEmbedder.run_batch, {"texts": list(queries)})
        vectors: list[Any] = result["embeddings"]
        if len(vectors) != len(queries):
            raise ValueError(
                f"{type(embedder).__name__}.run_batch returned {len(vectors)} embeddings for {len(queries)} texts."
            )
        return vectors

    def _embed_one(self, query: str) -> Program[Any]:
        result = yield Call(self.query_embedder, TextEmbedder.run, {"text": query})
        return result["embedding"]

    def _init_parameters(self) -> dict[str, Any]:
        return {
            **super()._init_parameters(),
            "retriever": component_to_dict(self.retriever, "retriever"),
            "query_embedder": component_to_dict(self.query_embedder, "query_embedder"),
        }
