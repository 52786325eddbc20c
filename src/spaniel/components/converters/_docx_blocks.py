"""The paragraphs, tables and notes of a Word file as text."""

import csv
import io
import re
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from spaniel.components.converters._docx_inlines import FieldStack, InlineReader, R
from spaniel.components.converters._docx_styles import ParagraphStyles, W
from spaniel.components.converters.utils import LinkFormat
from spaniel.text.converted_text import ConvertedText, Heading, Reference
from spaniel.text.numerals import format_roman
from spaniel.text.slugs import github_slug, unique_slugs

if TYPE_CHECKING:
    from docx.opc.part import Part

Element: TypeAlias = Any
"""An lxml element, which has no types."""

_WRAPPERS = tuple(W + name for name in ("ins", "moveTo", "smartTag", "customXml", "sdtContent"))
_ROW_WRAPPERS = (*_WRAPPERS, f"{W}sdt")
_CONTENTS = f"{W}sdtPr/{W}docPartObj/{W}docPartGallery"
_NOTES = {"footnoteReference": "footnote", "endnoteReference": "endnote", "commentReference": "comment"}
_LINE_BREAK = re.compile(r"\s*[\r\n]+\s*")
_PIPE = re.compile(r"(?<!\\)(\\*)\|")
_BLANKS = str.maketrans("\n\t\f\r", "    ")


@dataclass(frozen=True)
class DOCXForm:
    """The form of the text.

    :param table: ``cells`` (``a | b``), ``csv`` or ``markdown``.
    :param is_complete: list marks, comments, headers, footers and texts of pictures are written.
    """

    table: str = "cells"
    link_format: LinkFormat = LinkFormat.NONE
    is_complete: bool = True


@dataclass
class _Cell:
    """The text of a cell, with offsets in it."""

    text: str
    headings: list[Heading] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)


@dataclass
class DOCXState:
    """State common to all parts of a file.

    :param notes: the mark of each note that is referred to, by its kind and id.
    :param bookmarks: names, each with the number of headings before it.
    """

    styles: ParagraphStyles
    form: DOCXForm
    notes: dict[tuple[str, str], str] = field(default_factory=dict)
    num_notes: Counter[str] = field(default_factory=Counter)
    bookmarks: list[tuple[str, int]] = field(default_factory=list)
    num_headings: int = 0
    fields: FieldStack = field(default_factory=FieldStack)


