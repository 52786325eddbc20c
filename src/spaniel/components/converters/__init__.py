"""From files to documents."""

from spaniel.components.converters.html import HTMLToDocument
from spaniel.components.converters.markdown import MarkdownToDocument
from spaniel.components.converters.rst import RSTToDocument
from spaniel.components.converters.txt import TextFileToDocument

__all__ = ["HTMLToDocument", "MarkdownToDocument", "RSTToDocument", "TextFileToDocument"]
