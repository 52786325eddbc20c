"""The pages, outline and links of a PDF, as pdfium reads them.

pdfium is not safe for threads: all calls hold one lock.
"""

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from spaniel.components.converters._file_converter import import_package, translate_errors
from spaniel.components.converters._pdf_structure import OutlineEntry, PDFLink
from spaniel.errors import ConversionError
from spaniel.text.decoding import replace_surrogates

PdfiumObject: TypeAlias = Any
"""An object of pypdfium2, which has no types."""

_lock = threading.Lock()
_MAX_ENTRIES = 20_000
_MAX_LEVEL = 12
_MAX_LINKS = 10_000  # a page
_LINE_HEIGHT = 30  # points below the destination of an entry
_TOLERANCE = 3
_TEX_LIGATURES = {0x0B: "ff", 0x0C: "fi", 0x0E: "ffi", 0x0F: "ffl"}  # in TeX's own encoding of fonts
_CONTROLS = {code: " " for code in range(32) if code not in (0x09, 0x0A)} | _TEX_LIGATURES | {0x0D: "\n", 0x7F: " "}


@contextmanager
def open_pdf(data: bytes, name: str) -> Iterator[PdfiumObject]:
    """Open a document of pdfium for the calling thread.

    :raises ConversionError: it is encrypted, or is not a PDF.
    """
    pdfium = import_package("pypdfium2", name)
    with _lock:
        with translate_errors(name, "PDF"):
            try:
                document = pdfium.PdfDocument(data)
                num_pages = len(document)
            except pdfium.PdfiumError as error:
                if getattr(error, "err_code", None) == pdfium.raw.FPDF_ERR_PASSWORD:
                    raise ConversionError(f"{name} is encrypted: save it without a password.") from error
                raise
            if not num_pages:
                raise ConversionError(f"{name} can't be read as PDF: it has no pages.")
        try:
            yield document
        finally:
            document.close()


def read_page(page: PdfiumObject, number: int) -> tuple[str, list[PDFLink]]:
    r"""Return the text of a page with ``\n`` between lines, and its links to the web."""
    content = page.get_textpage()
    try:
        text = clean_text(content.get_text_range())
        links = [
            PDFLink(number, _read_words(content, rectangle), address) for rectangle, address in _iterate_links(page)
        ]
    finally:
        content.close()
    return text, links


def clean_text(text: str) -> str:
    """Return a text of pdfium with plain line breaks, and without control characters."""
    return replace_surrogates(text.replace("\r\n", "\n")).translate(_CONTROLS)


def read_outline(document: PdfiumObject) -> Iterator[OutlineEntry]:
    """Yield the entries of the outline that lead to a page; damaged ones are left out."""
    for count, bookmark in enumerate(document.get_toc(max_depth=_MAX_LEVEL)):
        if count >= _MAX_ENTRIES:
            return
        title = " ".join(replace_surrogates(bookmark.get_title()).split())
        destination = bookmark.get_dest()
        number = None if destination is None else destination.get_index()
        if title and number is not None and 0 <= number < len(document):
            yield OutlineEntry(bookmark.level + 1, title, number, _read_words_at(document, number, destination))


def read_title(document: PdfiumObject) -> str:
    """Return the title in the metadata of a file."""
    return " ".join(replace_surrogates(document.get_metadata_value("Title")).split())


def _read_words_at(document: PdfiumObject, number: int, destination: PdfiumObject) -> str:
    """Return the line at a destination, "" if that has no height."""
    mode, view = destination.get_view()
    top = _find_top(mode, view)
    if top is None:
        return ""
    page = document[number]
    content = page.get_textpage()
    try:
        words = _read_words(content, (0.0, top - _LINE_HEIGHT, page.get_width(), top + _TOLERANCE))
    finally:
        content.close()
        page.close()
    return next((line for line in words.split("\n") if line.strip()), "")


def _find_top(mode: int, view: list[float]) -> float | None:
    raw = import_package("pypdfium2.raw", "Reading a PDF")
    at = {raw.PDFDEST_VIEW_XYZ: 1, raw.PDFDEST_VIEW_FITH: 0, raw.PDFDEST_VIEW_FITBH: 0, raw.PDFDEST_VIEW_FITR: 3}.get(
        mode
    )
    top = view[at] if at is not None and at < len(view) else None
    return None if top is None else float(top)


def _read_words(content: PdfiumObject, rectangle: tuple[float, float, float, float]) -> str:
    left, bottom, right, top = rectangle
    return clean_text(content.get_text_bounded(left, bottom, right, top))


def _iterate_links(page: PdfiumObject) -> Iterator[tuple[tuple[float, float, float, float], str]]:
    """Yield the rectangle and address of each annotation that opens a web address."""
    raw = import_package("pypdfium2.raw", "Reading a PDF")
    position, link = ctypes.c_int(0), raw.FPDF_LINK()
    for _ in range(_MAX_LINKS):
        if not raw.FPDFLink_Enumerate(page, ctypes.byref(position), ctypes.byref(link)):
            return
        action = raw.FPDFLink_GetAction(link)
        if not action or raw.FPDFAction_GetType(action) != raw.PDFACTION_URI:
            continue
        rectangle = raw.FS_RECTF()
        size = raw.FPDFAction_GetURIPath(page.pdf, action, None, 0)
        buffer = ctypes.create_string_buffer(size)
        raw.FPDFAction_GetURIPath(page.pdf, action, buffer, size)
        address = buffer.value.decode("utf-8", "replace").strip()
        if address and raw.FPDFLink_GetAnnotRect(link, ctypes.byref(rectangle)):
            low, high = sorted((rectangle.bottom, rectangle.top))
            left, right = sorted((rectangle.left, rectangle.right))
            yield (left, low, right, high), address
