"""Models that turn texts into vectors: their files, how they pool, and their computation."""

from spaniel.embedding.encoder import Encoder, Vectors
from spaniel.embedding.model_card import ModelCard, Pooling, find_card
from spaniel.embedding.model_files import ModelFiles, find_model
from spaniel.embedding.onnx_encoder import OnnxEncoder

__all__ = ["Encoder", "ModelCard", "ModelFiles", "OnnxEncoder", "Pooling", "Vectors", "find_card", "find_model"]
