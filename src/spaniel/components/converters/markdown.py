"""Markdown files as documents."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from spaniel.components.converters._markdown_text import convert_markdown
from spaniel.components.converters._sources import UTF_8, convert_sources
from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import ByteStream, Document
from spaniel.text.converted_text import ConvertedText

__all__ = ["MarkdownToDocument", "convert_markdown"]


@component
class MarkdownToDocument(Serializable):
    r"""Makes a document of each Markdown file: plain text, with its headings and links in the metadata.

    :param table_to_single_line: write a table as one line.
    :param progress_bar: taken for the sake of programs that pass it; no bar is drawn.
    :param store_full_path: keep the whole path in ``meta["file_path"]``, not only the file's name.
    :param encoding: of the files. The default finds out what a file that is not UTF-8 is in. A source's
        ``meta["encoding"]`` wins.
    :param extract_frontmatter: put all fields of the front matter into the metadata, not only its title.

    >>> from spaniel.dataclasses import ByteStream
    >>> source = ByteStream.from_string("# Guide\n\nSee *this*.", meta={"path": "guide.md"})
    >>> document = MarkdownToDocument().run([source])["documents"][0]
    >>> document.content, document.meta["title"], document.meta["headings"]
    ('Guide\n\nSee this.', 'Guide', [[1, 'Guide', 0]])
    """

    def __init__(
        self,
        table_to_single_line: bool = False,
        progress_bar: bool = True,
        store_full_path: bool = False,
        encoding: str = UTF_8,
        *,
        extract_frontmatter: bool = False,
    ) -> None:
        self.table_to_single_line = table_to_single_line
        self.progress_bar = progress_bar
        self.store_full_path = store_full_path
        self.encoding = encoding
        self.extract_frontmatter = extract_frontmatter

    _own_options = frozenset()

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
        return {
            "documents": convert_sources(
                sources, meta, self._convert, encoding=self.encoding, store_full_path=self.store_full_path
            )
        }

    def _convert(self, text: str) -> ConvertedText:
        converted = convert_markdown(text, table_to_single_line=self.table_to_single_line)
        return converted if self.extract_frontmatter else replace(converted, meta={})
