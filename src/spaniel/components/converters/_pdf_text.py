"""PDF as plain text with its structure."""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from spaniel.components.converters._extra import damage_named, needed, said
from spaniel.components.converters.utils import LinkFormat
from spaniel.errors import ConversionError
from spaniel.text.converted_text import ConvertedText, Heading, Reference
from spaniel.text.slugs import github_slug, unique_slugs

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

_LARGEST_TEXT = 100_000_000  # characters
_MOST_HEADINGS = 20_000
_DEEPEST_HEADING = 12
_TOLERANCE = 3.0  # points by which a line may miss its link
_SURROGATES = re.compile("[\ud800-\udfff]")
_NO_TITLE = re.compile(r"(?:untitled|microsoft \w+ - .*|.*\.(?:docx?|odt|rtf|tex|dvi|indd|pdf))$", re.IGNORECASE)


def convert_pdf(
    data: bytes,
    name: str = "The file",
    *,
    link_format: LinkFormat = LinkFormat.NONE,
    extraction: Mapping[str, Any] | None = None,
) -> ConvertedText:
    r"""Return the text of a PDF with its headings and links; ``\f`` stands between pages.

    The headings are the outline (bookmarks), each where its words stand on its page, else where it points. A link to the
    web is the line under its rectangle. Pages without text, such as scans, are empty.

    :param data: the file.
    :param name: what to call it in an error.
    :param link_format: write the addresses of a page's links below its text.
    :param extraction: options of pypdf's ``extract_text``.
    :raises ConversionError: pypdf is not installed, or the file is damaged, encrypted, or has more than 100 million
        characters.
    """
    reader = _opened(data, name)
    with damage_named(name, "PDF"):
        found = list(reader.pages)
    problems: list[str] = []
    pages: list[_Page] = []
    start = 0
    for number, page in enumerate(found, 1):
        try:
            read = _read(page, start, link_format, extraction or {})
        except Exception as error:  # noqa: BLE001 (a damaged page can raise anything; the others are kept)
            problems.append(f"page {number} can't be read: {said(error)}")
            read = _Page("", start, [], [])
        pages.append(read)
        start += len(read.text) + 1
        if start > _LARGEST_TEXT:
            raise ConversionError(f"{name} has more than {_LARGEST_TEXT:,} characters.")
    headings = _headings(reader, pages)
    return ConvertedText(
        text="\f".join(page.text for page in pages),
        title=_title(reader),
        headings=headings,
        slugs=unique_slugs(github_slug(heading.title) for heading in headings),
        references=sorted({reference for page in pages for reference in page.references}),
        problems=problems,
    )


class _Line(NamedTuple):
    """A piece of a page's text: where it begins and ends in the whole text, and where it stands on the page."""

    start: int
    end: int
    x: float
    y: float


@dataclass(frozen=True)
class _Page:
    text: str
    start: int
    lines: list[_Line]
    references: list[Reference]


def _opened(data: bytes, name: str) -> "PdfReader":
    pypdf = needed("pypdf", name)
    with damage_named(name, "PDF"):
        reader: PdfReader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise ConversionError(f"{name} is encrypted: save it without a password.")
    return reader


def _read(page: "PageObject", start: int, link_format: LinkFormat, extraction: Mapping[str, Any]) -> _Page:
    lines: list[_Line] = []
    place = start

    def note(piece: str, matrix: Sequence[float], text_matrix: Sequence[float], *_: object) -> None:
        nonlocal place
        if piece.strip():
            x, y = _position(text_matrix, matrix)
            lead = len(piece) - len(piece.lstrip())
            lines.append(_Line(place + lead, place + len(piece.rstrip()), x, y))
        place += len(piece)

    text = page.extract_text(visitor_text=note, **extraction)
    text = _SURROGATES.sub("\ufffd", text).replace("\f", "\n")
    if place - start != len(text):  # the pieces are not the text: in layout mode, for instance
        lines = []
    links = list(_links(page))
    references = [_reference(rectangle, address, lines, start) for rectangle, address in links]
    if links and link_format is not LinkFormat.NONE:
        text += "\n\n" + "\n".join(link_format.write(address, address) for _, address in links)
    return _Page(text, start, lines, references)


