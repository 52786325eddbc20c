"""Components that turn texts into vectors."""

from spaniel.components.embedders.mock_document_embedder import MockDocumentEmbedder
from spaniel.components.embedders.mock_text_embedder import MockTextEmbedder
from spaniel.components.embedders.multilingual_embedders import (
    MultilingualDocumentEmbedder,
    MultilingualTextEmbedder,
)
from spaniel.components.embedders.ollama_embedders import OllamaDocumentEmbedder, OllamaTextEmbedder
from spaniel.components.embedders.onnx_embedders import OnnxDocumentEmbedder, OnnxTextEmbedder
from spaniel.components.embedders.openai_document_embedder import OpenAIDocumentEmbedder
from spaniel.components.embedders.openai_text_embedder import OpenAITextEmbedder
from spaniel.components.embedders.sentence_transformers_document_embedder import SentenceTransformersDocumentEmbedder
from spaniel.components.embedders.sentence_transformers_text_embedder import SentenceTransformersTextEmbedder

__all__ = [
    "MockDocumentEmbedder",
    "MockTextEmbedder",
    "MultilingualDocumentEmbedder",
    "MultilingualTextEmbedder",
    "OllamaDocumentEmbedder",
    "OllamaTextEmbedder",
    "OnnxDocumentEmbedder",
    "OnnxTextEmbedder",
    "OpenAIDocumentEmbedder",
    "OpenAITextEmbedder",
    "SentenceTransformersDocumentEmbedder",
    "SentenceTransformersTextEmbedder",
]
