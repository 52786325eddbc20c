"""Rows of a table or of JSON lines, one document each. Files are read line by line, never whole."""

import csv
import json
import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, TextIO

from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.errors import ConversionError
from spaniel.text.csv_limits import allow_long_cells

logger = logging.getLogger(__name__)

TEXT_FIELDS = ("content", "text", "body")
ID_FIELDS = ("id", "_id")
META_FIELDS = ("meta", "metadata")

_LONGEST_LINE = 64 * 1024 * 1024  # characters
_DEEPEST = 100
_DELIMITERS = ",;\t|"
_UNDECODED = re.compile("[\ud800-\udfff]")  # what stands for bytes that are no UTF-8


class BadRow(NamedTuple):
    """A row that no document could be made of: the number of its line, from 1, and the reason."""

    line: int
    reason: str


Report = Callable[[BadRow], None]
Row = tuple[int, Mapping[str, Any]]
"""A row and the number of the line where it begins."""


def raising(name: str) -> Report:
    """Return a report that raises.

    :param name: what the file is called in the error.
    """

    def report(bad: BadRow) -> None:
        raise ConversionError(f"{name}, line {bad.line}: {bad.reason}.")

    return report


def reporting(name: str) -> Report:
    """Return a report that writes warnings to the log.

    :param name: what the file is called in them.
    """

    def report(bad: BadRow) -> None:
        logger.warning("%s, line %s is left out: %s.", name, bad.line, bad.reason)

    return report


def row_documents(
    rows: Iterator[Row],
    path: str | None,
    report: Report,
    *,
    text_field: str | None = None,
    id_field: str | None = None,
    meta: Mapping[str, Any] | None = None,
    check: Callable[[Document], None] | None = None,
) -> Iterator[Document]:
    """Yield one document a row.

    The text is the first of ``content``, ``text`` and ``body`` that is there; where it is empty, the ``title``. The id is ``id`` or ``_id``, else it is made from the rest. The fields of a dictionary ``meta`` or
    ``metadata`` and all other fields are the metadata, with the types they have; a field of the row wins.

    :param path: of the file: the ``path`` of the documents. A field ``path`` of a row becomes ``row_path``.
    :param report: is told of rows without text, and of texts and ids of another type.
    :param text_field: the only field that is the text.
    :param id_field: the only field that is the id.
    :param meta: more metadata; it wins.
    :param check: raises a ValueError for a document that is not wanted; its row is reported.
    """
    text_fields = TEXT_FIELDS if text_field is None else (text_field,)
    id_fields = ID_FIELDS if id_field is None else (id_field,)
    for line, row in rows:
        try:
            document = _document(row, path, text_fields, id_fields, meta or {})
            if check is not None:
                check(document)
        except ValueError as error:
            report(BadRow(line, str(error)))
        else:
            yield document


def _document(
    row: Mapping[str, Any],
    path: str | None,
    text_fields: Sequence[str],
    id_fields: Sequence[str],
    more: Mapping[str, Any],
) -> Document:
    text_key, text = _text(row, text_fields)
    id_key, id = _id(row, id_fields)
    merged = [key for key in META_FIELDS if isinstance(row.get(key), dict) and key not in (text_key, id_key)]
    meta: dict[str, Any] = {}
    for key in merged:
        meta |= row[key]
    meta |= {key: value for key, value in row.items() if key not in (text_key, id_key, *merged)}
    if path is not None:
        if meta.get("path", path) != path:
            meta["row_path"] = meta["path"]
        meta["path"] = path
    meta |= copy_value(dict(more))
    return Document(content=text, meta=meta) if id is None else Document(id=id, content=text, meta=meta)


def _text(row: Mapping[str, Any], fields: Sequence[str]) -> tuple[str, str]:
    """Return the field that holds the text, and the text."""
    key = next((field for field in fields if row.get(field) is not None), None)
    if key is None:
        raise ValueError(
            f"it has no {_either(fields)}, only {_listed(row)}; name the field with the text with text_field"
        )
    if not isinstance(row[key], str):
        raise ValueError(f"its '{key}' is of the type {type(row[key]).__name__}, not a text")
    text: str = row[key]
    if not text.strip():
        title = row.get("title")
        if not isinstance(title, str) or not title.strip():
            raise ValueError(f"its '{key}' is empty")
        text = title
    return key, text


def _id(row: Mapping[str, Any], fields: Sequence[str]) -> tuple[str | None, str | None]:
    """Return the field that holds the id, and the id; None where the row has none."""
    key = next((field for field in fields if row.get(field) not in (None, "")), None)
    if key is None:
        return next((field for field in fields if field in row), None), None
    if not isinstance(row[key], (str, int)) or isinstance(row[key], bool):
        raise ValueError(f"its '{key}' is of the type {type(row[key]).__name__}; an id is a text or a whole number")
    return key, str(row[key])


