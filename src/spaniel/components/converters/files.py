"""Files as documents: the converter of each suffix, and compressed files."""

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TextIO, TypeAlias

from spaniel.components.converters._file_converter import build_document
from spaniel.components.converters._rows import Report, Row, csv_rows, jsonl_rows, raise_bad_row, row_documents
from spaniel.components.converters._rst_recognition import declares_rst, is_rst
from spaniel.components.converters.docx import convert_docx
from spaniel.components.converters.html import convert_html
from spaniel.components.converters.markdown import convert_markdown, convert_mdx
from spaniel.components.converters.pypdf import convert_pdf
from spaniel.components.converters.rst import convert_rst, list_labels
from spaniel.dataclasses import Document
from spaniel.errors import ConversionError
from spaniel.text.converted_text import ConvertedText
from spaniel.text.decoding import decode, open_text
from spaniel.text.link_resolver import LinkResolver
from spaniel.text.plain_text import convert_text

TextFunction: TypeAlias = Callable[[str], ConvertedText]
BinaryFunction: TypeAlias = Callable[[bytes, str], ConvertedText]

_MAX_UNPACKED = 512 * 1024 * 1024

CONVERTERS: dict[str, TextFunction] = {
    **dict.fromkeys((".md", ".markdown", ".mkd", ".mkdn", ".mdown", ".mdwn", ".qmd", ".rmd"), convert_markdown),
    ".mdx": convert_mdx,
    ".rst": convert_rst,
    **dict.fromkeys((".html", ".htm", ".xhtml"), convert_html),
    **dict.fromkeys((".txt", ".text", ".debian", ""), convert_text),  # also README.Debian, README, LICENSE
}
"""The converter of text files by suffix, in lower case; ``""`` is for names without a suffix."""

BINARY_CONVERTERS: dict[str, BinaryFunction] = {".pdf": convert_pdf, ".docx": convert_docx}
"""The converter of binary files by suffix; it takes the bytes, and the file's name for error
messages.
"""

_JSONL_SUFFIXES = (".jsonl", ".ndjson")
_CSV_SUFFIXES = (".csv", ".tsv")
_ROW_SUFFIXES = (*_JSONL_SUFFIXES, *_CSV_SUFFIXES)
ROW_FILES = [*_ROW_SUFFIXES, *(f"{suffix}.gz" for suffix in _ROW_SUFFIXES)]
"""The ends of the names of files whose documents are rows."""


def _suffix(name: str) -> str:
    """Return the suffix that decides how a file is read; ``_sources/a.rst.txt`` is a ``.rst`` file."""
    suffixes = [suffix.lower() for suffix in PurePosixPath(name.removesuffix(".gz")).suffixes]
    if suffixes[-1:] == [".txt"] and suffixes[-2:-1] in ([".rst"], [".md"]):
        suffixes.pop()
    last = suffixes[-1] if suffixes else ""
    known = last in CONVERTERS or last in BINARY_CONVERTERS or last in _ROW_SUFFIXES
    return last if known or ".debian" not in suffixes else ".debian"  # changelog.Debian.amd64


def converter_for(name: str) -> TextFunction | BinaryFunction | None:
    """Return the function that converts a file to a single document; ``.gz`` is ignored.

    >>> converter_for("README.gz") is converter_for("changelog.Debian.amd64.gz") is convert_text
    True
    """
    return CONVERTERS.get(_suffix(name)) or BINARY_CONVERTERS.get(_suffix(name))


def find_kind(file: Path) -> str | None:
    """Return the suffix whose converter reads a file, if a ``conf.py`` of Sphinx gives it another."""
    return ".rst" if converter_for(file.name) is convert_text and declares_rst(file) else None


def list_suffixes() -> set[str]:
    """Return the suffixes of all files that are read."""
    return {*CONVERTERS, *BINARY_CONVERTERS, *_ROW_SUFFIXES}


def holds_rows(name: str, *, kind: str | None = None) -> bool:
    """Return if `convert_rows` reads a file; a suffix ``.gz`` is ignored.

    :param kind: a suffix in place of the file's own.

    >>> holds_rows("corpus.jsonl.gz"), holds_rows("notes.md")
    (True, False)
    """
    return (kind or _suffix(name)) in _ROW_SUFFIXES


def convert_rows(
    path: Path,
    relative: str,
    *,
    text_field: str | None = None,
    id_field: str | None = None,
    kind: str | None = None,
    report: Report | None = None,
    check: Callable[[Document], None] | None = None,
) -> Iterator[Document]:
    """Yield the document of each row of a JSONL or CSV file, which is read line by line.

    The text is the first of the fields ``content``, ``text`` and ``body``, or the ``title`` if it
    is empty. The id is ``id`` or ``_id``, else it is computed from the content and metadata. The
    entries of a dictionary ``meta`` or ``metadata`` and all other fields are metadata, with their
    types. A field ``path`` becomes ``row_path``, since ``path`` is the file's; ``source_lines``
    has the lines of the row, as `build_document` describes it.

    :param path: the file; it may be compressed as ``.gz``.
    :param relative: its path in the indexed folder, with ``/``: the ``path`` of the documents.
    :param text_field: the only field of the text.
    :param id_field: the only field of the id.
    :param kind: a suffix in place of the file's own, such as ``.csv``.
    :param report: called with each row that cannot become a document; None raises an error for the
        first one.
    :param check: raises ValueError for an unwanted document; its row is reported.
    :raises ConversionError: the file cannot be read, is binary, has no column for the text, or is
        not a file of rows.
    """
    if not holds_rows(relative, kind=kind):
        raise ConversionError(f"{relative}: files of rows are those that end in {', '.join(_ROW_SUFFIXES)}.")
    report = report or partial(raise_bad_row, relative)
    try:
        with open_file(path) as file, open_text(file, relative) as text:
            rows = _read_rows(text, relative, kind or _suffix(relative), text_field, report)
            yield from row_documents(
                rows, relative, report, text_field=text_field, id_field=id_field, check=check, with_lines=True
            )
    except (OSError, EOFError, zlib.error) as error:
        raise _build_read_error(relative, error) from error


