"""Protocols of the store methods that algorithms call; filters replace all but the first."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from spaniel.dataclasses import Document
from spaniel.json_types import Filters, Json
from spaniel.tracing.events import TermMatch


@runtime_checkable
class FiltersDocuments(Protocol):
    """A store that finds documents by a filter."""

    def filter_documents(self, filters: Filters | None = None) -> list[Document]:
        """Return the documents that match, in store order; without a filter all of them."""


@runtime_checkable
class FindsById(Protocol):
    """A store that finds documents by id faster than by a filter."""

    def get_documents_by_id(self, document_ids: Sequence[str]) -> list[Document]:
        """Return the documents with these ids, in store order; unknown ids are left out."""


@runtime_checkable
class FindsByKey(Protocol):
    """A store that finds documents by the value of a metadata key."""

    def get_documents_by_key(self, key: str, values: Sequence[Json], filters: Filters | None = None) -> list[Document]:
        """Return the documents with any of `values` under `key`, or a list with it, in order."""


@runtime_checkable
class FindsByKeys(Protocol):
    """A store that finds documents by the values of several metadata keys in one call."""

    def get_documents_by_keys(
        self, values: Mapping[str, Sequence[Json]], filters: Filters | None = None
    ) -> list[Document]:
        """Return the documents with a value of any of the keys, in store order."""


@runtime_checkable
class FindsInRanges(Protocol):
    """A store that finds the documents of several ranges of numbers faster than by a filter."""

    def get_documents_in_ranges(
        self, source_fields: Sequence[str], number_field: str, ranges: Sequence[tuple[Sequence[Json], Json, Json]]
    ) -> list[Document]:
        """Return the documents with a number in a range: values of the source fields, first, last."""


@runtime_checkable
class SupportsBM25(Protocol):
    """A store with keyword search."""

    def bm25_retrieval(
        self, query: str, filters: Filters | None = None, top_k: int = 10, scale_score: bool = False
    ) -> list[Document]:
        """Return the best documents with their scores, best first."""


@runtime_checkable
class SupportsVectorSearch(Protocol):
    """A store with search by embedding."""

    def embedding_retrieval(
        self,
        query_embedding: Sequence[float],
        filters: Filters | None = None,
        top_k: int = 10,
        scale_score: bool = False,
        return_embedding: bool | None = False,
    ) -> list[Document]:
        """Return the most similar documents with their scores, best first."""


class SupportsHybridSearch(Protocol):
    """A store that answers a keyword search and a vector search in one call."""

    def hybrid_retrieval(
        self, words: Mapping[str, Any], vector: Mapping[str, Any]
    ) -> tuple[list[Document], list[Document]]:
        """Return the best documents of each search; take the arguments of the two methods."""


class ExplainsBM25(Protocol):
    """A store that explains the scores of its ``bm25_retrieval``."""

    def explain_bm25(self, query: str, document_ids: Sequence[str]) -> Mapping[str, tuple[TermMatch, ...]]:
        """Return the query terms in each document, with their parts of its unscaled score."""
