"""Word files as documents."""

import csv
import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from datetime import date
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from spaniel.components.converters._file_converter import (
    FileConverter,
    SourceFile,
    build_document,
    import_package,
    translate_errors,
)
from spaniel.components.converters.utils import LinkFormat, LinkFormatName
from spaniel.components.option_enum import OptionEnum
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.errors import ConversionError
from spaniel.json_types import Meta
from spaniel.text.converted_text import ConvertedText, Heading, Reference
from spaniel.text.slugs import github_slug, unique_slugs

if TYPE_CHECKING:
    from docx.document import Document as DocxDocument
    from docx.table import Table
    from docx.text.paragraph import Paragraph

__all__ = ["DOCXLinkFormat", "DOCXMetadata", "DOCXTableFormat", "DOCXToDocument", "convert_docx"]

DOCXLinkFormat = LinkFormat

Element: TypeAlias = Any
"""An lxml element, which has no types."""

_MAX_UNPACKED = 512 * 1024 * 1024  # bytes
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_WRAPPERS = ("sdt", "sdtContent", "ins", "smartTag", "customXml", "moveTo")  # elements around visible text
_HEADING = re.compile(r"heading (\d)$", re.IGNORECASE)
_LINE_BREAK = re.compile(r"\s*[\r\n]+\s*")
_PIPE = re.compile(r"(?<!\\)(\\*)\|")


class DOCXTableFormat(OptionEnum):
    """Text of tables: Markdown's, or CSV."""

    MARKDOWN = "markdown"
    CSV = "csv"


@dataclass
class DOCXMetadata:
    """Core properties of a Word file; dates in ISO 8601."""

    author: str
    category: str
    comments: str
    content_status: str
    created: str | None
    identifier: str
    keywords: str
    language: str
    last_modified_by: str
    last_printed: str | None
    modified: str | None
    revision: int
    subject: str
    title: str
    version: str


@component
class DOCXToDocument(FileConverter):
    """Converts Word files (``.docx``) to documents: text, with headings and links in the metadata.

    It needs the ``convert`` extra: ``pip install 'spaniel[convert]'``. ``meta["docx"]`` has the
    file's properties, such as ``author`` and ``created``.

    :param table_format: ``csv`` or ``markdown``.
    :param link_format: ``markdown`` writes ``[words](address)``, ``plain`` ``words (address)``,
        ``none`` the words.
    :param store_full_path: keep the whole path in ``meta["file_path"]`` instead of the file's name.
    :raises ConversionError: the extra is not installed.
    :raises ValueError: a format is unknown.
    """

    def __init__(
        self,
        table_format: Literal["csv", "markdown"] | DOCXTableFormat = DOCXTableFormat.CSV,
        link_format: LinkFormatName | LinkFormat = LinkFormat.NONE,
        store_full_path: bool = False,
    ) -> None:
        import_package("docx", type(self).__name__)
        self.table_format = DOCXTableFormat.from_str(table_format)
        self.link_format = LinkFormat.from_str(link_format)
        self.store_full_path = store_full_path

    def _convert(self, source: SourceFile) -> Iterable[Document]:
        converted = convert_docx(
            source.data,
            source.name,
            markdown_tables=self.table_format is DOCXTableFormat.MARKDOWN,
            link_format=self.link_format,
            properties=True,
        )
        return [build_document(converted, source.path, meta=source.meta)]


def convert_docx(
    data: bytes,
    name: str = "The file",
    *,
    markdown_tables: bool = False,
    link_format: LinkFormat = LinkFormat.NONE,
    properties: bool = False,
) -> ConvertedText:
    r"""Return the text of a Word file with its headings and links.

    Each paragraph is a line, a table its rows. Headings are paragraphs in heading styles or with an
    outline level. ``\f`` marks the end of a page where Word recorded it. Tracked insertions are
    included, deletions are not. Headers, footers, footnotes and comments are left out.
    """
    docx = import_package("docx", name)
    with translate_errors(name, "DOCX"):
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            unpacked = sum(entry.file_size for entry in packed.infolist())  # zipfile unpacks no more than declared
        if unpacked > _MAX_UNPACKED:
            raise ConversionError(f"{name} unpacks to more than {_MAX_UNPACKED // 1024**2} MiB.")
        document = docx.Document(io.BytesIO(data))
        writer = _DOCXWriter(document, markdown_tables, link_format)
        _unwrap(document.element.body)
        writer.write_elements(document.element.body)
        core = {field.name: getattr(document.core_properties, field.name) for field in fields(DOCXMetadata)}
    title = writer.title or " ".join(str(core["title"] or "").split())
    shown = {name: value.isoformat() if isinstance(value, date) else value for name, value in core.items()}
    return writer.build(title or None, {"docx": shown} if properties else {})


