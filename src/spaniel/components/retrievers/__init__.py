"""From a query to documents, and from documents to their context."""

from spaniel.components.retrievers.auto_merging_retriever import AutoMergingRetriever
from spaniel.components.retrievers.best_segments import BestSegments
from spaniel.components.retrievers.bm25_retriever import BM25Retriever
from spaniel.components.retrievers.context_budget import ContextBudget
from spaniel.components.retrievers.embedding_retriever import EmbeddingRetriever
from spaniel.components.retrievers.filter_retriever import FilterRetriever
from spaniel.components.retrievers.hybrid_retriever import HybridRetriever
from spaniel.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from spaniel.components.retrievers.multi_query_embedding_retriever import MultiQueryEmbeddingRetriever
from spaniel.components.retrievers.multi_query_text_retriever import MultiQueryTextRetriever
from spaniel.components.retrievers.multi_retriever import MultiRetriever
from spaniel.components.retrievers.recursive_retriever import DeepsetOpenSearchRecursiveRetriever, RecursiveRetriever
from spaniel.components.retrievers.sentence_window_retriever import SentenceWindowRetriever
from spaniel.components.retrievers.structured_retriever import StructuredRetriever
from spaniel.components.retrievers.text_embedding_retriever import TextEmbeddingRetriever

__all__ = [
    "AutoMergingRetriever",
    "BM25Retriever",
    "BestSegments",
    "ContextBudget",
    "DeepsetOpenSearchRecursiveRetriever",
    "EmbeddingRetriever",
    "FilterRetriever",
    "HybridRetriever",
    "InMemoryBM25Retriever",
    "InMemoryEmbeddingRetriever",
    "MultiQueryEmbeddingRetriever",
    "MultiQueryTextRetriever",
    "MultiRetriever",
    "RecursiveRetriever",
    "SentenceWindowRetriever",
    "StructuredRetriever",
    "TextEmbeddingRetriever",
]
