"""From whole documents to chunks."""

from spaniel.components.preprocessors.document_splitter import DocumentSplitter
from spaniel.components.preprocessors.hierarchical_document_splitter import HierarchicalDocumentSplitter
from spaniel.components.preprocessors.section_splitter import SectionSplitter

__all__ = ["DocumentSplitter", "HierarchicalDocumentSplitter", "SectionSplitter"]