def _either(fields: Sequence[str]) -> str:
    *others, last = (f"'{field}'" for field in fields)
    return f"{', '.join(others)} or {last}" if others else last


def _listed(fields: Mapping[str, Any] | Sequence[str]) -> str:
    names = ", ".join(f"'{field}'" for field in fields) or "nothing"
    return names if len(names) <= 300 else f"{names[:300]}..."


def jsonl_rows(file: TextIO, report: Report) -> Iterator[Row]:
    r"""Yield the objects of a file of JSON lines; empty lines are passed over.

    :param file: the text, bytes that are no UTF-8 as lone surrogates.
    :param report: is told of lines that hold no JSON object.

    >>> import io
    >>> list(jsonl_rows(io.StringIO('{"id": 1}\n\n[2]\n'), print))
    BadRow(line=3, reason='it holds a list, not an object')
    [(1, {'id': 1})]
    """
    for number, line in _lines(file, report):
        try:
            row = _json_object(line) if line.strip() else None
        except (ValueError, RecursionError) as error:
            report(BadRow(number, str(error)))
            continue
        if row is not None:
            yield number, row


def _lines(file: TextIO, report: Report) -> Iterator[tuple[int, str]]:
    number = 0
    while line := file.readline(_LONGEST_LINE):
        number += 1
        if len(line) < _LONGEST_LINE or line.endswith("\n"):
            yield number, line
            continue
        while line and not line.endswith("\n"):
            line = file.readline(_LONGEST_LINE)
        report(BadRow(number, f"it is longer than {_LONGEST_LINE:,} characters"))


def _json_object(line: str) -> dict[str, Any]:
    if not line.isascii() and _UNDECODED.search(line):
        raise ValueError("it is not in UTF-8")
    if line.count("[") + line.count("{") > _DEEPEST and _depth(line) > _DEEPEST:
        raise ValueError(f"it is nested more than {_DEEPEST} levels deep")
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"it is no JSON: {error.msg}, at character {error.colno}") from error
    if not isinstance(row, dict):
        raise ValueError(f"it holds a {type(row).__name__}, not an object")
    if "\\u" in line and _UNDECODED.search(json.dumps(row, ensure_ascii=False)):
        raise ValueError("it holds half a character, such as \\ud83d alone")
    return row


def _depth(line: str) -> int:
    """Return how deep the brackets go; those inside of strings count, so it is never less than the truth."""
    deepest = depth = 0
    for sign in re.finditer(r"[\[{\]}]", line):
        depth += 1 if sign.group() in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def csv_rows(
    file: TextIO,
    report: Report,
    *,
    name: str = "The file",
    delimiter: str | None = None,
    quotechar: str = '"',
    needed: Sequence[str] = (),
) -> Iterator[Row]:
    r"""Yield the rows of a table by the names in its first line; all values are text.

    :param file: the text, opened with ``newline=""``, bytes that are no UTF-8 as lone surrogates.
    :param report: is told of rows with too many values, and of those that can't be parsed.
    :param name: what to call the file in an error.
    :param delimiter: what stands between values; None: the sign among ``,`` ``;`` tab and ``|`` that the first line has most.
    :param quotechar: what stands around values with a delimiter or a line break in them.
    :param needed: columns of which one must be there.
    :raises ConversionError: none of these columns is there.

    >>> import io
    >>> list(csv_rows(io.StringIO('name;age\n"A; B";7\n'), print))
    [(2, {'name': 'A; B', 'age': '7'})]
    """
    allow_long_cells()
    first = file.readline()
    reader = csv.reader(
        chain([first], file) if first else file, delimiter=delimiter or _delimiter_of(first), quotechar=quotechar
    )
    columns = _distinct([column.strip() for column in next(reader, [])])
    if needed and not set(needed) & set(columns):
        raise ConversionError(
            f"{name} has no column {_either(needed)}, only {_listed(columns)}; name the column with the text with text_field."
        )
    for line, values in _parsed(reader, report):
        if _UNDECODED.search("".join(values)):
            report(BadRow(line, "it is not in UTF-8"))
        elif any(values[len(columns) :]):
            report(BadRow(line, f"it has {len(values)} values for {len(columns)} columns"))
        elif any(values):
            yield line, dict(zip(columns, values, strict=False))


def _parsed(reader: Any, report: Report) -> Iterator[tuple[int, list[str]]]:
    while True:
        line = reader.line_num + 1
        try:
            yield line, next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            report(BadRow(line, f"it can't be parsed: {error}"))


def _delimiter_of(first_line: str) -> str:
    return max(_DELIMITERS, key=first_line.count)


def _distinct(columns: Sequence[str]) -> list[str]:
    """Return the names, repeated ones numbered: ``name``, ``name_2``."""
    names: list[str] = []
    for column in columns:
        number, name = 1, column
        while name in names:
            number += 1
            name = f"{column}_{number}"
        names.append(name)
    return names
