"""Retrievers over an OpenSearch cluster, with the names and parameters of opensearch-haystack."""

from spaniel.components.retrievers.opensearch.bm25_retriever import OpenSearchBM25Retriever
from spaniel.components.retrievers.opensearch.embedding_retriever import OpenSearchEmbeddingRetriever
from spaniel.components.retrievers.opensearch.metadata_retriever import OpenSearchMetadataRetriever
from spaniel.components.retrievers.opensearch.open_search_hybrid_retriever import OpenSearchHybridRetriever

__all__ = [
    "OpenSearchBM25Retriever",
    "OpenSearchEmbeddingRetriever",
    "OpenSearchHybridRetriever",
    "OpenSearchMetadataRetriever",
]
