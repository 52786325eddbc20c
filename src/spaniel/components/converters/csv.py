"""CSV files as documents: each whole, or one document a row."""

import csv
import io
from pathlib import Path
from typing import Any

from spaniel.components.converters._sources import UTF_8, each_source, whole_text
from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import ByteStream, Document
from spaniel.dataclasses.copying import copy_value
from spaniel.errors import ConversionError
from spaniel.text.csv_limits import allow_long_cells

_MODES = ("file", "row")


@component
class CSVToDocument(Serializable):
    r"""Makes a document of each CSV file, or of each of its rows.

    :param encoding: of the files. The default finds out what a file that is not UTF-8 is in. A source's
        ``meta["encoding"]`` wins.
    :param store_full_path: keep the whole path in ``meta["file_path"]``, not only the file's name.
    :param conversion_mode: ``file``: the text is the file as it is. ``row``: the text is one column, the others are
        metadata, as text, and ``row_number`` counts from 0.
    :param delimiter: the sign between values.
    :param quotechar: the sign around values that hold a delimiter or a line break.
    :raises ValueError: the mode is unknown, or a sign is longer than one character.

    >>> from spaniel.dataclasses import ByteStream
    >>> source = ByteStream.from_string("name,says\nDog,bark\nCat,meow\n")
    >>> converter = CSVToDocument(conversion_mode="row")
    >>> [document.meta for document in converter.run([source], content_column="says")["documents"]]
    [{'row_number': 0, 'name': 'Dog'}, {'row_number': 1, 'name': 'Cat'}]
    """

    def __init__(
        self,
        encoding: str = UTF_8,
        store_full_path: bool = False,
        *,
        conversion_mode: str = "file",
        delimiter: str = ",",
        quotechar: str = '"',
    ) -> None:
        if conversion_mode not in _MODES:
            raise ValueError(
                f"CSVToDocument: conversion_mode is {conversion_mode!r}, but must be one of {list(_MODES)}."
            )
        for name, sign in (("delimiter", delimiter), ("quotechar", quotechar)):
            if len(sign) != 1:
                raise ValueError(f"CSVToDocument: {name} must be a single character, not {sign!r}.")
        self.encoding = encoding
        self.store_full_path = store_full_path
        self.conversion_mode = conversion_mode
        self.delimiter = delimiter
        self.quotechar = quotechar

    _own_options = frozenset()

    @component.output_types(documents=list[Document])
    def run(
        self,
        sources: list[str | Path | ByteStream],
        *,
        content_column: str | None = None,
        meta: dict[str, Any] | list[dict[str, Any]] | None = None,
    ) -> dict[str, list[Document]]:
        """Return a document for each source, or row, that can be read; other sources are reported as warnings.

        :param sources: paths, or contents of files.
        :param content_column: the column that is the text; only for rows, and needed there.
        :param meta: metadata for all documents, or one dictionary a source. A column of the same name becomes ``csv_name``.
        :returns: ``{"documents": [...]}``, in the order of the sources.
        :raises ValueError: `meta` is a list of another length than `sources`, or there is no such column.
        :raises ConversionError: a row can't be parsed.
        """
        by_row = self.conversion_mode == "row"
        if by_row and not content_column:
            raise ValueError("CSVToDocument(row): 'content_column' is required in run() when conversion_mode='row'.")
        documents: list[Document] = []
        for (text, shown), _, own in each_source(sources, meta, self._text, store_full_path=self.store_full_path):
            if by_row and content_column:
                rows = self._rows(text, content_column, shown)
                documents += [_of_row(row, number, own, content_column) for number, row in enumerate(rows)]
            else:
                documents.append(Document(content=text, meta=own))
        return {"documents": documents}

    def _text(self, stream: ByteStream, shown: str) -> tuple[str, str]:
        return whole_text(stream, self.encoding, shown), shown

    def _rows(self, text: str, content_column: str, shown: str) -> list[dict[str, Any]]:
        allow_long_cells()
        reader = csv.DictReader(
            io.StringIO(text, newline=""),
            restkey="extra_columns",
            restval="",
            delimiter=self.delimiter,
            quotechar=self.quotechar,
        )
        columns = list(reader.fieldnames or ())
        if content_column not in columns:
            raise ValueError(
                f"CSVToDocument(row): content_column='{content_column}' not found in header for {shown}. "
                f"Available columns: {columns}"
            )
        try:
            return list(reader)
        except csv.Error as error:
            raise ConversionError(f"{shown}, line {reader.line_num}, can't be parsed: {error}.") from error


def _of_row(row: dict[str, Any], number: int, own: dict[str, Any], content_column: str) -> Document:
    meta = {**copy_value(own), "row_number": number}
    for column, value in row.items():
        if column != content_column:
            meta[_free_name(column, meta)] = str(value)
    return Document(content=row[content_column], meta=meta)


def _free_name(column: str, taken: dict[str, Any]) -> str:
    """Return the name of a column in the metadata: ``csv_name``, ``csv_name_1``, ... where it is taken."""
    number, name = 0, column
    while name in taken:
        name = f"csv_{column}" if number == 0 else f"csv_{column}_{number}"
        number += 1
    return name
