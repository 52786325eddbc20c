"""Documents and the binary and sparse data they carry."""

from spaniel.dataclasses.byte_stream import ByteStream
from spaniel.dataclasses.document import Document
from spaniel.dataclasses.sparse_embedding import SparseEmbedding

__all__ = ["ByteStream", "Document", "SparseEmbedding"]