class _DOCXWriter:
    """Writes the paragraphs and tables of a file."""

    def __init__(self, document: "DocxDocument", markdown_tables: bool, link_format: LinkFormat) -> None:
        self._document = document
        self._markdown_tables = markdown_tables
        self._link_format = link_format
        self.title: str | None = None
        self._parts: list[str] = []
        self._length = 0
        self._headings: list[Heading] = []
        self._references: list[Reference] = []
        self._bookmarks: list[tuple[str, int]] = []  # name, number of headings before it

    def build(self, title: str | None, meta: Meta) -> ConvertedText:
        below = 0 if self.title is None else 1  # below the title of the file
        headings = [heading._replace(level=heading.level + below) for heading in self._headings]
        slugs = unique_slugs(github_slug(heading.title) for heading in headings)
        aliases: dict[str, str] = {}
        for name, count in self._bookmarks:
            aliases.setdefault(name, slugs[count - 1] if count else "")
        return ConvertedText(
            text="\n".join(self._parts),
            title=title,
            headings=headings,
            slugs=slugs,
            references=sorted(self._references),
            aliases=aliases,
            meta=meta,
        )

    def write_elements(self, parent: Element, *, in_box: bool = False) -> None:
        from docx.table import Table
        from docx.text.paragraph import Paragraph

        for element in parent:
            if element.tag == f"{_W}p":
                self._write_paragraph(Paragraph(element, self._document))
                for box in () if in_box else element.iter(f"{_W}txbxContent"):
                    if not any(above.tag == _FALLBACK for above in box.iterancestors()):  # a copy of the same text
                        self.write_elements(box, in_box=True)
            elif element.tag == f"{_W}tbl":
                self._write_table(Table(element, self._document))

    def _add(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text) + 1

    def _write_paragraph(self, paragraph: "Paragraph") -> None:
        start = self._length
        text = "".join(self._read_fragments(paragraph, start))
        shown = " ".join(text.split())
        level = _find_level(paragraph) if shown else None
        if level is not None:
            self._headings.append(Heading(level, shown, start + len(text) - len(text.lstrip())))
            if level == 0 and self.title is None:
                self.title = shown
        names = paragraph._p.xpath(".//w:bookmarkStart/@w:name")  # noqa: SLF001 (python-docx has no other way)
        self._bookmarks += [(str(name), len(self._headings)) for name in names]
        self._add(text)

    def _read_fragments(self, paragraph: "Paragraph", start: int) -> Iterator[str]:
        """Yield the text of a paragraph that begins at `start` in pieces, and record its links."""
        breaks = paragraph.rendered_page_breaks
        fragments: list[Paragraph | None] = [paragraph]
        if breaks:  # python-docx splits a paragraph at its first break only
            fragments = [breaks[0].preceding_paragraph_fragment, breaks[0].following_paragraph_fragment]
        for number, fragment in enumerate(fragments):
            if number:
                start += 1
                yield "\f"
            for piece in self._read_runs(fragment, start):
                start += len(piece)
                yield piece
        yield "\f" * (len(breaks) - 1)

    def _read_runs(self, paragraph: "Paragraph | None", start: int) -> Iterator[str]:
        from docx.text.hyperlink import Hyperlink

        for item in paragraph.iter_inner_content() if paragraph is not None else ():
            text = item.text
            if isinstance(item, Hyperlink):
                target = item.url or (f"#{item.fragment}" if item.fragment else "")
                text = self._link_format.write(text, item.url)
                if target:
                    self._references.append(Reference(start, start + len(text), target))
            start += len(text)
            yield text

    def _write_table(self, table: "Table") -> None:
        start, known = self._length, len(self._references)
        rows = [
            ["\n".join("".join(self._read_runs(text, start)) for text in cell.paragraphs).strip() for cell in row.cells]
            for row in table.rows
        ]
        text = _format_markdown(rows) if self._markdown_tables else _format_csv(rows)
        # Places inside of the table are unknown, so the span of each link is the whole table.
        targets = dict.fromkeys(reference.target for reference in self._references[known:])
        self._references[known:] = [Reference(start, start + len(text), target) for target in targets]
        self._add(text)


def _unwrap(body: Element) -> None:
    """Move text of controls and tracked insertions to its paragraph; drop tables of contents."""
    for gallery in body.xpath(".//w:sdt[w:sdtPr/w:docPartObj/w:docPartGallery/@w:val='Table of Contents']"):
        gallery.getparent().remove(gallery)
    for wrapper in list(body.iter(*(f"{_W}{name}" for name in _WRAPPERS))):
        parent = wrapper.getparent()
        at = parent.index(wrapper)
        parent[at : at + 1] = list(wrapper)


def _find_level(paragraph: "Paragraph") -> int | None:
    """Return the level of a heading, 0 for the title of the file, None for any other paragraph."""
    own = paragraph._p.xpath("./w:pPr/w:outlineLvl/@w:val")  # noqa: SLF001 (python-docx has no other way)
    if own:
        return _parse_outline_level(own[0])
    style: Any = paragraph.style
    for _ in range(10):  # styles based on styles
        if style is None:
            return None
        name = style.name or ""
        if name.lower() == "title":
            return 0
        if match := _HEADING.match(name):
            return max(int(match.group(1)), 1)
        if outline := style.element.xpath("./w:pPr/w:outlineLvl/@w:val"):
            return _parse_outline_level(outline[0])
        style = getattr(style, "base_style", None)
    return None


def _parse_outline_level(value: str) -> int | None:
    return int(value) + 1 if value.isdecimal() and int(value) < 9 else None  # 9 is body text


def _format_csv(rows: list[list[str]]) -> str:
    output = io.StringIO()
    csv.writer(output).writerows(rows)
    return output.getvalue().strip()


def _format_markdown(rows: list[list[str]]) -> str:
    escaped = [[_PIPE.sub(r"\1\1\\|", _LINE_BREAK.sub(" ", cell)) for cell in row] for row in rows]
    count = max(map(len, escaped), default=0)
    widths = [max((len(row[at]) for row in escaped if at < len(row)), default=0) for at in range(count)]
    lines = ["| " + " | ".join(cell.ljust(widths[at]) for at, cell in enumerate(row)) + " |" for row in escaped]
    if lines:
        lines.insert(1, "| " + " | ".join("-" * width for width in widths[: len(escaped[0])]) + " |")
    return "\n".join(lines)
