"""DOCX as plain text with its structure."""

import csv
import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from datetime import date
from typing import TYPE_CHECKING, Any

from spaniel.components.converters._extra import damage_named, needed
from spaniel.components.converters.utils import LinkFormat
from spaniel.errors import ConversionError
from spaniel.text.converted_text import ConvertedText, Heading, Reference
from spaniel.text.slugs import github_slug, unique_slugs

if TYPE_CHECKING:
    from docx.document import Document as DocxDocument
    from docx.table import Table, _Cell
    from docx.text.paragraph import Paragraph

_LARGEST = 512 * 1024 * 1024  # bytes, unpacked
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_WRAPPERS = ("sdt", "sdtContent", "ins", "smartTag", "customXml", "moveTo")  # what stands around text that is shown
_HEADING = re.compile(r"heading (\d)$", re.IGNORECASE)
_LINE_BREAK = re.compile(r"\s*[\r\n]+\s*")
_PIPE = re.compile(r"(?<!\\)(\\*)\|")


@dataclass
class DOCXMetadata:
    """What a Word file says about itself; dates as in ISO 8601."""

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


def convert_docx(
    data: bytes,
    name: str = "The file",
    *,
    markdown_tables: bool = False,
    link_format: LinkFormat = LinkFormat.NONE,
    properties: bool = False,
) -> ConvertedText:
    r"""Return the text of a Word file with its headings and links.

    Each paragraph is a line, a table its rows. Headings are paragraphs in the styles for them, or with a level in the
    outline. ``\f`` stands where Word noted the end of a page when it last laid out the file. Inserted text that is marked
    as such counts, deleted text does not. Headers, footers, footnotes and comments are left out.

    :param data: the file.
    :param name: what to call it in an error.
    :param markdown_tables: write tables as Markdown's, not as CSV.
    :param link_format: how links are written.
    :param properties: put what the file says about itself into ``meta["docx"]``.
    :raises ConversionError: python-docx is not installed, or the file is damaged or unpacks to more than 512 MiB.
    """
    docx = needed("docx", name)
    with damage_named(name, "DOCX"):
        _refuse_too_large(data, name)
        document = docx.Document(io.BytesIO(data))
        writer = _Writer(document, markdown_tables, link_format)
        writer.body()
        core = _properties(document)
    title = writer.title or " ".join(str(core.title or "").split())
    return writer.converted(title or None, {"docx": asdict(core)} if properties else {})


def _refuse_too_large(data: bytes, name: str) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        unpacked = sum(entry.file_size for entry in packed.infolist())  # no more than this is unpacked, true or not
    if unpacked > _LARGEST:
        raise ConversionError(f"{name} unpacks to more than {_LARGEST // 1024**2} MiB.")


def _properties(document: "DocxDocument") -> DOCXMetadata:
    values: dict[str, Any] = {
        field.name: getattr(document.core_properties, field.name) for field in fields(DOCXMetadata)
    }
    written: dict[str, Any] = {
        name: value.isoformat() if isinstance(value, date) else value for name, value in values.items()
    }
    return DOCXMetadata(**written)


