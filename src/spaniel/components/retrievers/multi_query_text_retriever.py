"""One text retriever asked for several queries at once."""

from functools import partial
from typing import Any

from spaniel.components.retrievers.base import (
    CompositeRetriever,
    fetch_documents,
    validate_count,
    validate_min_score,
    validate_queries,
)
from spaniel.components.retrievers.types import TextRetriever
from spaniel.core.component import component
from spaniel.core.serialization import component_to_dict
from spaniel.dataclasses import Document
from spaniel.runtime import Call, Gather, Program, async_method, sync_method
from spaniel.strategies import run_stage
from spaniel.strategies.fusion import pool


@component
class MultiQueryTextRetriever(CompositeRetriever):
    """Asks a text retriever for several queries at once and returns the documents of all, best first, each once.

    Use it for one question worded in several ways. A document that several queries find keeps its highest score.

    :param retriever: the retriever.
    :param max_workers: how many queries are asked at a time.
    :param min_score: what a document must score.
    :raises ValueError: `max_workers` is not greater than 0, or `min_score` is no number.

    >>> from spaniel.components.retrievers import InMemoryBM25Retriever
    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> store = InMemoryDocumentStore()
    >>> store.write_documents([Document(content="solar power"), Document(content="wind power"), Document(content="coal")])
    3
    >>> retriever = MultiQueryTextRetriever(retriever=InMemoryBM25Retriever(store, top_k=1))
    >>> sorted(document.content for document in retriever.run(queries=["solar", "wind"])["documents"])
    ['solar power', 'wind power']
    """

    def __init__(self, *, retriever: TextRetriever, max_workers: int = 3, min_score: float | None = None) -> None:
        self.retriever = retriever
        self.max_workers = validate_count("max_workers", max_workers, positive=True)
        self.min_score = validate_min_score(min_score)

    _own_options = frozenset({"min_score"})

    def _components(self) -> list[Any]:
        return [self.retriever]

    @component.output_types(documents=list[Document])
    @sync_method
    def run(
        self, queries: list[str], retriever_kwargs: dict[str, Any] | None = None
    ) -> Program[dict[str, list[Document]]]:
        """Return the documents that the queries find under ``documents``, best first.

        :param queries: texts.
        :param retriever_kwargs: what else the retriever's ``run`` is given, such as ``{"top_k": 5}``.
        :raises TypeError: `queries` is one string.
        """
        yield Call(self, CompositeRetriever.warm_up, {})
        inputs = ({"query": query, **(retriever_kwargs or {})} for query in validate_queries(queries))
        calls = (Call(self.retriever, TextRetriever.run, each) for each in inputs)
        found = yield Gather(map(fetch_documents, calls), self.max_workers)
        return {
            "documents": (
                yield from run_stage(partial(pool, *found, min_score=self.min_score), None, type(self).__name__)
            )
        }

    run_async = async_method(run)

    def _init_parameters(self) -> dict[str, Any]:
        return {**super()._init_parameters(), "retriever": component_to_dict(self.retriever, "retriever")}
