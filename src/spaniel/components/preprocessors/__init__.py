"""From whole documents to chunks."""

from spaniel.components.preprocessors.document_splitter import DocumentSplitter
from spaniel.components.preprocessors.hierarchical_document_splitter import HierarchicalDocumentSplitter

__all__ = ["DocumentSplitter", "HierarchicalDocumentSplitter"]
