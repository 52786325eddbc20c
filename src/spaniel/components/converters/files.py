"""Files as documents: which converter reads which file."""

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TextIO

from spaniel.components.converters._documents import document_of
from spaniel.components.converters._docx_text import convert_docx
from spaniel.components.converters._pdf_text import convert_pdf
from spaniel.components.converters._rows import (
    TEXT_FIELDS,
    BadRow,
    Report,
    Row,
    csv_rows,
    jsonl_rows,
    raising,
    row_documents,
)
from spaniel.components.converters.html import convert_html
from spaniel.components.converters.markdown import convert_markdown
from spaniel.components.converters.rst import convert_rst
from spaniel.components.converters.txt import convert_text
from spaniel.dataclasses import Document
from spaniel.errors import ConversionError
from spaniel.text.converted_text import ConvertedText
from spaniel.text.decoding import decode, open_text
from spaniel.text.link_resolver import LinkResolver
from spaniel.text.rst_labels import rst_labels

__all__ = [
    "BINARY_CONVERTERS",
    "CONVERTERS",
    "BadRow",
    "convert_bytes",
    "convert_file",
    "convert_rows",
    "converter_for",
    "holds_rows",
    "labels_of",
    "open_unpacked",
    "read_bytes",
]

_MAX_UNPACKED = 512 * 1024 * 1024

CONVERTERS: dict[str, Callable[[str], ConvertedText]] = {
    ".md": convert_markdown,
    ".markdown": convert_markdown,
    ".rst": convert_rst,
    ".html": convert_html,
    ".htm": convert_html,
    ".xhtml": convert_html,
    ".txt": convert_text,
    ".text": convert_text,
    ".debian": convert_text,  # README.Debian, NEWS.Debian, ...
    "": convert_text,  # README, LICENSE, ...
}
"""The converter of each suffix of text files, in lower case; ``""`` is for names without one."""

BINARY_CONVERTERS: dict[str, Callable[[bytes, str], ConvertedText]] = {".pdf": convert_pdf, ".docx": convert_docx}
"""The converter of each suffix of other files; it takes the bytes, and what to call the file in an error."""


def _rows_of_table(file: TextIO, relative: str, text_field: str | None, report: Report) -> Iterator[Row]:
    delimiter = "\t" if _suffix(relative) == ".tsv" else None
    needed = TEXT_FIELDS if text_field is None else (text_field,)
    return csv_rows(file, report, name=relative, delimiter=delimiter, needed=needed)


_ROWS: dict[str, Callable[[TextIO, str, str | None, Report], Iterator[Row]]] = {
    **dict.fromkeys((".jsonl", ".ndjson"), lambda file, _, __, report: jsonl_rows(file, report)),
    **dict.fromkeys((".csv", ".tsv"), _rows_of_table),
}


def _suffix(name: str) -> str:
    suffixes = [suffix.lower() for suffix in PurePosixPath(name.removesuffix(".gz")).suffixes]
    last = suffixes[-1] if suffixes else ""
    known = last in CONVERTERS or last in BINARY_CONVERTERS or last in _ROWS
    return last if known or ".debian" not in suffixes else ".debian"  # changelog.Debian.amd64


def converter_for(name: str) -> Callable[[str], ConvertedText] | Callable[[bytes, str], ConvertedText] | None:
    """Return what converts a file of this name into one document, or None; ``.gz`` behind the name does not count.

    >>> converter_for("README.gz") is converter_for("changelog.Debian.amd64.gz") is convert_text
    True
    """
    return CONVERTERS.get(_suffix(name)) or BINARY_CONVERTERS.get(_suffix(name))


def holds_rows(name: str) -> bool:
    """Return whether a file of this name is one of rows, for `convert_rows`; ``.gz`` behind the name does not count.

    >>> holds_rows("corpus.jsonl.gz"), holds_rows("notes.md")
    (True, False)
    """
    return _suffix(name) in _ROWS


def convert_rows(
    path: Path,
    relative: str,
    *,
    text_field: str | None = None,
    id_field: str | None = None,
    report: Report | None = None,
    check: Callable[[Document], None] | None = None,
) -> Iterator[Document]:
    """Yield one document a row of a JSONL or CSV file, which is read line by line.

    The text is the first of ``content``, ``text`` and ``body`` that is there, the ``title`` where it is empty; the id ``id``
    or ``_id``, else it is made from the rest. The fields of a dictionary ``meta`` or ``metadata`` and all other fields are metadata,
    with their types. A field ``path`` becomes ``row_path``, as ``path`` is the file's.

    :param path: the file; it may be compressed as ``.gz``.
    :param relative: its path in the indexed folder, with ``/``: the ``path`` of the documents.
    :param text_field: the only field that is the text.
    :param id_field: the only field that is the id.
    :param report: is told of each row that no document could be made of; None: the first one is an error.
    :param check: raises a ValueError for a document that is not wanted; its row is reported.
    :raises ConversionError: the file can't be read, is binary, has no column for the text, or a suffix for no rows.
    """
    rows_of = _ROWS.get(_suffix(relative))
    if rows_of is None:
        raise ConversionError(f"{relative}: files of rows are those that end in {', '.join(_ROWS)}.")
    report = report or raising(relative)
    try:
        with open_file(path) as file, open_text(file, relative) as text:
            rows = rows_of(text, relative, text_field, report)
            yield from row_documents(rows, relative, report, text_field=text_field, id_field=id_field, check=check)
    except (OSError, EOFError, zlib.error) as error:
        raise ConversionError(f"{relative} can't be read: {getattr(error, 'strerror', None) or error}.") from error