class DOCXWriter:
    """Writes the blocks of a file.

    :param part: the part of the blocks, which resolves their relationships.
    """

    def __init__(self, part: "Part", state: DOCXState) -> None:
        self.part = part
        self.title: str | None = None
        self.headings: list[Heading] = []
        self.references: list[Reference] = []
        self._state = state
        self._form = state.form
        self._parts: list[str] = []
        self._length = 0

    @property
    def text(self) -> str:
        """The text that was written."""
        return "\n".join(self._parts)

    def build(self, title: str | None, meta: dict[str, Any]) -> ConvertedText:
        """Return the text and its structure."""
        below = 0 if self.title is None else 1  # below the title of the file
        headings = [heading._replace(level=heading.level + below) for heading in self.headings]
        slugs = unique_slugs(github_slug(heading.title) for heading in headings)
        aliases: dict[str, str] = {}
        for name, count in self._state.bookmarks:
            aliases.setdefault(name, slugs[count - 1] if count else "")
        return ConvertedText(
            text=self.text,
            title=title,
            headings=headings,
            slugs=slugs,
            references=sorted(self.references),
            aliases=aliases,
            meta=meta,
        )

    def write_blocks(self, parent: Element) -> None:
        """Write the paragraphs and tables below an element; those that were deleted are left out."""
        for element in parent:
            if element.tag == f"{W}p":
                self._write_paragraph(element)
            elif element.tag == f"{W}tbl":
                self._write_table(element)
            elif element.tag == f"{W}sdt":
                gallery = element.find(_CONTENTS)
                if gallery is None or gallery.get(f"{W}val") != "Table of Contents":
                    self.write_blocks(element)
            elif element.tag in _WRAPPERS:
                self.write_blocks(element)
            elif str(element.tag).endswith("}AlternateContent") and len(element):
                self.write_blocks(element[0])

    def write_line(self, text: str) -> None:
        """Write a line, which may hold line breaks."""
        self._parts.append(text)
        self._length += len(text) + 1

    def write_note(self, note: Element, label: str) -> None:
        """Write a footnote, endnote or comment as a line."""
        author = note.get(f"{W}author", "")
        cell = self._read_cell(note)
        if cell.text.strip():
            self._write_row([_Cell(f"[{label} by {author}]" if author else f"[{label}]"), cell], " ")

    def write_header(self, header: Element) -> None:
        """Write a header or footer as a line, unless it has no letters or was written before."""
        cell = self._read_cell(header)
        if any(map(str.isalpha, cell.text)) and cell.text.strip() not in self._parts:
            self._write_row([cell])

    def _write_paragraph(self, paragraph: Element) -> None:
        reader = InlineReader(
            self._state.fields,
            self._find_target,
            self._mark_note,
            self._find_part,
            self._form.link_format,
            shows_pictures=self._form.is_complete,
        )
        reader.read(paragraph)
        start, text = self._length, reader.text
        level = self._state.styles.find_level(paragraph) if text.strip() else None
        if self._form.is_complete and text.strip():
            depth, mark = self._state.styles.count_number(paragraph)
            start += len(lead := f"{'  ' * depth if level is None else ''}{mark} " if mark else "")
            text = lead + text
        shown = " ".join(text.split())
        if level is not None:
            self._state.num_headings += 1
            self.headings.append(Heading(level, shown, self._length + len(text) - len(text.lstrip())))
            if level == 0 and self.title is None:
                self.title = shown
        self.references += [Reference(start + link.start, start + link.end, link.target) for link in reader.links]
        self._state.bookmarks += [(name, self._state.num_headings) for name in reader.bookmarks]
        self.write_line(text)
        for box in reader.boxes:
            self.write_blocks(box)

    def _find_target(self, relationship: str) -> str:
        found = self.part.rels.get(relationship)
        return found.target_ref if found is not None and found.is_external else ""

    def _find_part(self, relationship: str) -> Element | None:
        found = self.part.rels.get(relationship)
        return None if found is None or found.is_external else read_part(found.target_part)

    def _mark_note(self, kind: str, id: str) -> str:
        key = (_NOTES[kind], id)
        if key[0] == "comment":
            if self._form.is_complete:
                self._state.notes.setdefault(key, "Comment")
            return ""
        if key not in self._state.notes:
            self._state.num_notes[key[0]] += 1
            number = self._state.num_notes[key[0]]
            self._state.notes[key] = str(number) if key[0] == "footnote" else format_roman(number)
        return f"[{self._state.notes[key]}]"

    def _write_table(self, table: Element) -> None:
        rows = self._read_rows(table)
        if self._form.table == "cells":
            for row in rows:
                self._write_row(row)
            return
        cells = [[cell.text for cell in row] for row in rows]
        text = _format_markdown(cells) if self._form.table == "markdown" else _format_csv(cells)
        # Offsets inside of the table are unknown: a link has that of the table, a heading that of
        # its words.
        start, place = self._length, 0
        found = [cell for row in rows for cell in row]
        targets = dict.fromkeys(reference.target for cell in found for reference in cell.references)
        self.references += [Reference(start, start + len(text), target) for target in targets]
        for heading in [heading for cell in found for heading in cell.headings]:
            if (at := text.find(heading.title, place)) >= 0:
                self.headings.append(heading._replace(start=start + at))
                place = at + len(heading.title)
        self.write_line(text)

    def _write_row(self, row: list[_Cell], separator: str = " | ") -> None:
        pieces: list[str] = []
        start = self._length
        for cell in row:
            lead = len(cell.text) - len(cell.text.lstrip())
            self.headings += [heading._replace(start=start + heading.start - lead) for heading in cell.headings]
            self.references += [
                Reference(start + reference.start - lead, start + reference.end - lead, reference.target)
                for reference in cell.references
            ]
            pieces.append(cell.text.strip())
            start += len(pieces[-1]) + len(separator)
        self.write_line(separator.join(pieces))

    def _read_rows(self, table: Element) -> list[list[_Cell]]:
        rows: list[list[_Cell]] = []
        above: dict[int, _Cell] = {}
        for row in _iterate(table, "tr"):
            if row.find(f"{W}trPr/{W}del") is not None:
                continue
            cells: list[_Cell] = []
            column = 0
            for element in _iterate(row, "tc"):
                properties = element.find(f"{W}tcPr")
                span, merged = _read_span(properties)
                cell = above.get(column) if merged == "continue" else None
                cell = self._read_cell(element) if cell is None else _Cell(cell.text)
                # Word's own converters repeat a cell in each of its columns.
                cells += [cell] * (1 if self._form.table == "cells" else span)
                above |= dict.fromkeys(range(column, column + span), cell)
                column += span
            rows.append(cells)
        return rows

    def _read_cell(self, element: Element) -> _Cell:
        inner = DOCXWriter(self.part, self._state)
        inner.write_blocks(element)
        if self._form.table != "cells":
            return _Cell(inner.text.strip(), inner.headings, inner.references)
        lines: list[str] = []
        shifts: list[tuple[int, int]] = []  # offset of a line in the text of `inner`, distance to its new one
        old = new = 0
        for part in inner._parts:
            # Empty paragraphs are left out, and all else keeps its length.
            if part.strip():
                shifts.append((old, new - old))
                lines.append(part.translate(_BLANKS))
                new += len(part) + 1
            old += len(part) + 1

        def move(offset: int) -> int:
            return offset + shifts[max(bisect_right(shifts, (offset, sys.maxsize)) - 1, 0)][1] if shifts else 0

        return _Cell(
            " ".join(lines),
            [heading._replace(start=move(heading.start)) for heading in inner.headings],
            [Reference(move(start), move(end), target) for start, end, target in inner.references],
        )


