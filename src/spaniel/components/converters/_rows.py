"""Rows of tables and of JSON lines as documents. Files are read line by line."""

import csv
import json
import logging
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TextIO, TypeAlias

from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.errors import ConversionError
from spaniel.json_types import Json, JsonObject, Meta
from spaniel.text.csv_limits import raise_field_limit

logger = logging.getLogger(__name__)

TEXT_FIELDS = ("content", "text", "body")
ID_FIELDS = ("id", "_id")
META_FIELDS = ("meta", "metadata")

_MAX_LINE = 64 * 1024 * 1024  # characters
_MAX_DEPTH = 100
_DELIMITERS = ",;\t|"
_SEPARATOR = re.compile(r"\"?sep=(?P<delimiter>[^\r\n\"])\"?\s*\Z", re.IGNORECASE)  # a line for Excel
_MAX_RETURNS = 100  # to the line after an unclosed quote; each reads the rest of the file again
_UNDECODED = re.compile("[\ud800-\udfff]")  # surrogates in place of bytes that are not UTF-8


class BadRow(NamedTuple):
    """A row that cannot become a document: the number of its line, from 1, and the reason."""

    line: int
    reason: str


Report: TypeAlias = Callable[[BadRow], None]


class Row(NamedTuple):
    """The fields of a row, and the numbers of its first and last line."""

    line: int
    end_line: int
    fields: Mapping[str, Json]


def raise_bad_row(name: str, bad: BadRow) -> None:
    raise ConversionError(f"{name}, line {bad.line}: {bad.reason}.")


def log_bad_row(name: str, bad: BadRow) -> None:
    logger.warning("%s, line %s is left out: %s.", name, bad.line, bad.reason)


def row_documents(
    rows: Iterator[Row],
    path: str | None,
    report: Report,
    *,
    text_field: str | None = None,
    id_field: str | None = None,
    meta: Meta | None = None,
    check: Callable[[Document], None] | None = None,
    with_lines: bool = False,
) -> Iterator[Document]:
    """Yield the document of each row, as described at `convert_rows`.

    :param with_lines: add ``source_lines``, as `build_document` does.
    """
    text_fields = TEXT_FIELDS if text_field is None else (text_field,)
    id_fields = ID_FIELDS if id_field is None else (id_field,)
    for line, end_line, row in rows:
        try:
            document = _build_document(row, path, text_fields, id_fields, meta or {})
            if check is not None:
                check(document)
        except ValueError as error:
            report(BadRow(line, str(error)))
        else:
            if with_lines:
                if "source_lines" in document.meta:
                    document.meta["row_source_lines"] = document.meta["source_lines"]
                document.meta["source_lines"] = [[0, line, end_line]]
            yield document


def _build_document(
    row: Mapping[str, Json], path: str | None, text_fields: Sequence[str], id_fields: Sequence[str], more: Meta
) -> Document:
    text_key, text = _find_text(row, text_fields)
    id_key, id = _find_id(row, id_fields)
    merged = [key for key in META_FIELDS if isinstance(row.get(key), dict) and key not in (text_key, id_key)]
    meta: Meta = {}
    for key in merged:
        meta |= row[key]
    meta |= {key: value for key, value in row.items() if key not in (text_key, id_key, *merged)}
    if path is not None:
        if meta.get("path", path) != path:
            meta["row_path"] = meta["path"]
        meta["path"] = path
    meta |= copy_value(dict(more))
    return Document(content=text, meta=meta) if id is None else Document(id=id, content=text, meta=meta)


def _find_text(row: Mapping[str, Json], fields: Sequence[str]) -> tuple[str, str]:
    key = next((field for field in fields if row.get(field) is not None), None)
    if key is None:
        raise ValueError(
            f"it has no {_join_fields(fields)}, only {_list_fields(row)}; name the field with the text with text_field"
        )
    if not isinstance(row[key], str):
        raise ValueError(f"its '{key}' is of the type {type(row[key]).__name__}, not a text")
    text: str = row[key]
    if not text.strip():
        title = row.get("title")
        if not isinstance(title, str) or not title.strip():
            raise ValueError(f"its '{key}' is empty")
        text = title
    return key, text.replace("\0", "\ufffd")


def _find_id(row: Mapping[str, Json], fields: Sequence[str]) -> tuple[str | None, str | None]:
    key = next((field for field in fields if row.get(field) not in (None, "")), None)
    if key is None:
        return next((field for field in fields if field in row), None), None
    if not isinstance(row[key], (str, int)) or isinstance(row[key], bool):
        raise ValueError(f"its '{key}' is of the type {type(row[key]).__name__}; an id is a text or a whole number")
    return key, str(row[key])


def _join_fields(fields: Sequence[str]) -> str:
    *others, last = (f"'{field}'" for field in fields)
    return f"{', '.join(others)} or {last}" if others else last


def _list_fields(fields: Mapping[str, Json] | Sequence[str]) -> str:
    names = ", ".join(f"'{field}'" for field in fields) or "nothing"
    return names if len(names) <= 300 else f"{names[:300]}..."


def jsonl_rows(file: TextIO, report: Report) -> Iterator[Row]:
    r"""Yield the objects of JSON lines; bytes that are not UTF-8 are lone surrogates in the text.

    >>> import io
    >>> list(jsonl_rows(io.StringIO('{"id": 1}\n\n[2]\n'), print))
    BadRow(line=3, reason='it is a list, not an object')
    [Row(line=1, end_line=1, fields={'id': 1})]
    """
    for number, line in _read_lines(file, report):
        try:
            row = _parse_object(line) if line.strip() else None
        except (ValueError, RecursionError) as error:
            report(BadRow(number, str(error)))
            continue
        if row is not None:
            yield Row(number, number, row)


