"""PDF files as documents."""

import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from spaniel.components.converters._file_converter import (
    FileConverter,
    SourceFile,
    build_document,
    import_package,
    shorten_message,
    translate_errors,
)
from spaniel.components.converters._log_capture import capture_warnings
from spaniel.components.converters.utils import LinkFormat, LinkFormatName
from spaniel.components.option_enum import OptionEnum
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.errors import ConversionError
from spaniel.text.converted_text import ConvertedText, Heading, Reference
from spaniel.text.decoding import replace_surrogates
from spaniel.text.slugs import github_slug, unique_slugs

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

__all__ = ["PyPDFExtractionMode", "PyPDFToDocument", "convert_pdf"]

Extraction: TypeAlias = Mapping[str, Any]
"""Options of pypdf's ``extract_text``."""

_MAX_CHARACTERS = 100_000_000
_MAX_HEADINGS = 20_000
_MAX_LEVEL = 12
_TOLERANCE = 3.0  # maximum distance of a line from its link, in points
_PLACEHOLDER = re.compile(r"(?:untitled|microsoft \w+ - .*|.*\.(?:docx?|odt|rtf|tex|dvi|indd|pdf))$", re.IGNORECASE)
_OPTIONS = (
    *("extraction_mode", "plain_mode_orientations", "plain_mode_space_width", "layout_mode_space_vertically"),
    *("layout_mode_scale_weight", "layout_mode_strip_rotated", "layout_mode_font_height_weight"),
)


class PyPDFExtractionMode(OptionEnum):
    """Order of the text: the file's, or laid out as on the page."""

    PLAIN = "plain"
    LAYOUT = "layout"


@component
class PyPDFToDocument(FileConverter):
    r"""Converts PDF files to documents, with the outline and links in the metadata.

    It needs the ``convert`` extra: ``pip install 'spaniel[convert]'``. Text in images is not read.

    :param extraction_mode: ``plain``, or ``layout``: spaces preserve the layout of the page.
    :param plain_mode_orientations: orientations in degrees; other text is left out.
    :param plain_mode_space_width: width of a space if the font does not define it.
    :param layout_mode_space_vertically: write gaps between lines as empty lines.
    :param layout_mode_scale_weight: pypdf's factor for the width of a character.
    :param layout_mode_strip_rotated: leave out rotated text.
    :param layout_mode_font_height_weight: pypdf's factor for the height of an empty line.
    :param store_full_path: keep the whole path in ``meta["file_path"]`` instead of the file's name.
    :param link_format: write the addresses of a page's links below its text: ``markdown``,
        ``plain`` or ``none``.
    :raises ConversionError: the extra is not installed.
    :raises ValueError: a mode or format is unknown.
    """

    _own_options = frozenset()

    def __init__(
        self,
        *,
        extraction_mode: Literal["plain", "layout"] | PyPDFExtractionMode = PyPDFExtractionMode.PLAIN,
        plain_mode_orientations: tuple[int, ...] = (0, 90, 180, 270),
        plain_mode_space_width: float = 200.0,
        layout_mode_space_vertically: bool = True,
        layout_mode_scale_weight: float = 1.25,
        layout_mode_strip_rotated: bool = True,
        layout_mode_font_height_weight: float = 1.0,
        store_full_path: bool = False,
        link_format: LinkFormatName | LinkFormat = LinkFormat.NONE,
    ) -> None:
        import_package("pypdf", type(self).__name__)
        self.extraction_mode = PyPDFExtractionMode.from_str(extraction_mode)
        self.plain_mode_orientations = tuple(plain_mode_orientations)
        self.plain_mode_space_width = plain_mode_space_width
        self.layout_mode_space_vertically = layout_mode_space_vertically
        self.layout_mode_scale_weight = layout_mode_scale_weight
        self.layout_mode_strip_rotated = layout_mode_strip_rotated
        self.layout_mode_font_height_weight = layout_mode_font_height_weight
        self.store_full_path = store_full_path
        self.link_format = LinkFormat.from_str(link_format)

    def _convert(self, source: SourceFile) -> Iterable[Document]:
        # pypdf prefixes the options of its layout mode alone.
        options = {name.removeprefix("plain_mode_"): getattr(self, name) for name in _OPTIONS}
        extraction = {**options, "extraction_mode": self.extraction_mode.value}
        converted = convert_pdf(source.data, source.name, link_format=self.link_format, extraction=extraction)
        if not converted.text.strip():
            converted.problems.append("it holds no text; it may be a scan")
        return [build_document(converted, source.path, meta=source.meta)]


