"""Rankings by the similarity of vectors."""

from collections.abc import Sequence
from typing import Any

from spaniel.components.embedders.types import DocumentEmbedder, TextEmbedder
from spaniel.components.lifecycle import CompositeComponent
from spaniel.components.rankers.ranked import list_distinct, rank_by_scores, validate_top_k
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.runtime import Call, Program, async_method, sync_method


@component
class EmbeddingCosineRanker(CompositeComponent):
    """Ranks documents by the cosine of their vectors and that of the query.

    It compares two texts by a vector of each; a cross-encoder, which reads both together, is slower
    and better.

    :param text_embedder: embeds the query, if a run is given no vector.
    :param document_embedder: embeds documents without a vector; None: they are an error.
    :param top_k: the maximum number of documents; None returns all.
    :param min_score: the minimum cosine of a document.
    :raises ValueError: `top_k` is not greater than 0.

    >>> documents = [Document(content="a", embedding=[1, 0]), Document(content="b", embedding=[1, 1])]
    >>> ranked = EmbeddingCosineRanker().run("", documents, query_embedding=[0, 2])["documents"]
    >>> [(document.content, round(document.score, 2)) for document in ranked]
    [('b', 0.71), ('a', 0.0)]
    """

    _component_parameters = ("text_embedder", "document_embedder")

    def __init__(
        self,
        text_embedder: TextEmbedder | None = None,
        document_embedder: DocumentEmbedder | None = None,
        *,
        top_k: int | None = None,
        min_score: float | None = None,
    ) -> None:
        self.text_embedder = text_embedder
        self.document_embedder = document_embedder
        self.top_k = validate_top_k(top_k)
        self.min_score = min_score

    @component.output_types(documents=list[Document])
    @sync_method
    def run(
        self,
        query: str,
        documents: list[Document],
        query_embedding: Sequence[float] | None = None,
        top_k: int | None = None,
    ) -> Program[dict[str, list[Document]]]:
        """Return the documents under ``documents``, most similar first, with the cosine as score.

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
        scores = compute_cosines(vector, distinct)
        ranked = rank_by_scores(type(self).__name__, distinct, scores, top_k=limit, min_score=self.min_score)
        return {"documents": ranked}

    run_async = async_method(run)


def embed_query(embedder: TextEmbedder | None, query: str, vector: Sequence[float] | None) -> Program[Sequence[float]]:
    """Return the vector of a query.

    :raises ValueError: there is neither a vector nor an embedder.
    """
    if vector is not None:
        return vector
    if embedder is None:
        raise ValueError("The query has no vector: pass query_embedding, or set text_embedder.")
    embedded = yield Call(embedder, TextEmbedder.run, {"text": query})
    made: Sequence[float] = embedded["embedding"]
    return made


def embed_missing(embedder: DocumentEmbedder | None, documents: list[Document]) -> Program[list[Document]]:
    """Return the documents, all with vectors.

    :raises ValueError: one has none, and there is no embedder.
    """
    missing = [document for document in documents if document.embedding is None]
    if not missing:
        return documents
    if embedder is None:
        raise ValueError(
            f"The document {missing[0].id} has no embedding: set document_embedder, or let the retriever return "
            "embeddings (return_embedding=True)."
        )
    embedded = yield Call(embedder, DocumentEmbedder.run, {"documents": missing})
    made = {document.id: document for document in embedded["documents"]}
    return [made.get(document.id, document) for document in documents]


def compute_cosines(vector: Sequence[float], documents: Sequence[Document]) -> list[float]:
    """Return the cosine of a vector and that of each document; 0 for a vector of length 0.

    :raises ValueError: their sizes differ.
    """
    if not documents:
        return []
    matrix = stack_vectors(documents, len(vector))
    import numpy as np

    query = np.asarray(vector, np.float64)
    lengths = np.linalg.norm(matrix, axis=1) * np.linalg.norm(query)
    cosines: list[float] = np.divide(matrix @ query, lengths, out=np.zeros(len(matrix)), where=lengths > 0).tolist()
    return cosines


def stack_vectors(documents: Sequence[Document], size: int) -> Any:
    """Return the vectors of documents as rows.

    :raises ValueError: one is of another size.
    """
    import numpy as np

    for document in documents:
        if len(document.embedding or ()) != size:
            raise ValueError(
                f"The vector of the query has {size} numbers, that of document {document.id} "
                f"{len(document.embedding or ())}. Embed both with the same model."
            )
    return np.asarray([document.embedding for document in documents], np.float64)
