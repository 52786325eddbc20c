"""How the stores of Haystack's integrations search: a table, as each has methods of its own for it."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Search:
    """A search method of a store.

    :param method: its name; the async one's ends in ``_async``.
    :param many: whether it takes a list of queries and answers with a list of lists.
    """

    method: str
    many: bool = False


@dataclass(frozen=True)
class Family:
    """How the stores of one package search.

    :param words: their search for words; None: they have none.
    :param vectors: their search for vectors.
    :param scores_filtered: whether what they find by a filter alone comes with a score, which then means nothing.
    :param at_most: how many documents they give to a filter, without a word about others. None: all.
    """

    words: Search | None
    vectors: Search | None
    scores_filtered: bool = False
    at_most: int | None = None


_EMBEDDING = Search("_embedding_retrieval")
_BM25 = Search("_bm25_retrieval")
_WORDS_AND_VECTORS = Family(_BM25, _EMBEDDING)
_SQL = Family(Search("_keyword_retrieval"), _EMBEDDING)
_VECTORS_ONLY = Family(None, _EMBEDDING)
_SEARCH = Family(None, Search("search"))

FAMILIES: Mapping[str, Family] = {
    "haystack.document_stores.in_memory": Family(Search("bm25_retrieval"), Search("embedding_retrieval")),
    "haystack_integrations.document_stores.alloydb": _SQL,
    "haystack_integrations.document_stores.arangodb": _VECTORS_ONLY,
    "haystack_integrations.document_stores.arcadedb": _VECTORS_ONLY,
    "haystack_integrations.document_stores.astra": _SEARCH,
    "haystack_integrations.document_stores.azure_ai_search": _WORDS_AND_VECTORS,
    "haystack_integrations.document_stores.chroma": Family(None, Search("search_embeddings", many=True)),
    "haystack_integrations.document_stores.elasticsearch": Family(_BM25, _EMBEDDING, scores_filtered=True),
    "haystack_integrations.document_stores.faiss": _SEARCH,
    "haystack_integrations.document_stores.falkordb": _VECTORS_ONLY,
    "haystack_integrations.document_stores.ibm_db": _VECTORS_ONLY,
    "haystack_integrations.document_stores.mariadb": _SQL,
    "haystack_integrations.document_stores.mongodb_atlas": Family(Search("_fulltext_retrieval"), _EMBEDDING),
    "haystack_integrations.document_stores.opensearch": Family(_BM25, _EMBEDDING, scores_filtered=True, at_most=10_000),
    "haystack_integrations.document_stores.oracle": _SQL,
    "haystack_integrations.document_stores.pgvector": _SQL,
    "haystack_integrations.document_stores.pinecone": _VECTORS_ONLY,
    "haystack_integrations.document_stores.qdrant": Family(None, Search("_query_by_embedding")),
    "haystack_integrations.document_stores.valkey": _VECTORS_ONLY,
    "haystack_integrations.document_stores.vespa": _WORDS_AND_VECTORS,
    "haystack_integrations.document_stores.weaviate": _WORDS_AND_VECTORS,
}
"""The package of a store's class, or of one that it inherits from, and how its stores search.

Public methods, where a store has them; else those that its own retriever components call, which have kept their names and
arguments over the major versions of the integrations.
"""

_WORDS = ("bm25_retrieval", "_bm25_retrieval", "_keyword_retrieval")
_VECTORS = ("embedding_retrieval", "_embedding_retrieval")


def family_of(store: object) -> Family:
    """Return how a store searches.

    :param store: of Haystack's in-memory kind, of an integration, or somebody's own, with methods of the usual names.
    """
    for cls in type(store).__mro__:
        for package, family in FAMILIES.items():
            if cls.__module__ == package or cls.__module__.startswith(f"{package}."):
                return family
    return Family(_first(store, _WORDS), _first(store, _VECTORS))


def _first(store: object, names: Sequence[str]) -> Search | None:
    return next((Search(name) for name in names if hasattr(store, name)), None)


def call_arguments(method: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that a search method takes.

    :raises ValueError: it can't do one that is asked for.
    """
    taken = inspect.signature(method).parameters
    if options.get("scale_score") and "scale_score" not in taken:
        raise ValueError(f"scale_score is True, but {method.__qualname__} does not scale scores: leave it False.")
    return {name: value for name, value in options.items() if name in taken}