def convert_file(path: Path, relative: str, resolver: LinkResolver | None = None) -> Document:
    """Return the document of a file, ready for `SectionSplitter`.

    :param path: the file; it may be compressed as ``.gz``.
    :param relative: its path in the indexed folder, with ``/``: the ``path`` of the document.
    :param resolver: knows the folder's files; without it every relative target inside the folder counts as a link.
    :raises ConversionError: the file can't be read, is binary, holds no text, or has a suffix that no converter reads.
    """
    try:
        data = read_bytes(path)
    except (OSError, ConversionError) as error:
        raise ConversionError(f"{relative} can't be read: {getattr(error, 'strerror', None) or error}.") from error
    document = convert_bytes(data, relative, resolver)
    if not (document.content or "").strip():
        raise ConversionError(f"{relative} holds no text.")
    return document


def convert_bytes(data: bytes, relative: str, resolver: LinkResolver | None = None) -> Document:
    """Return the document of a file's bytes, as `convert_file` does; its content may be empty.

    :raises ConversionError: they are damaged, or binary where they should be text; the file has a suffix that no converter
        reads; or it needs a package that is not installed.
    """
    if (convert_binary := BINARY_CONVERTERS.get(_suffix(relative))) is not None:
        return document_of(convert_binary(data, relative), relative, resolver=resolver)
    convert = CONVERTERS.get(_suffix(relative))
    if convert is None:
        known = ", ".join(suffix for suffix in (*CONVERTERS, *BINARY_CONVERTERS) if suffix)
        raise ConversionError(
            f"{relative}: no converter reads this kind of file. Those that are read: {known}, and names without a suffix."
        )
    return document_of(convert(decode(data, relative)), relative, resolver=resolver)


def labels_of(text: str, relative: str) -> dict[str, str]:
    r"""Return the named places of a file, for `LinkResolver`: what other files may link to beside its sections.

    :param text: the source of the file, decoded.
    :param relative: its path in the indexed folder.

    >>> labels_of(".. _intro:\n\nWelcome\n=======\n", "start.rst")
    {'intro': 'start.rst#intro', 'start.rst#welcome': 'start.rst#intro'}
    >>> labels_of('<h1 id="top">Guide</h1><p id="note">Mind.', "guide.html")
    {'guide.html#note': 'guide.html#top'}
    """
    convert = CONVERTERS.get(_suffix(relative))
    if convert is convert_rst:
        return rst_labels(text, relative)
    if convert is convert_html or (convert is convert_markdown and _may_name_places(text)):
        converted = convert(text)
        own = set(converted.slugs)
        return {
            f"{relative}#{alias}": f"{relative}#{slug}" if slug else relative
            for alias, slug in converted.aliases.items()
            if alias not in own
        }
    return {}


def _may_name_places(text: str) -> bool:
    return "id=" in text or "name=" in text


def open_file(file: Path) -> gzip.GzipFile | io.BufferedReader:
    """Return a file, open to be read; a ``.gz`` file is unpacked as it is read.

    :raises OSError: it can't be opened. To read from a damaged ``.gz`` file raises OSError, EOFError or `zlib.error`.
    """
    return gzip.GzipFile(file) if file.suffix == ".gz" else file.open("rb")


@contextmanager
def open_unpacked(file: Path) -> Iterator[gzip.GzipFile | io.BufferedReader]:
    """Open a file as `open_file` does; damage is told as such.

    :raises OSError: it can't be read.
    :raises ConversionError: it is a damaged ``.gz`` file.
    """
    try:
        with open_file(file) as data:
            yield data
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ConversionError(f"damaged .gz file: {error}") from error


def read_bytes(file: Path) -> bytes:
    """Return the bytes of a file; those of a ``.gz`` file unpacked.

    :raises OSError: it can't be read.
    :raises ConversionError: it is a damaged ``.gz`` file, or unpacks to more than 512 MiB.
    """
    if file.suffix != ".gz":
        return file.read_bytes()
    with open_unpacked(file) as packed:
        data = packed.read(_MAX_UNPACKED + 1)
    if len(data) > _MAX_UNPACKED:
        raise ConversionError("it unpacks to more than 512 MiB")
    return data