class _Writer:
    """Writes paragraphs and tables, one below the other."""

    def __init__(self, document: "DocxDocument", markdown_tables: bool, link_format: LinkFormat) -> None:
        self._document = document
        self._markdown_tables = markdown_tables
        self._link_format = link_format
        self.title: str | None = None
        self._parts: list[str] = []
        self._length = 0
        self._headings: list[Heading] = []
        self._references: list[Reference] = []
        self._bookmarks: list[tuple[str, int]] = []  # name, how many headings there are by then

    def body(self) -> None:
        """Write the whole file."""
        body = self._document.element.body
        _unwrap(body)
        self._elements(body)

    def converted(self, title: str | None, meta: dict[str, Any]) -> ConvertedText:
        """Return what was written."""
        below = 0 if self.title is None else 1  # the parts of a file with a title are below it
        headings = [heading._replace(level=heading.level + below) for heading in self._headings]
        slugs = unique_slugs(github_slug(heading.title) for heading in headings)
        aliases: dict[str, str] = {}
        for name, count in self._bookmarks:
            aliases.setdefault(name, slugs[count - 1] if count else "")
        first = next((heading.title for heading in headings if heading.level == 1), None)
        return ConvertedText(
            text="\n".join(self._parts),
            title=title or first,
            headings=headings,
            slugs=slugs,
            references=sorted(self._references),
            aliases=aliases,
            meta=meta,
        )

    def _elements(self, parent: Any, *, in_box: bool = False) -> None:
        from docx.table import Table
        from docx.text.paragraph import Paragraph

        for element in parent:
            if element.tag == f"{_W}p":
                self._paragraph(Paragraph(element, self._document))
                for box in () if in_box else element.iter(f"{_W}txbxContent"):
                    if not any(above.tag == _FALLBACK for above in box.iterancestors()):  # the same text once more
                        self._elements(box, in_box=True)
            elif element.tag == f"{_W}tbl":
                self._table(Table(element, self._document))

    def _add(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text) + 1

    def _paragraph(self, paragraph: "Paragraph") -> None:
        start = self._length
        text = "".join(self._pieces(paragraph, start))
        shown = " ".join(text.split())
        level = _level(paragraph) if shown else None
        if level is not None:
            self._headings.append(Heading(level, shown, start + len(text) - len(text.lstrip())))
            if level == 0 and self.title is None:
                self.title = shown
        names = paragraph._p.xpath(".//w:bookmarkStart/@w:name")  # noqa: SLF001 (python-docx has no other way)
        self._bookmarks += [(str(name), len(self._headings)) for name in names]
        self._add(text)

    def _pieces(self, paragraph: "Paragraph", start: int) -> Iterator[str]:
        """Yield the text of a paragraph piece by piece; note its links, as it begins at `start`."""
        breaks = paragraph.rendered_page_breaks
        fragments: list[Paragraph | None] = [paragraph]
        if breaks:  # python-docx cuts a paragraph at its first break only
            fragments = [breaks[0].preceding_paragraph_fragment, breaks[0].following_paragraph_fragment]
        for number, fragment in enumerate(fragments):
            if number:
                start += 1
                yield "\f"
            for piece in self._runs(fragment, start):
                start += len(piece)
                yield piece
        yield "\f" * (len(breaks) - 1)

    def _runs(self, paragraph: "Paragraph | None", start: int) -> Iterator[str]:
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

    def _table(self, table: "Table") -> None:
        start, known = self._length, len(self._references)
        rows = [[self._cell(cell, start) for cell in row.cells] for row in table.rows]
        text = _markdown_table(rows) if self._markdown_tables else _csv_table(rows)
        # Where a link stands inside the table is not known, so all of the table is its words.
        targets = dict.fromkeys(reference.target for reference in self._references[known:])
        self._references[known:] = [Reference(start, start + len(text), target) for target in targets]
        self._add(text)

    def _cell(self, cell: "_Cell", start: int) -> str:
        return "\n".join("".join(self._runs(paragraph, start)) for paragraph in cell.paragraphs).strip()


def _unwrap(body: Any) -> None:
    """Put text that stands inside of controls and marks of insertion where python-docx looks for it.

    A table of contents goes.
    """
    for gallery in body.xpath(".//w:sdt[w:sdtPr/w:docPartObj/w:docPartGallery/@w:val='Table of Contents']"):
        gallery.getparent().remove(gallery)
    for wrapper in list(body.iter(*(f"{_W}{name}" for name in _WRAPPERS))):
        parent = wrapper.getparent()
        at = parent.index(wrapper)
        parent[at : at + 1] = list(wrapper)


def _level(paragraph: "Paragraph") -> int | None:
    """Return the level of a heading, 0 for the title of the file, None for other paragraphs."""
    own = paragraph._p.xpath("./w:pPr/w:outlineLvl/@w:val")  # noqa: SLF001 (python-docx has no other way)
    if own:
        return _outline_level(own[0])
    style: Any = paragraph.style
    for _ in range(10):  # a style may be based on another one
        if style is None:
            return None
        name = style.name or ""
        if name.lower() == "title":
            return 0
        if match := _HEADING.match(name):
            return max(int(match.group(1)), 1)
        if outline := style.element.xpath("./w:pPr/w:outlineLvl/@w:val"):
            return _outline_level(outline[0])
        style = getattr(style, "base_style", None)
    return None


def _outline_level(value: str) -> int | None:
    return int(value) + 1 if value.isdecimal() and int(value) < 9 else None  # 9 means: text


def _csv_table(rows: list[list[str]]) -> str:
    output = io.StringIO()
    csv.writer(output).writerows(rows)
    return output.getvalue().strip()


def _markdown_table(rows: list[list[str]]) -> str:
    escaped = [[_PIPE.sub(r"\1\1\\|", _LINE_BREAK.sub(" ", cell)) for cell in row] for row in rows]
    count = max(map(len, escaped), default=0)
    widths = [max((len(row[at]) for row in escaped if at < len(row)), default=0) for at in range(count)]
    lines = ["| " + " | ".join(cell.ljust(widths[at]) for at, cell in enumerate(row)) + " |" for row in escaped]
    if lines:
        lines.insert(1, "| " + " | ".join("-" * width for width in widths[: len(escaped[0])]) + " |")
    return "\n".join(lines)
