"""What a store ranks: BM25 and vector search."""

import functools
import logging
from collections.abc import Sequence
from typing import Any, Literal

from spaniel._engine import SizesError, SlotSet, tokenize
from spaniel.dataclasses import Document
from spaniel.document_stores.embedded.arguments import checked_count
from spaniel.document_stores.embedded.contents import Cjk, Tokenizer
from spaniel.document_stores.embedded.reading import Reading
from spaniel.document_stores.embedded.scores import Scale, scale_for
from spaniel.document_stores.embedded.twins import read_in_thread
from spaniel.document_stores.embedded.vectors import as_vector, sizes_message
from spaniel.errors import DocumentStoreError
from spaniel.filters import Filter, parse_filter
from spaniel.tracing.events import TermMatch

logger = logging.getLogger(__name__)

Hits = list[tuple[Document, float]]


class Searching(Reading):
    """The methods that rank. Ties stand in the order of writing."""

    bm25_algorithm: Literal["BM25Okapi", "BM25L", "BM25Plus"]
    bm25_parameters: dict[str, Any]
    embedding_similarity_function: Literal["dot_product", "cosine"]
    vector_search: Literal["exact", "approximate"]
    cjk: Cjk
    _tokenizer: Tokenizer | None

    def bm25_retrieval(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int = 10, scale_score: bool = False
    ) -> list[Document]:
        """Return the documents that share a term with a query, best first.

        :param query: text; each of its terms counts once.
        :param filters: what the documents must match. Statistics are over all searched documents all the same.
        :param top_k: how many documents at most.
        :param scale_score: squeeze scores into 0 to 1: 1 / (1 + exp(-score / 8)).
        :raises ValueError: the query is empty, or `top_k` negative.
        :raises FilterError: the filter is malformed.
        """
        if not isinstance(query, str) or not query:
            raise ValueError(f"Query should be a non-empty string, not {query!r}.")
        top_k = checked_count("top_k", top_k)
        parsed = parse_filter(filters) if filters else None
        terms = self._terms(query)
        hits = self._contents.consistently(lambda: self._bm25_hits(terms, parsed, top_k))
        if not hits and top_k:
            logger.info("No documents found for BM25 retrieval. Returning empty list.")
        return _scored(hits, scale_for("bm25", scale_score), self.return_embedding)

    bm25_retrieval_async = read_in_thread(bm25_retrieval)

    def _bm25_hits(self, terms: str | list[str], filter: Filter | None, top_k: int) -> Hits:
        allowed = self._allowed(filter)
        return self._with_documents(
            self._contents.keywords.search(
                terms,
                variant=self.bm25_algorithm,
                parameters=self.bm25_parameters,
                top_k=min(top_k, self._contents.count()),
                allowed=allowed,
            )
        )

    def explain_bm25(self, query: str, document_ids: Sequence[str]) -> dict[str, tuple[TermMatch, ...]]:
        """Return for each document the terms of a query that it holds, and what each adds to its unscaled score.

        :param query: as for `bm25_retrieval`.
        :param document_ids: the documents; those that are not searched are left out.
        """
        terms = self._terms(query)
        return self._contents.consistently(lambda: self._explained(terms, document_ids))

    explain_bm25_async = read_in_thread(explain_bm25)

    def _explained(self, terms: str | list[str], document_ids: Sequence[str]) -> dict[str, tuple[TermMatch, ...]]:
        slots = self._contents.slots_of(document_ids)
        keywords = self._contents.keywords
        slots = {id: slot for id, slot in slots.items() if slot in keywords}
        explained = keywords.explain(
            terms, list(slots.values()), variant=self.bm25_algorithm, parameters=self.bm25_parameters
        )
        return {
            id: tuple(TermMatch(term.term, term.tf, term.df, term.score) for term in terms)
            for id, terms in zip(slots, explained, strict=True)
        }

    def query_terms(self, query: str) -> list[str]:
        """Return the distinct terms of a query, as they are in the index, in the order of their appearance."""
        terms = self._terms(query)
        return list(dict.fromkeys(tokenize(terms, self.cjk) if isinstance(terms, str) else terms))

    def search_statistics(self) -> dict[str, int]:
        """Return the numbers of the keyword index: ``documents`` searched, their ``tokens``, the ``vocabulary``."""
        return dict(self._contents.keywords.statistics())  # type: ignore[arg-type]  # a TypedDict of numbers

    def embedding_retrieval(
        self,
        query_embedding: Sequence[float],
        filters: dict[str, Any] | None = None,
        top_k: int = 10,
        scale_score: bool = False,
        return_embedding: bool | None = False,
    ) -> list[Document]:
        """Return the documents whose embeddings are most similar to a vector, best first.

        Their scores are exact, also if the store has ``vector_search="approximate"``.

        :param query_embedding: a list or an array of numbers, as long as the documents' embeddings.
        :param filters: what the documents must match.
        :param top_k: how many documents at most.
        :param scale_score: squeeze scores into 0 to 1: (score + 1) / 2 for cosine, 1 / (1 + exp(-score / 100)) else.
        :param return_embedding: whether they carry their embedding; None: as the store is set.
        :raises ValueError: the vector is empty or not finite, or `top_k` negative.
        :raises FilterError: the filter is malformed.
        :raises DocumentStoreError: the embeddings are of several sizes, or of another than the query.
        """
        query = _query_vector(query_embedding)
        top_k = checked_count("top_k", top_k)
        parsed = parse_filter(filters) if filters else None
        hits = self._contents.consistently(lambda: self._nearest(query, parsed, top_k))
        if hits and parsed is None and len(hits) < min(top_k, self._contents.count()):
            logger.info("Skipping some Documents that don't have an embedding. A document embedder makes them.")
        if not hits and top_k:
            logger.warning("No Documents found with embeddings. Returning empty list. A document embedder makes them.")
        keep = self.return_embedding if return_embedding is None else return_embedding
        return _scored(hits, scale_for(self.embedding_similarity_function, scale_score), keep)

    embedding_retrieval_async = read_in_thread(embedding_retrieval)

    def _nearest(self, query: Any, filter: Filter | None, top_k: int) -> Hits:
        allowed = self._allowed(filter)
        try:
            hits = self._contents.vectors().nearest(
                query,
                cosine=self.embedding_similarity_function == "cosine",
                top_k=min(top_k, self._contents.count()),
                allowed=allowed,
                approximate=self.vector_search == "approximate",
            )
        except SizesError as error:
            sizes: dict[int, int] = error.args[0]
            examples = dict(zip(sizes, self._contents.by_slot(list(sizes.values())), strict=True))
            raise DocumentStoreError(sizes_message(examples, len(query))) from None
        return self._with_documents(hits)

    def _with_documents(self, hits: list[tuple[int, float]]) -> Hits:
        documents = self._contents.by_slot([slot for slot, _ in hits])
        return [(document, score) for document, (_, score) in zip(documents, hits, strict=True)]

    def _allowed(self, filter: Filter | None) -> SlotSet | None:
        if filter is None:
            return None
        return self._contents.matching_slots(filter, strict_dates=self.strict_datetime_comparison)

    @property
    def tokenizer(self) -> Tokenizer:
        """What cuts texts and queries into the tokens of the keyword index."""
        return self._tokenizer or functools.partial(tokenize, cjk=self.cjk)

    def _terms(self, query: str) -> str | list[str]:
        return query if self._tokenizer is None else self._tokenizer(query)


def _scored(hits: Hits, scale: Scale, embedding: bool) -> list[Document]:
    return Document.copies_of(
        [document for document, _ in hits], [scale(score) for _, score in hits], embedding=embedding, lazy=True
    )


def _query_vector(numbers: Any) -> Any:
    try:
        return as_vector(numbers, "the query")
    except ValueError as error:
        raise ValueError(f"query_embedding should be a non-empty list of floats. {error}") from None