def _read_lines(file: TextIO, report: Report) -> Iterator[tuple[int, str]]:
    number = 0
    while line := file.readline(_MAX_LINE):
        number += 1
        if len(line) < _MAX_LINE or line.endswith("\n"):
            yield number, line
            continue
        while line and not line.endswith("\n"):
            line = file.readline(_MAX_LINE)
        report(BadRow(number, f"it is longer than {_MAX_LINE:,} characters"))


def _parse_object(line: str) -> JsonObject:
    if not line.isascii() and _UNDECODED.search(line):
        raise ValueError("it is not in UTF-8")
    if line.count("[") + line.count("{") > _MAX_DEPTH and _bracket_depth(line) > _MAX_DEPTH:
        raise ValueError(f"it is nested more than {_MAX_DEPTH} levels deep")
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON: {error.msg}, at character {error.colno}") from error
    if not isinstance(row, dict):
        raise ValueError(f"it is a {type(row).__name__}, not an object")
    if "\\u" in line and _UNDECODED.search(json.dumps(row, ensure_ascii=False)):
        raise ValueError("it contains a lone surrogate, such as \\ud83d")
    return row


def _bracket_depth(line: str) -> int:
    """Return an upper bound of the nesting: brackets inside of strings are counted too."""
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
    text_field: str | None = None,
) -> Iterator[Row]:
    r"""Yield the rows of a table by the names in its first line; all values are text.

    A row with an unclosed quote is reported, and the line after it begins the next row.

    :param delimiter: the character between values; None: that of a line ``sep=;`` before the first
        one, else of ``,`` ``;`` tab and ``|`` the most frequent one in the first line that gives a
        column of the text.

    >>> import io
    >>> list(csv_rows(io.StringIO('text;age\n"A; B";7\n'), print))
    [Row(line=2, end_line=2, fields={'text': 'A; B', 'age': '7'})]
    """
    raise_field_limit()
    lines = _LineReader(file)
    if (first := lines.peek()) and (declared := _SEPARATOR.match(first)):
        delimiter = delimiter or declared["delimiter"]
        next(lines)
        first = lines.peek()
    text_fields = TEXT_FIELDS if text_field is None else (text_field,)
    delimiter = delimiter or _find_delimiter(first, quotechar, text_fields)
    rows = _iterate_csv(lines, report, delimiter, quotechar)
    _, _, header = next(rows, (0, 0, []))
    columns = _number_duplicates([column.strip() for column in header])
    if not set(text_fields) & set(columns):
        raise ConversionError(
            f"{name} has no column {_join_fields(text_fields)}, only {_list_fields(columns)}; "
            "name the column with the text with text_field."
        )
    for line, end_line, values in rows:
        if _UNDECODED.search("".join(values)):
            report(BadRow(line, "it is not in UTF-8"))
        elif any(values[len(columns) :]):
            report(BadRow(line, f"it has {len(values)} values for {len(columns)} columns"))
        elif any(values):
            yield Row(line, end_line, dict(zip(columns, values, strict=False)))


class _LineReader:
    """Iterates over the lines of a file, and can return to those of the last row."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._waiting: deque[str] = deque()
        self.number = 0  # of the last line
        self.row: list[str] = []  # the lines since `begin_row`

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._waiting.popleft() if self._waiting else self._file.readline()
        if not line:
            raise StopIteration
        self.number += 1
        self.row.append(line)
        return line

    def peek(self) -> str:
        """Return the next line, "" at the end."""
        if not self._waiting:
            self._waiting.append(self._file.readline())
        return self._waiting[0]

    def begin_row(self) -> None:
        """Forget the lines of the last row."""
        self.row = []

    def return_to_second_line(self) -> None:
        """Read the lines of the last row but the first again."""
        again = self.row[1:]
        self._waiting.extendleft(reversed(again))
        self.number -= len(again)


def _iterate_csv(
    lines: _LineReader, report: Report, delimiter: str, quotechar: str
) -> Iterator[tuple[int, int, list[str]]]:
    """Yield the values of each row, with the numbers of its first and last line."""
    reader = csv.reader(lines, delimiter=delimiter, quotechar=quotechar)
    num_returns = 0
    while True:
        lines.begin_row()
        line, values, reason = lines.number + 1, list[str](), ""
        try:
            values = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            reason = f"it can't be parsed: {error}"
        is_last = len(lines.row) > 1 and not lines.peek()
        if is_last and "".join(lines.row).count(quotechar) % 2:
            reason = "a quote in it is not closed"
        if not reason:
            yield line, lines.number, values
            continue
        report(BadRow(line, reason))
        if len(lines.row) > 1 and num_returns < _MAX_RETURNS:
            num_returns += 1
            lines.return_to_second_line()
            reader = csv.reader(lines, delimiter=delimiter, quotechar=quotechar)


def _find_delimiter(first: str, quotechar: str, text_fields: Sequence[str]) -> str:
    """Return the delimiter of the first line of a table."""
    columns = {
        delimiter: next(csv.reader([first], delimiter=delimiter, quotechar=quotechar), []) for delimiter in _DELIMITERS
    }

    def rate(delimiter: str) -> tuple[bool, int]:
        found = columns[delimiter]
        return not {column.strip() for column in found}.isdisjoint(text_fields), len(found)

    return max(_DELIMITERS, key=rate)


def _number_duplicates(columns: Sequence[str]) -> list[str]:
    names: list[str] = []
    for column in columns:
        number, name = 1, column
        while name in names:
            number += 1
            name = f"{column}_{number}"
        names.append(name)
    return names
