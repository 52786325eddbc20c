"""PDF files as documents."""

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate
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
from spaniel.components.converters._pdf_structure import OutlineEntry, PDFLink, locate_headings, locate_links
from spaniel.components.converters._pdfium import open_pdf, read_outline, read_page, read_title
from spaniel.components.converters.utils import LinkFormat, LinkFormatName
from spaniel.components.option_enum import OptionEnum
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.errors import ConversionError
from spaniel.text.converted_text import ConvertedText, Heading, Reference
from spaniel.text.decoding import replace_surrogates
from spaniel.text.divided_words import join_divided_words
from spaniel.text.slugs import github_slug, unique_slugs

if TYPE_CHECKING:
    from pypdf import PdfReader

__all__ = ["PyPDFExtractionMode", "PyPDFToDocument", "convert_pdf"]

Extraction: TypeAlias = Mapping[str, Any]
"""Options of pypdf's ``extract_text``."""

_MAX_CHARACTERS = 100_000_000
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
        with capture_warnings("pypdf", "fontTools") as warnings:
            pages, problems = _extract_with_pypdf(source.data, source.name, extraction)
        problems += warnings
        structure = None
        with suppress(ConversionError):  # pypdf reads damaged files that pdfium rejects: without structure
            structure = _read_with_pdfium(source.data, source.name)
            if self.link_format is not LinkFormat.NONE:
                pages = _append_links(pages, structure.links, self.link_format)
        converted = _build(pages, structure, problems)
        if not converted.text.strip():
            converted.problems.append("it holds no text; it may be a scan")
        return [build_document(converted, source.path, meta=source.meta)]


class _Structure(NamedTuple):
    """The content of a file as pdfium reads it."""

    pages: list[str]
    outline: list[OutlineEntry]
    links: list[PDFLink]
    title: str
    problems: list[str]


def convert_pdf(data: bytes, name: str = "The file") -> ConvertedText:
    r"""Return the text of a PDF with its headings and links, with ``\f`` between pages.

    The headings are the outline (bookmarks), each placed at its words on the page, else at the
    outline's destination. A link to the web has the words under its rectangle. Words that were
    divided at the end of a line are joined. Pages without text, such as scans, are empty.
    """
    structure = _read_with_pdfium(data, name)
    return _build(list(map(join_divided_words, structure.pages)), structure, structure.problems)


def _read_with_pdfium(data: bytes, name: str) -> _Structure:
    pages: list[str] = []
    links: list[PDFLink] = []
    problems: list[str] = []
    length = 0
    with open_pdf(data, name) as document:
        for number in range(len(document)):
            text = ""
            try:
                page = document[number]
                text, found = read_page(page, number)
                links += found
                page.close()
            except Exception as error:  # noqa: BLE001 (a damaged page can raise anything; the others are kept)
                problems.append(f"page {number + 1} can't be read: {shorten_message(error)}")
            pages.append(text)
            length = _check_length(length + len(text), name)
        outline: list[OutlineEntry] = []
        title = ""
        with suppress(Exception):  # a damaged outline or title; the text is there
            title = read_title(document)
            outline.extend(read_outline(document))
    return _Structure(pages, outline, links, title, problems)


def _extract_with_pypdf(data: bytes, name: str, extraction: Extraction) -> tuple[list[str], list[str]]:
    pypdf = import_package("pypdf", name)
    with translate_errors(name, "PDF"):
        reader: PdfReader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise ConversionError(f"{name} is encrypted: save it without a password.")
        found = list(reader.pages)
    pages: list[str] = []
    problems: list[str] = []
    length = 0
    for number, page in enumerate(found, 1):
        try:
            text = replace_surrogates(page.extract_text(**extraction)).replace("\f", "\n")
        except Exception as error:  # noqa: BLE001 (a damaged page can raise anything; the others are kept)
            problems.append(f"page {number} can't be read: {shorten_message(error)}")
            text = ""
        pages.append(text)
        length = _check_length(length + len(text), name)
    return pages, problems


def _check_length(length: int, name: str) -> int:
    if length > _MAX_CHARACTERS:
        raise ConversionError(f"{name} has more than {_MAX_CHARACTERS:,} characters.")
    return length


def _append_links(pages: Sequence[str], links: Sequence[PDFLink], link_format: LinkFormat) -> list[str]:
    """Return the pages with the addresses of their links below their text, as in Haystack."""
    addresses: dict[int, list[str]] = {}
    for link in links:
        addresses.setdefault(link.page, []).append(link_format.write(link.address, link.address))
    return ["\n\n".join([text, *filter(None, ["\n".join(addresses.get(at, []))])]) for at, text in enumerate(pages)]


def _build(pages: Sequence[str], structure: _Structure | None, problems: list[str]) -> ConvertedText:
    starts = [0, *accumulate(len(page) + 1 for page in pages)]
    headings: list[Heading] = []
    references: list[Reference] = []
    if structure is not None:
        headings = locate_headings(structure.outline, pages, starts)
        references = locate_links([link for link in structure.links if link.page < len(pages)], pages, starts)
    title = structure.title if structure is not None else ""
    return ConvertedText(
        text="\f".join(pages),
        title=None if not title or _PLACEHOLDER.match(title) else title,
        headings=headings,
        slugs=unique_slugs(github_slug(heading.title) for heading in headings),
        references=references,
        problems=problems,
        has_pages=True,
    )
