"""The search methods of the stores of Haystack's integrations, as a table."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class SearchMethod:
    """A search method of a store; the async one ends in ``_async``."""

    method: str
    batched: bool = False


@dataclass(frozen=True)
class StoreFamily:
    """The search methods of the stores of one package.

    :param scores_filtered: if true, documents of a filter without a query have a meaningless score.
    :param max_filtered: maximum number of documents returned for a filter; None for all.
    """

    bm25: SearchMethod | None
    embedding: SearchMethod | None
    scores_filtered: bool = False
    max_filtered: int | None = None


_EMBEDDING = SearchMethod("_embedding_retrieval")
_BM25 = SearchMethod("_bm25_retrieval")
_BM25_AND_EMBEDDING = StoreFamily(_BM25, _EMBEDDING)
_SQL = StoreFamily(SearchMethod("_keyword_retrieval"), _EMBEDDING)
_EMBEDDING_ONLY = StoreFamily(None, _EMBEDDING)
_SEARCH = StoreFamily(None, SearchMethod("search"))

FAMILIES: Mapping[str, StoreFamily] = {
    "haystack.document_stores.in_memory": StoreFamily(
        SearchMethod("bm25_retrieval"), SearchMethod("embedding_retrieval")
    ),
    "haystack_integrations.document_stores.alloydb": _SQL,
    "haystack_integrations.document_stores.arangodb": _EMBEDDING_ONLY,
    "haystack_integrations.document_stores.arcadedb": _EMBEDDING_ONLY,
    "haystack_integrations.document_stores.astra": _SEARCH,
    "haystack_integrations.document_stores.azure_ai_search": _BM25_AND_EMBEDDING,
    "haystack_integrations.document_stores.chroma": StoreFamily(None, SearchMethod("search_embeddings", batched=True)),
    "haystack_integrations.document_stores.elasticsearch": StoreFamily(_BM25, _EMBEDDING, scores_filtered=True),
    "haystack_integrations.document_stores.faiss": _SEARCH,
    "haystack_integrations.document_stores.falkordb": _EMBEDDING_ONLY,
    "haystack_integrations.document_stores.ibm_db": _EMBEDDING_ONLY,
    "haystack_integrations.document_stores.mariadb": _SQL,
    "haystack_integrations.document_stores.mongodb_atlas": StoreFamily(SearchMethod("_fulltext_retrieval"), _EMBEDDING),
    "haystack_integrations.document_stores.opensearch": StoreFamily(
        _BM25, _EMBEDDING, scores_filtered=True, max_filtered=10_000
    ),
    "haystack_integrations.document_stores.oracle": _SQL,
    "haystack_integrations.document_stores.pgvector": _SQL,
    "haystack_integrations.document_stores.pinecone": _EMBEDDING_ONLY,
    "haystack_integrations.document_stores.qdrant": StoreFamily(None, SearchMethod("_query_by_embedding")),
    "haystack_integrations.document_stores.valkey": _EMBEDDING_ONLY,
    "haystack_integrations.document_stores.vespa": _BM25_AND_EMBEDDING,
    "haystack_integrations.document_stores.weaviate": _BM25_AND_EMBEDDING,
}
"""By the package of a store's class, or of a base class, the search methods of its stores.

Public methods, where a store has them; else those that its own retriever components call, which have
been stable over the major versions of the integrations.
"""

_BM25_NAMES = ("bm25_retrieval", "_bm25_retrieval", "_keyword_retrieval")
_EMBEDDING_NAMES = ("embedding_retrieval", "_embedding_retrieval")


def family_of(store: object) -> StoreFamily:
    """Return the search methods of a store."""
    for cls in type(store).__mro__:
        for package, family in FAMILIES.items():
            if cls.__module__ == package or cls.__module__.startswith(f"{package}."):
                return family
    return StoreFamily(_first(store, _BM25_NAMES), _first(store, _EMBEDDING_NAMES))


def _first(store: object, names: Sequence[str]) -> SearchMethod | None:
    return next((SearchMethod(name) for name in names if hasattr(store, name)), None)


def call_arguments(method: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that a search method accepts."""
    taken = inspect.signature(method).parameters
    if options.get("scale_score") and "scale_score" not in taken:
        raise ValueError(f"scale_score is True, but {method.__qualname__} does not scale scores: leave it False.")
    return {name: value for name, value in options.items() if name in taken}
