"""A text retriever run for several queries."""

from spaniel.components.retrievers.base import CompositeRetriever, fetch_documents, validate_min_score, validate_queries
from spaniel.components.retrievers.types import TextRetriever
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.document_stores.validation import validate_count
from spaniel.json_types import JsonObject
from spaniel.runtime import Call, Gather, Program, async_method, sync_method


@component
class MultiQueryTextRetriever(CompositeRetriever):
    """Runs a text retriever for several queries and pools the documents.

    Use it for several wordings of a question. A document found by several queries keeps its highest
    score.

    :param retriever: the retriever.
    :param max_workers: the maximum number of queries searched concurrently.
    :param min_score: the minimum score of a returned document.
    :raises ValueError: `max_workers` is not greater than 0, or `min_score` is not a number.

    >>> from spaniel.components.retrievers import InMemoryBM25Retriever
    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> store = InMemoryDocumentStore()
    >>> store.write_documents([Document(content="solar power"), Document(content="wind power"), Document(content="coal")])
    3
    >>> retriever = MultiQueryTextRetriever(retriever=InMemoryBM25Retriever(store, top_k=1))
    >>> sorted(document.content for document in retriever.run(queries=["solar", "wind"])["documents"])
    ['solar power', 'wind power']
    """

    _own_options = frozenset({"min_score"})
    _component_parameters = ("retriever",)

    def __init__(self, *, retriever: TextRetriever, max_workers: int = 3, min_score: float | None = None) -> None:
        self.retriever = retriever
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
        """
        yield Call(self, CompositeRetriever.warm_up, {})
        inputs = ({"query": query, **(retriever_kwargs or {})} for query in validate_queries(queries))
        calls = (Call(self.retriever, TextRetriever.run, each) for each in inputs)
        rankings = yield Gather(map(fetch_documents, calls), self.max_workers)
        return (yield from self._pool(rankings))

    run_async = async_method(run)
