"""Splitters and cleaners of documents."""

from spaniel.components.preprocessors.csv_document_cleaner import CSVDocumentCleaner
from spaniel.components.preprocessors.csv_document_splitter import CSVDocumentSplitter
from spaniel.components.preprocessors.document_cleaner import DocumentCleaner
from spaniel.components.preprocessors.document_preprocessor import DocumentPreprocessor
from spaniel.components.preprocessors.document_splitter import DocumentSplitter
from spaniel.components.preprocessors.embedding_based_document_splitter import EmbeddingBasedDocumentSplitter
from spaniel.components.preprocessors.hierarchical_document_splitter import HierarchicalDocumentSplitter
from spaniel.components.preprocessors.markdown_header_splitter import MarkdownHeaderSplitter
from spaniel.components.preprocessors.python_code_splitter import PythonCodeSplitter
from spaniel.components.preprocessors.recursive_splitter import RecursiveDocumentSplitter
from spaniel.components.preprocessors.section_splitter import SectionSplitter
from spaniel.components.preprocessors.text_cleaner import TextCleaner

__all__ = [
    "CSVDocumentCleaner",
    "CSVDocumentSplitter",
    "DocumentCleaner",
    "DocumentPreprocessor",
    "DocumentSplitter",
    "EmbeddingBasedDocumentSplitter",
    "HierarchicalDocumentSplitter",
    "MarkdownHeaderSplitter",
    "PythonCodeSplitter",
    "RecursiveDocumentSplitter",
    "SectionSplitter",
    "TextCleaner",
]