def convert_pdf(
    data: bytes,
    name: str = "The file",
    *,
    link_format: LinkFormat = LinkFormat.NONE,
    extraction: Extraction | None = None,
) -> ConvertedText:
    r"""Return the text of a PDF with its headings and links, with ``\f`` between pages.

    The headings are the outline (bookmarks), each placed at its words on the page, else at the
    outline's destination. A link to the web is the line under its rectangle. Pages without text,
    such as scans, are empty. Warnings logged by pypdf are among the `problems`.
    """
    with capture_warnings("pypdf", "fontTools") as warnings:
        pypdf = import_package("pypdf", name)
        with translate_errors(name, "PDF"):
            reader: PdfReader = pypdf.PdfReader(io.BytesIO(data))
            if reader.is_encrypted and not reader.decrypt(""):
                raise ConversionError(f"{name} is encrypted: save it without a password.")
            found = list(reader.pages)
        problems: list[str] = []
        pages: list[_Page] = []
        start = 0
        for number, page in enumerate(found, 1):
            try:
                read = _read_page(page, start, link_format, extraction or {})
            except Exception as error:  # noqa: BLE001 (a damaged page can raise anything; the others are kept)
                problems.append(f"page {number} can't be read: {shorten_message(error)}")
                read = _Page("", start, [], [])
            pages.append(read)
            start += len(read.text) + 1
            if start > _MAX_CHARACTERS:
                raise ConversionError(f"{name} has more than {_MAX_CHARACTERS:,} characters.")
        headings = _find_headings(reader, pages)
        converted = ConvertedText(
            text="\f".join(page.text for page in pages),
            title=_read_title(reader),
            headings=headings,
            slugs=unique_slugs(github_slug(heading.title) for heading in headings),
            references=sorted({reference for page in pages for reference in page.references}),
            problems=problems,
            has_pages=True,
        )
    converted.problems.extend(warnings)
    return converted


class _Line(NamedTuple):
    """A piece of a page's text: its span in the whole text, and its position on the page."""

    start: int
    end: int
    x: float
    y: float


class _Page(NamedTuple):
    text: str
    start: int
    lines: list[_Line]
    references: list[Reference]


def _read_page(page: "PageObject", start: int, link_format: LinkFormat, extraction: Extraction) -> _Page:
    lines: list[_Line] = []
    place = start

    def note(piece: str, matrix: Sequence[float], text_matrix: Sequence[float], *_: object) -> None:
        nonlocal place
        if piece.strip():
            x, y = text_matrix[4], text_matrix[5]
            x, y = x * matrix[0] + y * matrix[2] + matrix[4], x * matrix[1] + y * matrix[3] + matrix[5]
            lead = len(piece) - len(piece.lstrip())
            lines.append(_Line(place + lead, place + len(piece.rstrip()), x, y))
        place += len(piece)

    text = page.extract_text(visitor_text=note, **extraction)
    text = replace_surrogates(text).replace("\f", "\n")
    if place - start != len(text):  # the pieces do not add up to the text, as in layout mode
        lines = []
    links = list(_read_links(page))
    references = [_locate_link(rectangle, address, lines, start) for rectangle, address in links]
    if links and link_format is not LinkFormat.NONE:
        text += "\n\n" + "\n".join(link_format.write(address, address) for _, address in links)
    return _Page(text, start, lines, references)


