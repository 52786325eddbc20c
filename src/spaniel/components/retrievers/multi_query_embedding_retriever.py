"""An embedding retriever run for several queries."""

from collections.abc import Sequence

from spaniel.components.embedders.types import BatchTextEmbedder, TextEmbedder
from spaniel.components.retrievers.base import CompositeRetriever, fetch_documents, validate_min_score, validate_queries
from spaniel.components.retrievers.types import EmbeddingRetriever
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.document_stores.validation import validate_count
from spaniel.json_types import JsonObject
from spaniel.runtime import Call, Gather, Program, async_method, sync_method


@component
class MultiQueryEmbeddingRetriever(CompositeRetriever):
    """Embeds several queries, runs an embedding retriever for each, and pools the documents.

    An embedder with a ``run_batch`` gets all queries in a single call. A document found by several
    queries keeps its highest score.

    :param retriever: the retriever.
    :param query_embedder: embeds the queries.
    :param max_workers: the maximum number of queries embedded, or searched, concurrently.
    :param min_score: the minimum score of a returned document.
    :raises ValueError: `max_workers` is not greater than 0, or `min_score` is not a number.

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

    _own_options = frozenset({"min_score"})
    _component_parameters = ("query_embedder", "retriever")

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

    @component.output_types(documents=list[Document])
    @sync_method
    def run(self, queries: list[str], retriever_kwargs: JsonObject | None = None) -> Program[dict[str, list[Document]]]:
        """Return the documents of all queries under ``documents``, best first.

        :param queries: texts.
        :param retriever_kwargs: more arguments of the retriever's ``run``, such as ``{"top_k":
            5}``.
        :raises TypeError: `queries` is a string.
        :raises ValueError: the embedder returned a different number of vectors.
        """
        yield Call(self, CompositeRetriever.warm_up, {})
        vectors = yield from self._embed(validate_queries(queries))
        inputs = ({"query_embedding": vector, **(retriever_kwargs or {})} for vector in vectors)
        calls = (Call(self.retriever, EmbeddingRetriever.run, each) for each in inputs)
        rankings = yield Gather(map(fetch_documents, calls), self.max_workers)
        return (yield from self._pool(rankings))

    run_async = async_method(run)

    def _embed(self, queries: list[str]) -> Program[list[Sequence[float]]]:
        embedder = self.query_embedder
        vectors: list[Sequence[float]]
        if not (queries and isinstance(embedder, BatchTextEmbedder)):
            vectors = yield Gather(map(self._embed_one, queries), self.max_workers)
            return vectors
        result = yield Call(embedder, BatchTextEmbedder.run_batch, {"texts": list(queries)})
        vectors = result["embeddings"]
        if len(vectors) != len(queries):
            raise ValueError(
                f"{type(embedder).__name__}.run_batch returned {len(vectors)} embeddings for {len(queries)} texts."
            )
        return vectors

    def _embed_one(self, query: str) -> Program[Sequence[float]]:
        result = yield Call(self.query_embedder, TextEmbedder.run, {"text": query})
        vector: Sequence[float] = result["embedding"]
        return vector
