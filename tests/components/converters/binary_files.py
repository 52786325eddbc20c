"""PDF and Word files made for a test."""

import io
from collections.abc import Sequence
from typing import Any

import docx
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from pypdf import PdfWriter
from pypdf.annotations import Link
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

TOP, LEADING = 750, 20


def pdf(
    pages: Sequence[Sequence[str]],
    outline: Sequence[tuple[int, str, int]] = (),
    links: Sequence[tuple[int, int, str]] = (),
    **metadata: str,
) -> bytes:
    """Return a PDF.

    :param pages: their lines, in Latin letters.
    :param outline: level, title and page of each entry.
    :param links: page, line and address of each.
    """
    writer = PdfWriter()
    for lines in pages:
        _write(writer, lines)
    parents: list[Any] = []
    for level, title, page in outline:
        parent = parents[level - 2] if level > 1 else None
        parents[level - 1 :] = [writer.add_outline_item(title=title, page_number=page, parent=parent)]
    for page, line, address in links:
        y = TOP - LEADING * line
        writer.add_annotation(page_number=page, annotation=Link(rect=(50, y - 2, 200, y + 10), url=address))
    if metadata:
        writer.add_metadata({f"/{key}": value for key, value in metadata.items()})
    return saved(writer)


def saved(writer: PdfWriter) -> bytes:
    output = io.BytesIO()
    writer.write(output)
    return output.getvalue()


def _write(writer: PdfWriter, lines: Sequence[str]) -> None:
    page = writer.add_blank_page(600, 800)
    font = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    fonts = DictionaryObject({NameObject("/F1"): _names(font)})
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    shown = " T* ".join(f"({line}) Tj" for line in lines)
    content = DecodedStreamObject()
    content.set_data(f"BT /F1 12 Tf {LEADING} TL 50 {TOP} Td {shown} ET".encode("latin-1"))
    page[NameObject("/Contents")] = writer._add_object(content)


def _names(names: dict[str, str]) -> DictionaryObject:
    return DictionaryObject({NameObject(key): NameObject(value) for key, value in names.items()})


def word_file(document: Any) -> bytes:
    output = io.BytesIO()
    document.save(output)
    return output.getvalue()


def word(*paragraphs: tuple[str, str] | str) -> Any:
    """Return a Word document of paragraphs, each with its style where it has one."""
    document = docx.Document()
    document.core_properties.title = ""
    for paragraph in paragraphs:
        text, style = (paragraph, None) if isinstance(paragraph, str) else paragraph
        document.add_paragraph(text, style)
    return document


def add_link(paragraph: Any, words: str, url: str = "", bookmark: str = "") -> None:
    """Add a link to an address or a bookmark."""
    link = OxmlElement("w:hyperlink")
    if url:
        kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"
        link.set(qn("r:id"), paragraph.part.relate_to(url, kind, is_external=True))
    else:
        link.set(qn("w:anchor"), bookmark)
    run = OxmlElement("w:r")
    text = OxmlElement("w:t")
    text.text = words
    run.append(text)
    link.append(run)
    paragraph._p.append(link)


def add_bookmark(paragraph: Any, name: str) -> None:
    start = OxmlElement("w:bookmarkStart")
    start.set(qn("w:id"), "0")
    start.set(qn("w:name"), name)
    paragraph._p.append(start)


def add_page_end(paragraph: Any) -> None:
    """Add the mark that Word leaves where a page ended when it laid the file out."""
    run = OxmlElement("w:r")
    run.append(OxmlElement("w:lastRenderedPageBreak"))
    paragraph._p.append(run)


def wrap(paragraph: Any, *tags: str) -> None:
    """Put the runs of a paragraph into elements, one inside the other."""
    runs = list(paragraph._p.r_lst)
    inner = paragraph._p
    for tag in tags:
        element = OxmlElement(tag)
        inner.append(element)
        inner = element
    for run in runs:
        inner.append(run)
