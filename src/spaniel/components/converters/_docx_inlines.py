"""The text inside of a paragraph of a Word file: runs, links, fields, notes, formulas, pictures."""

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

from spaniel.components.converters._docx_math import M, write_formula
from spaniel.components.converters._docx_styles import W
from spaniel.components.converters.utils import LinkFormat

Element: TypeAlias = Any
"""An lxml element, which has no types."""

MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}docPr"
_HYPERLINK = re.compile(r'\s*HYPERLINK\s+(?:\\l\s+"?(?P<anchor>[^"\s]+)|"(?P<url>[^"]*)"|(?P<bare>[^\s"\\]\S*))')
_CONTENTS = re.compile(r"\s*TOC\b")
_SIGNS = {"tab": "\t", "ptab": "\t", "cr": "\n", "noBreakHyphen": "-", "lastRenderedPageBreak": "\f"}
_PRIVATE = range(0xE000, 0xF900)  # characters of symbol fonts


class Link(NamedTuple):
    """A link in the text of a paragraph."""

    start: int
    end: int
    target: str


class _Field:
    """A field between its begin and end, which may be in another paragraph."""

    def __init__(self) -> None:
        self.instruction = ""
        self.start: int | None = None  # of its result in this paragraph; None: in its instruction


class FieldStack:
    """The open fields at a place of the file."""

    def __init__(self) -> None:
        self.open: list[_Field] = []

    @property
    def is_hidden(self) -> bool:
        """True in an instruction or a table of contents."""
        return any(field.start is None or _CONTENTS.match(field.instruction) for field in self.open)

    def begin_paragraph(self) -> None:
        """Continue the results of open fields; an instruction ends with its paragraph."""
        self.open = [field for field in self.open if field.start is not None]
        for field in self.open:
            field.start = 0


class InlineReader:
    """Reads a paragraph.

    :param fields: the open fields of the part.
    :param find_target: returns the address of a relationship.
    :param note: returns the mark of a note, by its kind and id.
    :param find_part: returns the root of a related part, such as a chart, or None.
    :param shows_pictures: write the alternative texts of pictures.
    """

    def __init__(
        self,
        fields: FieldStack,
        find_target: Callable[[str], str],
        note: Callable[[str, str], str],
        find_part: Callable[[str], Element | None],
        link_format: LinkFormat,
        *,
        shows_pictures: bool,
    ) -> None:
        self.links: list[Link] = []
        self.bookmarks: list[str] = []
        self.boxes: list[Element] = []
        self._parts: list[str] = []
        self._length = 0
        self._fields = fields
        self._find_target = find_target
        self._note = note
        self._find_part = find_part
        self._link_format = link_format
        self._shows_pictures = shows_pictures
        fields.begin_paragraph()

    @property
    def text(self) -> str:
        """The text that was read."""
        return "".join(self._parts)

    def read(self, element: Element) -> None:
        """Read the children of a paragraph, run or wrapper."""
        for child in element:
            reader = _READERS.get(child.tag)
            if reader is not None:
                reader(self, child)

    def _write(self, text: str) -> None:
        if text and not self._fields.is_hidden:
            self._parts.append(text)
            self._length += len(text)

    def _read_text(self, element: Element) -> None:
        self._write(element.text or "")

    def _read_sign(self, element: Element) -> None:
        self._write(_SIGNS[element.tag.removeprefix(W)])

    def _read_break(self, element: Element) -> None:
        if element.get(f"{W}type", "textWrapping") == "textWrapping":
            self._write("\n")

    def _read_symbol(self, element: Element) -> None:
        code = int(element.get(f"{W}char", "0"), 16)
        if code not in _PRIVATE and code >= ord(" ") and not 0xD800 <= code < 0xE000:
            self._write(chr(code))

    def _read_ruby(self, element: Element) -> None:
        base, reading = element.find(f"{W}rubyBase"), element.find(f"{W}rt")
        if base is not None:
            self.read(base)
        if reading is not None:
            self._write("(")
            self.read(reading)
            self._write(")")

    def _read_formula(self, element: Element) -> None:
        self._write(write_formula(element))

    def _read_link(self, element: Element) -> None:
        start, address = self._length, self._find_target(element.get(f"{R}id", ""))
        anchor = element.get(f"{W}anchor", "")
        self.read(element)
        url = f"{address}#{anchor}" if address and anchor else address
        self._end_link(start, url, anchor)

    def _end_link(self, start: int, url: str, anchor: str) -> None:
        self._cut_parts(start, lambda text: self._link_format.write(text, url))
        if url or anchor:
            self.links.append(Link(start, self._length, url or f"#{anchor}"))

    def _cut_parts(self, start: int, change: Callable[[str], str]) -> None:
        """Change the text from an offset on."""
        parts: list[str] = []
        while self._length > start:
            parts.append(self._parts.pop())
            self._length -= len(parts[-1])
        if changed := change("".join(reversed(parts))):
            self._parts.append(changed)
            self._length += len(changed)

    def _read_simple_field(self, element: Element) -> None:
        instruction = element.get(f"{W}instr", "")
        if _CONTENTS.match(instruction):
            return
        start = self._length
        self.read(element)
        self._end_field(start, instruction)

    def _end_field(self, start: int, instruction: str) -> None:
        if (match := _HYPERLINK.match(instruction)) is not None and self._length > start:
            url = match["url"] or match["bare"] or ""
            anchor = match["anchor"] or ""
            if url and (place := re.search(r'\\l\s+"?([^"\s]+)', instruction)):
                url += f"#{place[1]}"
            self._end_link(start, url, anchor)

    def _read_field_character(self, element: Element) -> None:
        kind, fields = element.get(f"{W}fldCharType"), self._fields.open
        if kind == "begin":
            fields.append(_Field())
        elif kind == "separate" and fields:
            fields[-1].start = self._length
        elif kind == "end" and fields:
            field = fields.pop()
            if field.start is not None and not self._fields.is_hidden:
                self._end_field(field.start, field.instruction)

    def _read_instruction(self, element: Element) -> None:
        if self._fields.open:
            self._fields.open[-1].instruction += element.text or ""

    def _read_note(self, element: Element) -> None:
        self._write(self._note(element.tag.removeprefix(W), element.get(f"{W}id", "")))

    def _read_bookmark(self, element: Element) -> None:
        if name := element.get(f"{W}name"):
            self.bookmarks.append(name)

    def _read_alternative(self, element: Element) -> None:
        """Read one of several forms of the same content."""
        before = (self._length, len(self.boxes))
        for name in ("Choice", "Fallback"):
            for form in element.findall(MC + name):
                self.read(form)
                if (self._length, len(self.boxes)) != before:
                    return

    def _read_drawing(self, element: Element) -> None:
        if self._shows_pictures:
            for properties in element.iter(_DRAWING):
                self._write(_pad(properties.get("descr", "")))
        for related in element.iter(f"{C}chart", "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"):
            part = self._find_part(related.get(f"{R}id") or related.get(f"{R}dm", ""))
            if part is not None:
                self._write(_pad(" ".join(_list_texts(part))))
        self.boxes += _find_boxes(element)

    def _read_object(self, element: Element) -> None:
        self.boxes += _find_boxes(element)


