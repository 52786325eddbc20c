"""Retrievers over the in-memory store."""

from spaniel.components.retrievers.in_memory.bm25_retriever import InMemoryBM25Retriever
from spaniel.components.retrievers.in_memory.embedding_retriever import InMemoryEmbeddingRetriever

__all__ = ["InMemoryBM25Retriever", "InMemoryEmbeddingRetriever"]
