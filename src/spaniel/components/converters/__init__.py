"""From files to documents."""

from spaniel.components.converters.csv import CSVToDocument
from spaniel.components.converters.docx import DOCXToDocument
from spaniel.components.converters.html import HTMLToDocument
from spaniel.components.converters.json import JSONConverter
from spaniel.components.converters.jsonl import JSONLToDocument
from spaniel.components.converters.markdown import MarkdownToDocument
from spaniel.components.converters.pypdf import PyPDFToDocument
from spaniel.components.converters.rst import RSTToDocument
from spaniel.components.converters.txt import TextFileToDocument

__all__ = [
    "CSVToDocument",
    "DOCXToDocument",
    "HTMLToDocument",
    "JSONConverter",
    "JSONLToDocument",
    "MarkdownToDocument",
    "PyPDFToDocument",
    "RSTToDocument",
    "TextFileToDocument",
]