def read_part(part: "Part") -> Element:
    """Return the root of a part; entities are not resolved."""
    from docx.oxml.parser import parse_xml

    element = getattr(part, "element", None)
    return parse_xml(part.blob) if element is None else element


def find_related(part: "Part", kind: str) -> "Iterator[Part]":
    """Yield the parts with a kind of relationship, such as ``footnotes``."""
    for relationship in part.rels.values():
        if relationship.reltype.endswith(f"/{kind}") and not relationship.is_external:
            yield relationship.target_part


def list_headers(document: "Part") -> "Iterator[Part]":
    """Yield the headers and footers that sections of a file refer to, in their order."""
    root = read_part(document)
    seen = set()
    for reference in root.iter(f"{W}headerReference", f"{W}footerReference"):
        found = document.rels.get(reference.get(f"{R}id", ""))
        if found is not None and not found.is_external and found.target_part not in seen:
            seen.add(found.target_part)
            yield found.target_part


def _iterate(parent: Element, name: str) -> Iterator[Element]:
    """Yield the rows of a table or the cells of a row, also those in controls."""
    for child in parent:
        if child.tag == W + name:
            yield child
        elif child.tag in _ROW_WRAPPERS:
            yield from _iterate(child, name)


def _read_span(properties: Element | None) -> tuple[int, str]:
    """Return the number of columns of a cell, and if it continues the one above."""
    if properties is None:
        return 1, ""
    span, merged = properties.find(f"{W}gridSpan"), properties.find(f"{W}vMerge")
    columns = "1" if span is None else span.get(f"{W}val", "1")
    return (
        min(max(int(columns), 1), 1000) if columns.isdecimal() else 1,
        "" if merged is None else merged.get(f"{W}val", "continue"),
    )


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
