"""Word files as documents."""

import io
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import date
from typing import TYPE_CHECKING, Literal

from spaniel.components.converters._docx_blocks import (
    DOCXForm,
    DOCXState,
    DOCXWriter,
    find_related,
    list_headers,
    read_part,
)
from spaniel.components.converters._docx_styles import ParagraphStyles, W
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
from spaniel.text.converted_text import ConvertedText

if TYPE_CHECKING:
    from docx.document import Document as DocxDocument

__all__ = ["DOCXLinkFormat", "DOCXMetadata", "DOCXTableFormat", "DOCXToDocument", "convert_docx"]

DOCXLinkFormat = LinkFormat

_MAX_UNPACKED = 512 * 1024 * 1024  # bytes


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
            form=DOCXForm(self.table_format.value, self.link_format, is_complete=False),
            properties=True,
        )
        return [build_document(converted, source.path, meta=source.meta)]


def convert_docx(
    data: bytes, name: str = "The file", *, form: DOCXForm | None = None, properties: bool = False
) -> ConvertedText:
    r"""Return the text of a Word file with its headings and links.

    Each paragraph is a line, and so is each row of a table. Headings are paragraphs in heading
    styles or with an outline level, also in tables. ``\f`` marks the end of a page where Word
    recorded it. Tracked insertions are included, deletions are not. Notes, comments, headers and
    footers follow the text; a table of contents is left out.
    """
    docx = import_package("docx", name)
    form = form or DOCXForm()
    with translate_errors(name, "DOCX"):
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            unpacked = sum(entry.file_size for entry in packed.infolist())  # zipfile unpacks no more than declared
        if unpacked > _MAX_UNPACKED:
            raise ConversionError(f"{name} unpacks to more than {_MAX_UNPACKED // 1024**2} MiB.")
        document = docx.Document(io.BytesIO(data))
        writer = _write_document(document, form)
        core = {field.name: getattr(document.core_properties, field.name) for field in fields(DOCXMetadata)}
    title = writer.title or " ".join(str(core["title"] or "").split())
    shown = {name: value.isoformat() if isinstance(value, date) else value for name, value in core.items()}
    return writer.build(title or None, {"docx": shown} if properties else {})


def _write_document(document: "DocxDocument", form: DOCXForm) -> DOCXWriter:
    main = document.part
    roots = [next(map(read_part, find_related(main, kind)), None) for kind in ("styles", "numbering")]
    writer = DOCXWriter(main, state := DOCXState(ParagraphStyles(*roots), form))
    writer.write_blocks(document.element.body)
    for kind in ("footnote", "endnote", "comment"):
        for part in find_related(main, f"{kind}s"):
            writer.part = part
            for note in read_part(part).findall(W + kind):
                if label := state.notes.get((kind, note.get(f"{W}id", ""))):
                    writer.write_note(note, label)
    if form.is_complete:
        for part in list_headers(main):
            writer.part = part
            writer.write_header(read_part(part))
    return writer
