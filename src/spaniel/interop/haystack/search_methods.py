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
_SQL = StoreFamily(SearchMethod("_keyword_retrieval"), _EMBEDDING)

# Public methods, where a store has them; else those that its own retriever components call, which
# have been stable over the major versions of the integrations.
_IN_MEMORY = StoreFamily(SearchMethod("bm25_retrieval"), SearchMethod("embedding_retrieval"))
_INTEGRATIONS: Mapping[str, StoreFamily] = {
    **dict.fromkeys(("alloydb", "mariadb", "oracle", "pgvector"), _SQL),
    **dict.fromkeys(
        ("arangodb", "arcadedb", "falkordb", "ibm_db", "pinecone", "valkey"), StoreFamily(None, _EMBEDDING)
    ),
    **dict.fromkeys(("astra", "faiss"), StoreFamily(None, SearchMethod("search"))),
    **dict.fromkeys(("azure_ai_search", "vespa", "weaviate"), StoreFamily(_BM25, _EMBEDDING)),
    "chroma": StoreFamily(None, SearchMethod("search_embeddings", batched=True)),
    "elasticsearch": StoreFamily(_BM25, _EMBEDDING, scores_filtered=True),
    "mongodb_atlas": StoreFamily(SearchMethod("_fulltext_retrieval"), _EMBEDDING),
    "opensearch": StoreFamily(_BM25, _EMBEDDING, scores_filtered=True, max_filtered=10_000),
    "qdrant": StoreFamily(None, SearchMethod("_query_by_embedding")),
}
_FAMILIES: Mapping[str, StoreFamily] = {
    "haystack.document_stores.in_memory": _IN_MEMORY,
    **{f"haystack_integrations.document_stores.{name}": family for name, family in _INTEGRATIONS.items()},
}
"""The search methods of stores, by the package of their class or of a base class."""

_BM25_NAMES = ("bm25_retrieval", "_bm25_retrieval", "_keyword_retrieval")
_EMBEDDING_NAMES = ("embedding_retrieval", "_embedding_retrieval")


def family_of(store: object) -> StoreFamily:
    """Return the search methods of a store."""
    for cls in type(store).__mro__:
        for package, family in _FAMILIES.items():
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