def _read_links(page: "PageObject") -> Iterator[tuple[list[float], str]]:
    try:
        annotations = list(page["/Annots"]) if "/Annots" in page else []  # type: ignore[call-overload]  # an array
    except Exception:  # noqa: BLE001 (a damaged page can raise anything)
        return
    for annotation in annotations:
        try:
            found = annotation.get_object()
            action = found.get("/A")
            if found.get("/Subtype") != "/Link" or not action or action.get("/S") != "/URI":
                continue
            address = action["/URI"]
            shown = address.decode("utf-8") if isinstance(address, bytes) else str(address)
            rectangle = [float(number) for number in found["/Rect"]]
        except Exception:  # noqa: BLE001, S112 (a damaged link can raise anything)
            continue
        if shown and len(rectangle) == 4:
            yield rectangle, replace_surrogates(shown)


def _locate_link(rectangle: Sequence[float], address: str, lines: Sequence[_Line], start: int) -> Reference:
    """Return a link with the span of the line under its rectangle, else the start of the page."""
    left, right = sorted((rectangle[0], rectangle[2]))
    low, high = sorted((rectangle[1], rectangle[3]))
    under = [line for line in lines if low - _TOLERANCE <= line.y <= high + _TOLERANCE and line.x <= right]
    if not under:
        return Reference(start, start, address)
    line = min(under, key=lambda line: abs(line.x - left))
    return Reference(line.start, line.end, address)


def _find_headings(reader: "PdfReader", pages: Sequence[_Page]) -> list[Heading]:
    found: dict[int, Heading] = {}
    place = 0
    for level, title, number, top in _read_outline(reader):
        if not 0 <= number < len(pages) or not pages[number].text.strip():
            continue
        page = pages[number]
        start = _locate_heading(title, page, top, max(place - page.start, 0))
        found.setdefault(start, Heading(level, title, start))
        place = start + 1
    return [found[start] for start in sorted(found)]


def _locate_heading(title: str, page: _Page, top: float | None, after: int) -> int:
    """Return the start of the line that begins with the title, else of the line at its height."""
    words = r"\s+".join(map(re.escape, title.split()))
    pattern = re.compile(rf"^[ \t]*({words})", re.IGNORECASE | re.MULTILINE)
    match = pattern.search(page.text, after) or pattern.search(page.text)
    if match is not None:
        return page.start + match.start(1)
    if top is not None and (below := [line for line in page.lines if line.y <= top + _TOLERANCE]):
        return max(below, key=lambda line: line.y).start
    return page.start + len(page.text) - len(page.text.lstrip())


def _read_outline(reader: "PdfReader") -> Iterator[tuple[int, str, int, float | None]]:
    try:
        waiting: list[tuple[Any, int]] = [(entry, 1) for entry in reversed(reader.outline)]
    except Exception:  # noqa: BLE001 (a damaged outline can raise anything; the text is there)
        return
    count = 0
    while waiting and count < _MAX_HEADINGS:
        entry, level = waiting.pop()
        if isinstance(entry, list):
            waiting.extend((inner, level + 1) for inner in reversed(entry))
            continue
        count += 1
        try:
            title = " ".join(replace_surrogates(str(entry.title)).split())
            number = reader.get_destination_page_number(entry)
            top = None if entry.top is None else float(entry.top)
        except Exception:  # noqa: BLE001, S112 (a damaged entry can raise anything)
            continue
        if title and number is not None:
            yield min(level, _MAX_LEVEL), title, number, top


def _read_title(reader: "PdfReader") -> str | None:
    try:
        title = " ".join(str((reader.metadata and reader.metadata.title) or "").split())
    except Exception:  # noqa: BLE001 (damaged metadata can raise anything)
        return None
    title = replace_surrogates(title)
    return None if not title or _PLACEHOLDER.match(title) else title