def _position(text_matrix: Sequence[float], matrix: Sequence[float]) -> tuple[float, float]:
    x, y = text_matrix[4], text_matrix[5]
    return x * matrix[0] + y * matrix[2] + matrix[4], x * matrix[1] + y * matrix[3] + matrix[5]


def _links(page: "PageObject") -> Iterator[tuple[list[float], str]]:
    """Yield the rectangle and the address of each link to the web; those that are damaged are passed over."""
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
            yield rectangle, _SURROGATES.sub("\ufffd", shown)


def _reference(rectangle: Sequence[float], address: str, lines: Sequence[_Line], start: int) -> Reference:
    """Return a link with the span of the line under its rectangle; the start of the page where there is none."""
    left, right = sorted((rectangle[0], rectangle[2]))
    low, high = sorted((rectangle[1], rectangle[3]))
    under = [line for line in lines if low - _TOLERANCE <= line.y <= high + _TOLERANCE and line.x <= right]
    if not under:
        return Reference(start, start, address)
    line = min(under, key=lambda line: abs(line.x - left))
    return Reference(line.start, line.end, address)


def _headings(reader: "PdfReader", pages: Sequence[_Page]) -> list[Heading]:
    """Return the outline in the order of the text, one heading a place."""
    found: dict[int, Heading] = {}
    place = 0
    for level, title, number, top in _outline(reader):
        if not 0 <= number < len(pages) or not pages[number].text.strip():
            continue
        page = pages[number]
        start = _place_of(title, page, top, max(place - page.start, 0))
        found.setdefault(start, Heading(level, title, start))
        place = start + 1
    return [found[start] for start in sorted(found)]


def _place_of(title: str, page: _Page, top: float | None, after: int) -> int:
    """Return where a heading begins: where its words begin a line of the page, else the first line at its height."""
    words = r"\s+".join(map(re.escape, title.split()))
    pattern = re.compile(rf"^[ \t]*({words})", re.IGNORECASE | re.MULTILINE)
    match = pattern.search(page.text, after) or pattern.search(page.text)
    if match is not None:
        return page.start + match.start(1)
    if top is not None and (below := [line for line in page.lines if line.y <= top + _TOLERANCE]):
        return max(below, key=lambda line: line.y).start
    return page.start + len(page.text) - len(page.text.lstrip())


def _outline(reader: "PdfReader") -> Iterator[tuple[int, str, int, float | None]]:
    """Yield level, title, page and height of each entry of the outline that points at a page."""
    try:
        waiting: list[tuple[Any, int]] = [(entry, 1) for entry in reversed(reader.outline)]
    except Exception:  # noqa: BLE001 (a damaged outline can raise anything; the text is there)
        return
    count = 0
    while waiting and count < _MOST_HEADINGS:
        entry, level = waiting.pop()
        if isinstance(entry, list):
            waiting.extend((inner, level + 1) for inner in reversed(entry))
            continue
        count += 1
        try:
            title = " ".join(_SURROGATES.sub("\ufffd", str(entry.title)).split())
            number = reader.get_destination_page_number(entry)
            top = None if entry.top is None else float(entry.top)
        except Exception:  # noqa: BLE001, S112 (a damaged entry can raise anything)
            continue
        if title and number is not None:
            yield min(level, _DEEPEST_HEADING), title, number, top


def _title(reader: "PdfReader") -> str | None:
    try:
        title = " ".join(str((reader.metadata and reader.metadata.title) or "").split())
    except Exception:  # noqa: BLE001 (damaged metadata can raise anything)
        return None
    title = _SURROGATES.sub("\ufffd", title)
    return None if not title or _NO_TITLE.match(title) else title
