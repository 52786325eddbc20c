"""One embedding retriever asked for several queries at once."""

from functools import partial
from typing import Any

from spaniel.components.embedders.types import BatchTextEmbedder, TextEmbedder
from spaniel.components.retrievers.arguments import checked_count, checked_min_score
from spaniel.components.retrievers.over_components import OverComponents, checked_queries, documents_of
from spaniel.components.retrievers.together import Calls, ComponentCall, call_together, call_together_async
from spaniel.components.retrievers.types import EmbeddingRetriever
from spaniel.core.component import component
from spaniel.core.serialization import component_to_dict
from spaniel.dataclasses import Document
from spaniel.strategies import drive
from spaniel.strategies.combine import pool


@component
class MultiQueryEmbeddingRetriever(OverComponents):
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
        self.max_workers = checked_count("max_workers", max_workers, positive=True)
        self.min_score = checked_min_score(min_score)

    # Haystack's own options, so always part of the serialised form.
    _always_written = frozenset({"retriever", "query_embedder", "max_workers"})

    def _inner(self) -> list[Any]:
        return [self.query_embedder, self.retriever]

    @component.output_types(documents=list[Document])
    def run(self, queries: list[str], retriever_kwargs: dict[str, Any] | None = None) -> dict[str, list[Document]]:
        """Return the documents that the queries find under ``documents``, best first.

        :param queries: texts.
        :param retriever_kwargs: what else the retriever's ``run`` is given, such as ``{"top_k": 5}``.
        :raises TypeError: `queries` is one string.
        :raises ValueError: the embedder gave another number of vectors than it got texts.
        """
        self.warm_up()
        return {"documents": call_together(self._retrieve(queries, retriever_kwargs), self.max_workers)}

    @component.output_types(documents=list[Document])
    async def run_async(
        self, queries: list[str], retriever_kwargs: dict[str, Any] | None = None
    ) -> dict[str, list[Document]]:
        """Return what `run` returns; a component without ``run_async`` is called in a thread."""
        await self.warm_up_async()
        return {"documents": await call_together_async(self._retrieve(queries, retriever_kwargs), self.max_workers)}

    def _retrieve(self, queries: list[str], retriever_kwargs: dict[str, Any] | None) -> Calls[list[Document]]:
        more = retriever_kwargs or {}
        vectors = yield from self._embed(checked_queries(queries))
        found = yield [ComponentCall(self.retriever, {"query_embedding": vector, **more}) for vector in vectors]
        pooled = partial(pool, *(documents_of(result) for result in found), min_score=self.min_score)
        return drive(pooled, None, type(self).__name__)

    def _embed(self, queries: list[str]) -> Calls[list[Any]]:
        embedder = self.query_embedder
        if not (queries and isinstance(embedder, BatchTextEmbedder)):
            results = yield [ComponentCall(embedder, {"text": query}) for query in queries]
            return [result["embedding"] for result in results]
        [result] = yield [ComponentCall(embedder, {"texts": list(queries)}, method="run_batch")]
        vectors: list[Any] = result["embeddings"]
        if len(vectors) != len(queries):
            raise ValueError(
                f"{type(embedder).__name__}.run_batch returned {len(vectors)} embeddings for {len(queries)} texts."
            )
        return vectors

    def _init_parameters(self) -> dict[str, Any]:
        return {
            **super()._init_parameters(),
            "retriever": component_to_dict(self.retriever, "retriever"),
            "query_embedder": component_to_dict(self.query_embedder, "query_embedder"),
        }