def _read_rows(file: TextIO, relative: str, kind: str, text_field: str | None, report: Report) -> Iterator[Row]:
    if kind in _JSONL_SUFFIXES:
        return jsonl_rows(file, report)
    delimiter = "\t" if kind == ".tsv" else None
    return csv_rows(file, report, name=relative, delimiter=delimiter, text_field=text_field)


def convert_file(
    path: Path, relative: str, resolver: LinkResolver | None = None, *, report: Callable[[str], None] | None = None
) -> Document:
    """Return the document of a file, input of `SectionSplitter`.

    :param resolver: resolver of links; without it every relative target inside the folder counts as
        a link.
    :param report: called with each problem of the file, such as a malformed front matter or a
        warning of pypdf; None logs problems as warnings.
    :raises ConversionError: the file cannot be read, is binary, contains no text, or has an unknown
        suffix.
    """
    try:
        data = read_bytes(path)
    except (OSError, ConversionError) as error:
        raise _build_read_error(relative, error) from error
    document = convert_bytes(data, relative, resolver, report=report, kind=find_kind(path))
    if not (document.content or "").strip():
        raise ConversionError(f"{relative} holds no text.")
    return document


def _build_read_error(relative: str, error: Exception) -> ConversionError:
    return ConversionError(f"{relative} can't be read: {getattr(error, 'strerror', None) or error}.")


def convert_bytes(
    data: bytes,
    relative: str,
    resolver: LinkResolver | None = None,
    *,
    report: Callable[[str], None] | None = None,
    kind: str | None = None,
) -> Document:
    """Return the document of a file's bytes, as `convert_file` does; its content may be empty.

    :param kind: a suffix in place of the file's own, such as ``.rst``.
    :raises ConversionError: the bytes are damaged, or binary instead of text; the suffix is
        unknown; or a required package is not installed.
    """
    converted, _ = convert_with_labels(data, relative, kind=kind)
    return build_document(converted, relative, resolver=resolver, report=report)


def convert_with_labels(
    data: bytes, relative: str, *, kind: str | None = None
) -> tuple[ConvertedText, Callable[[], dict[str, str]]]:
    """Return a file's text with its structure, and a function that returns its `labels_of`.

    :param kind: a suffix in place of the file's own, such as ``.rst``; its text is not recognised.
    :raises ConversionError: as in `convert_bytes`.
    """
    suffix = kind or _suffix(relative)
    if suffix in BINARY_CONVERTERS:
        return BINARY_CONVERTERS[suffix](data, relative), dict
    if suffix not in CONVERTERS:
        known = ", ".join(suffix for suffix in (*CONVERTERS, *BINARY_CONVERTERS) if suffix)
        raise ConversionError(
            f"{relative}: no converter reads this kind of file. Those that are read: {known}, and names without a suffix."
        )
    text = decode(data, relative)
    converted = (CONVERTERS[suffix] if kind else _text_converter(suffix, text))(text)
    return converted, partial(list_labels, converted, relative)


def _text_converter(suffix: str, text: str) -> TextFunction:
    convert = CONVERTERS[suffix]
    return _convert_recognised_rst if convert is convert_text and is_rst(text) else convert


def _convert_recognised_rst(text: str) -> ConvertedText:
    converted = convert_rst(text)
    return converted if converted.text.strip() else convert_text(text)  # it has definitions only


def labels_of(text: str, relative: str) -> dict[str, str]:
    r"""Return the labels and anchors of a file beside its sections, for `LinkResolver`.

    >>> labels_of(".. _intro:\n\nWelcome\n=======\n", "start.rst")
    {'intro': 'start.rst#intro', 'start.rst#welcome': 'start.rst#intro'}
    >>> labels_of('<h1 id="top">Guide</h1><p id="note">Mind.', "guide.html")
    {'guide.html#note': 'guide.html#top'}
    """
    suffix = _suffix(relative)
    return list_labels(_text_converter(suffix, text)(text), relative) if suffix in CONVERTERS else {}


def open_file(file: Path) -> gzip.GzipFile | io.BufferedReader:
    """Open a file for reading; a ``.gz`` file is unpacked as it is read."""
    return gzip.GzipFile(file) if file.suffix == ".gz" else file.open("rb")


@contextmanager
def open_unpacked(file: Path) -> Iterator[gzip.GzipFile | io.BufferedReader]:
    """Open a file as `open_file` does, and report a damaged ``.gz`` file as a `ConversionError`."""
    try:
        with open_file(file) as data:
            yield data
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ConversionError(f"damaged .gz file: {error}") from error


def read_bytes(file: Path) -> bytes:
    """Return the bytes of a file; a ``.gz`` file is unpacked, up to 512 MiB."""
    if file.suffix != ".gz":
        return file.read_bytes()
    with open_unpacked(file) as packed:
        data = packed.read(_MAX_UNPACKED + 1)
    if len(data) > _MAX_UNPACKED:
        raise ConversionError("it unpacks to more than 512 MiB")
    return data
