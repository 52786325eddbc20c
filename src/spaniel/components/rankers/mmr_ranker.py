"""Rankings of documents that are near the query and unlike each other."""

from collections.abc import Sequence

from spaniel.components.embedders.types import DocumentEmbedder, TextEmbedder
from spaniel.components.lifecycle import CompositeComponent
from spaniel.components.rankers.embedding_cosine_ranker import (
    compute_cosines,
    embed_missing,
    embed_query,
    stack_vectors,
)
from spaniel.components.rankers.ranked import list_distinct, validate_top_k
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.runtime import Call, Program, async_method, sync_method
from spaniel.tracing import note


@component
class MMRRanker(CompositeComponent):
    """Ranks by maximal marginal relevance: near the query, and not like a document before it.

    The next document is that with the highest ``relevance * cosine with the query - (1 - relevance)
    * highest cosine with a document chosen before``. Scores are kept.

    :param text_embedder: embeds the query, if a run is given no vector.
    :param document_embedder: embeds documents without a vector; None: they are an error.
    :param top_k: the maximum number of documents; None returns all.
    :param relevance: the weight of the query, between 0 (unlike each other) and 1 (near the query).
    :raises ValueError: a number is out of range.

    Source: J. Carbonell, J. Goldstein, *The Use of MMR, Diversity-Based Reranking for Reordering
    Documents and Producing Summaries*, SIGIR 1998.

    >>> near = [Document(content=name, embedding=[1, number]) for name, number in (("a", 0), ("b", 0.1), ("c", -1))]
    >>> ranked = MMRRanker(top_k=2, relevance=0.4).run("", near, query_embedding=[1, 0])["documents"]
    >>> [document.content for document in ranked]
    ['a', 'c']
    """

    _component_parameters = ("text_embedder", "document_embedder")

    def __init__(
        self,
        text_embedder: TextEmbedder | None = None,
        document_embedder: DocumentEmbedder | None = None,
        *,
        top_k: int | None = None,
        relevance: float = 0.5,
    ) -> None:
        if not 0 <= relevance <= 1:
            raise ValueError(f"relevance must be between 0 and 1, got {relevance}.")
        self.text_embedder = text_embedder
        self.document_embedder = document_embedder
        self.top_k = validate_top_k(top_k)
        self.relevance = relevance

    @component.output_types(documents=list[Document])
    @sync_method
    def run(
        self,
        query: str,
        documents: list[Document],
        query_embedding: Sequence[float] | None = None,
        top_k: int | None = None,
    ) -> Program[dict[str, list[Document]]]:
        """Return the documents under ``documents``.

        :param query: text.
        :param documents: of duplicates the copy with the highest score is kept.
        :param query_embedding: the vector of the query, in place of that of `text_embedder`.
        :param top_k: overrides the constructor's.
        :raises ValueError: there is no vector of the query or of a document, or their sizes differ.
        """
        yield Call(self, CompositeComponent.warm_up, {})
        limit = validate_top_k(top_k) or self.top_k
        vector = yield from embed_query(self.text_embedder, query, query_embedding)
        distinct = yield from embed_missing(self.document_embedder, list_distinct(documents))
        order = select_by_margin(vector, distinct, self.relevance, len(distinct) if limit is None else limit)
        ranked = [distinct[at] for at in order]
        note(type(self).__name__, [documents], ranked, top_k=limit, relevance=self.relevance)
        return {"documents": ranked}

    run_async = async_method(run)


def select_by_margin(vector: Sequence[float], documents: Sequence[Document], relevance: float, count: int) -> list[int]:
    """Return the places of the documents in the order of their choice; ties keep their order."""
    if not documents:
        return []
    import numpy as np

    gains = np.asarray(compute_cosines(vector, documents))
    matrix = stack_vectors(documents, len(vector))
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    matrix = np.divide(matrix, lengths, out=np.zeros_like(matrix), where=lengths > 0)
    closest = np.full(len(documents), -np.inf)
    chosen: list[int] = []
    left = np.ones(len(documents), bool)
    while len(chosen) < min(count, len(documents)):
        margins = relevance * gains - ((1 - relevance) * closest if chosen else 0)
        best = int(np.argmax(np.where(left, margins, -np.inf)))
        chosen.append(best)
        left[best] = False
        closest = np.maximum(closest, matrix @ matrix[best])
    return chosen
