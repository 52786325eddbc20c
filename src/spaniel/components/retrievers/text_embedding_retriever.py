"""An embedding retriever that takes a text."""

from spaniel.components.embedders.types import TextEmbedder
from spaniel.components.retrievers.base import CompositeRetriever, fetch_documents, validate_min_score
from spaniel.components.retrievers.types import EmbeddingRetriever
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.json_types import Filters
from spaniel.runtime import Call, Program, async_method, sync_method


@component
class TextEmbeddingRetriever(CompositeRetriever):
    """Embeds a query and runs an embedding retriever: dense search that takes a text.

    :param retriever: the retriever.
    :param text_embedder: embeds the query.
    :param min_score: the minimum score of a returned document.
    :raises ValueError: `min_score` is not a number.

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

    _own_options = frozenset({"min_score"})
    _component_parameters = ("text_embedder", "retriever")

    def __init__(
        self, *, retriever: EmbeddingRetriever, text_embedder: TextEmbedder, min_score: float | None = None
    ) -> None:
        self.retriever = retriever
        self.text_embedder = text_embedder
        self.min_score = validate_min_score(min_score)

    @component.output_types(documents=list[Document])
    @sync_method
    def run(
        self, query: str, filters: Filters | None = None, top_k: int | None = None
    ) -> Program[dict[str, list[Document]]]:
        """Return the documents under ``documents``, best first.

        :param query: the text.
        :param filters, top_k: passed to the retriever.
        """
        yield Call(self, CompositeRetriever.warm_up, {})
        embedded = yield Call(self.text_embedder, TextEmbedder.run, {"text": query})
        inputs = {"query_embedding": embedded["embedding"], "filters": filters, "top_k": top_k}
        ranking = yield from fetch_documents(Call(self.retriever, EmbeddingRetriever.run, inputs))
        return (yield from self._pool([ranking]))

    run_async = async_method(run)
