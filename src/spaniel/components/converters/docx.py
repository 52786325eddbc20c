"""Word files as documents."""

from enum import Enum
from pathlib import Path
from typing import Any

from spaniel.components.converters._docx_text import DOCXMetadata, convert_docx
from spaniel.components.converters._extra import needed
from spaniel.components.converters._sources import convert_binary_sources
from spaniel.components.converters.utils import LinkFormat, format_named
from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import ByteStream, Document
from spaniel.text.converted_text import ConvertedText

__all__ = ["DOCXLinkFormat", "DOCXMetadata", "DOCXTableFormat", "DOCXToDocument", "convert_docx"]

DOCXLinkFormat = LinkFormat


class DOCXTableFormat(Enum):
    """How tables are written."""

    MARKDOWN = "markdown"
    CSV = "csv"

    def __str__(self) -> str:
        return self.value

    @staticmethod
    def from_str(string: str) -> "DOCXTableFormat":
        """Return the format of this name, in any case.

        :raises ValueError: there is none.
        """
        return format_named(DOCXTableFormat, string, "table format")


@component
class DOCXToDocument(Serializable):
    r"""Makes a document of each Word file (``.docx``): its text, with its headings and links in the metadata.

    It needs the ``convert`` extra: ``pip install 'spaniel[convert]'``. ``meta["docx"]`` has what the file says about itself,
    such as ``author`` and ``created``.

    :param table_format: ``csv`` or ``markdown``.
    :param link_format: ``markdown`` gives ``[words](address)``, ``plain`` gives ``words (address)``, ``none`` the words.
    :param store_full_path: keep the whole path in ``meta["file_path"]``, not only the file's name.
    :raises ConversionError: the extra is not installed.
    :raises ValueError: a format is unknown.
    """

    def __init__(
        self,
        table_format: str | DOCXTableFormat = DOCXTableFormat.CSV,
        link_format: str | LinkFormat = LinkFormat.NONE,
        store_full_path: bool = False,
    ) -> None:
        needed("docx", type(self).__name__)
        self.table_format = DOCXTableFormat.from_str(table_format) if isinstance(table_format, str) else table_format
        self.link_format = LinkFormat.from_str(link_format) if isinstance(link_format, str) else link_format
        self.store_full_path = store_full_path

    @component.output_types(documents=list[Document])
    def run(
        self, sources: list[str | Path | ByteStream], meta: dict[str, Any] | list[dict[str, Any]] | None = None
    ) -> dict[str, list[Document]]:
        """Return a document for each source that can be read; the others are reported as warnings.

        :param sources: paths, or contents of files.
        :param meta: metadata for all documents, or one dictionary a source.
        :returns: ``{"documents": [...]}``, in the order of the sources.
        :raises ValueError: `meta` is a list of another length than `sources`.
        """
        documents = convert_binary_sources(sources, meta, self._convert, store_full_path=self.store_full_path)
        return {"documents": documents}

    def _convert(self, data: bytes, name: str) -> ConvertedText:
        return convert_docx(
            data,
            name,
            markdown_tables=self.table_format is DOCXTableFormat.MARKDOWN,
            link_format=self.link_format,
            properties=True,
        )
