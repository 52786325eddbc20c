"""A query of a knowledge base for a cluster whose index has searched fields."""

from collections.abc import Sequence
from typing import Any

from spaniel.dataclasses import Document
from spaniel.document_stores.opensearch.schema.word_fields import WordFields
from spaniel.document_stores.opensearch.search.word_ranker import WordHits, explain_words
from spaniel.document_stores.types.keyword_query import KeywordQuery, Spellings
from spaniel.json_types import Filters
from spaniel.knowledge_base.query_parts import list_unmet_conditions
from spaniel.tracing.events import TermMatch


class WordQueryView:
    """A store on a cluster that answers one query in place of the text that it is asked for.

    It keeps the words of all documents that it has found, for their reasons.

    :param store: an `OpenSearchDocumentStore`.
    :param fields: the searched fields of its index.
    """

    def __init__(self, store: Any, query: KeywordQuery, fields: WordFields) -> None:
        self._store = store
        self._query = query
        self._fields = fields
        self._found: dict[str, tuple[Document, WordHits]] = {}
        self.spellings: Spellings = {}
        self.total: tuple[int, bool] | None = None
        """The number of matches of the first search, and True if it is exact."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def bm25_retrieval(
        self, query: str, filters: Filters | None = None, top_k: int = 10, scale_score: bool = False
    ) -> list[Document]:
        """Return the documents that meet the query, best first."""
        del query, scale_score
        return self._keep(self._store.word_retrieval(self._query, filters, top_k))

    async def bm25_retrieval_async(
        self, query: str, filters: Filters | None = None, top_k: int = 10, scale_score: bool = False
    ) -> list[Document]:
        """Return the documents that meet the query, best first."""
        del query, scale_score
        return self._keep(await self._store.word_retrieval_async(self._query, filters, top_k))

    def explain_bm25(self, query: str, document_ids: Sequence[str]) -> dict[str, tuple[TermMatch, ...]]:
        """Return the words of the query in each document."""
        del query
        if missing := self._list_missing(document_ids):
            self._add(self._store.word_retrieval(self._query, missing, len(document_ids)))
        return self._explain(document_ids)

    async def explain_bm25_async(self, query: str, document_ids: Sequence[str]) -> dict[str, tuple[TermMatch, ...]]:
        """Return the words of the query in each document."""
        del query
        if missing := self._list_missing(document_ids):
            self._add(await self._store.word_retrieval_async(self._query, missing, len(document_ids)))
        return self._explain(document_ids)

    def count_matches(self, query: str, filters: Filters | None = None) -> int:
        """Return the number of documents that meet the query."""
        del query
        count: int = self._store.count_word_matches(self._query, filters)
        return count

    def query_terms(self, query: str) -> list[str]:
        """Return the terms of a text, or of the query if it is its text."""
        asked = self._query if query == self._query.text else KeywordQuery(query)
        terms: list[str] = self._store.word_terms(asked)
        return terms

    def list_unmet_conditions(self, document_id: str) -> list[str]:
        """Return the conditions of the query that a document does not meet."""
        store, fields = self._store, self._fields
        return list_unmet_conditions(lambda part: WordQueryView(store, part, fields), self._query, document_id)

    def _keep(self, hits: WordHits) -> list[Document]:
        self._add(hits)
        self.total = self.total or (hits.total, hits.total_is_exact)
        self.spellings = self.spellings or hits.spellings
        return hits.documents

    def _add(self, hits: WordHits) -> None:
        self._found.update({document.id: (document, hits) for document in hits.documents})

    def _list_missing(self, document_ids: Sequence[str]) -> Filters | None:
        """Return the filter for the documents that were not found, or None if there are none."""
        missing = [id for id in document_ids if id not in self._found]
        return {"field": "id", "operator": "in", "value": missing} if missing else None

    def _explain(self, document_ids: Sequence[str]) -> dict[str, tuple[TermMatch, ...]]:
        found = {id: self._found[id] for id in document_ids if id in self._found}
        return {id: explain_words(document, hits, self._fields) for id, (document, hits) in found.items()}