def _pad(text: str) -> str:
    words = " ".join(text.split())
    return f" {words} " if words else ""


def _list_texts(part: Element) -> Iterator[str]:
    """Yield the texts of a chart or diagram, each once."""
    found = (element.text or "" for element in part.iter(f"{A}t", f"{C}v"))
    return (text for text in dict.fromkeys(found) if any(map(str.isalpha, text)))


def _find_boxes(element: Element) -> list[Element]:
    """Return the outermost text boxes of a drawing."""
    boxes: list[Element] = []
    waiting = list(reversed(element))
    while waiting:
        child = waiting.pop()
        if child.tag == f"{W}txbxContent":
            boxes.append(child)
        elif child.tag == f"{MC}AlternateContent":
            forms = [_find_boxes(form) for form in child]
            boxes += next((form for form in forms if form), [])
        else:
            waiting.extend(reversed(child))
    return boxes


_WRAPPERS = ("r", "ins", "moveTo", "smartTag", "customXml", "sdt", "sdtContent", "dir", "bdo", "rubyBase", "rt")
_READERS: dict[str, Callable[[InlineReader, Element], None]] = {
    **dict.fromkeys((W + name for name in _WRAPPERS), InlineReader.read),
    **dict.fromkeys((W + name for name in _SIGNS), InlineReader._read_sign),  # noqa: SLF001 (its own class)
    f"{W}t": InlineReader._read_text,  # noqa: SLF001
    f"{W}br": InlineReader._read_break,  # noqa: SLF001
    f"{W}sym": InlineReader._read_symbol,  # noqa: SLF001
    f"{W}ruby": InlineReader._read_ruby,  # noqa: SLF001
    f"{W}hyperlink": InlineReader._read_link,  # noqa: SLF001
    f"{W}fldSimple": InlineReader._read_simple_field,  # noqa: SLF001
    f"{W}fldChar": InlineReader._read_field_character,  # noqa: SLF001
    f"{W}instrText": InlineReader._read_instruction,  # noqa: SLF001
    **dict.fromkeys((f"{W}footnoteReference", f"{W}endnoteReference"), InlineReader._read_note),  # noqa: SLF001
    f"{W}commentReference": InlineReader._read_note,  # noqa: SLF001
    f"{W}bookmarkStart": InlineReader._read_bookmark,  # noqa: SLF001
    f"{W}drawing": InlineReader._read_drawing,  # noqa: SLF001
    **dict.fromkeys((f"{W}pict", f"{W}object"), InlineReader._read_object),  # noqa: SLF001
    f"{MC}AlternateContent": InlineReader._read_alternative,  # noqa: SLF001
    **dict.fromkeys((f"{M}oMath", f"{M}oMathPara"), InlineReader._read_formula),  # noqa: SLF001
}
