"""The methods of a document store that an algorithm may call. A store needs the first; without another, it is asked by filter."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from spaniel.dataclasses import Document
from spaniel.tracing.events import TermMatch


@runtime_checkable
class FiltersDocuments(Protocol):
    """A store that finds documents by a filter."""

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """Return the documents that match, in store order; without a filter all of them."""
        ...


@runtime_checkable
class FindsById(Protocol):
    """A store that finds documents by id faster than by a filter."""

    def get_documents_by_id(self, document_ids: Sequence[str]) -> list[Document]:
        """Return the documents with these ids, in store order; ids that the store does not hold are left out."""
        ...


@runtime_checkable
class FindsByKey(Protocol):
    """A store that finds documents by one metadata value, be it a scalar or an element of a list."""

    def get_documents_by_key(
        self, key: str, values: Sequence[Any], filters: dict[str, Any] | None = None
    ) -> list[Document]:
        """Return the documents whose value under `key` is one of `values` or, if a list, holds one, in store order."""
        ...


@runtime_checkable
class FindsByKeys(Protocol):
    """A store that finds documents by the values of several metadata keys in one call."""

    def get_documents_by_keys(
        self, values: Mapping[str, Sequence[Any]], filters: dict[str, Any] | None = None
    ) -> list[Document]:
        """Return the documents that `get_documents_by_key` finds for any of the keys, each once, in store order."""
        ...


@runtime_checkable
class FindsInRanges(Protocol):
    """A store that finds the documents of several ranges of numbers faster than by a filter."""

    def get_documents_in_ranges(
        self, source_fields: Sequence[str], number_field: str, ranges: Sequence[tuple[Sequence[Any], Any, Any]]
    ) -> list[Document]:
        """Return the documents whose number lies in one of the ranges, in store order.

        :param source_fields: the metadata fields that say which source a document is of.
        :param number_field: the metadata field with its number there.
        :param ranges: for each range the values of the source fields, its first and its last number.
        """
        ...


@runtime_checkable
class SupportsBM25(Protocol):
    """A store that ranks documents by the words of a query."""

    def bm25_retrieval(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int = 10, scale_score: bool = False
    ) -> list[Document]:
        """Return the best documents, each with its score, best first."""
        ...


@runtime_checkable
class SupportsVectorSearch(Protocol):
    """A store that ranks documents by how similar their embeddings are to a vector."""

    def embedding_retrieval(
        self,
        query_embedding: Sequence[float],
        filters: dict[str, Any] | None = None,
        top_k: int = 10,
        scale_score: bool = False,
        return_embedding: bool | None = False,
    ) -> list[Document]:
        """Return the most similar documents, each with its score, best first."""
        ...


class SupportsHybridSearch(Protocol):
    """A store that answers a search by words and one by vector in one call."""

    def hybrid_retrieval(
        self, words: Mapping[str, Any], vector: Mapping[str, Any]
    ) -> tuple[list[Document], list[Document]]:
        """Return the best documents of each search.

        :param words: the arguments of ``bm25_retrieval``.
        :param vector: the arguments of ``embedding_retrieval``.
        """
        ...


class ExplainsBM25(Protocol):
    """A store that explains the scores of its ``bm25_retrieval``."""

    def explain_bm25(self, query: str, document_ids: Sequence[str]) -> Mapping[str, tuple[TermMatch, ...]]:
        """Return for each document the terms of a query that it holds, and what each adds to its unscaled score."""
        ...
