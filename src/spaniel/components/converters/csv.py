"""CSV files as documents: whole, or a document per row."""

import csv
import io
from typing import Literal, TypeAlias, get_args

from spaniel.components.converters._file_converter import UTF_8, Source, SourceFile, SourceMeta, convert_each
from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.document_stores.validation import validate_choice
from spaniel.errors import ConversionError
from spaniel.json_types import Meta
from spaniel.text.csv_limits import raise_field_limit

ConversionMode: TypeAlias = Literal["file", "row"]


@component
class CSVToDocument(Serializable):
    r"""Converts CSV files, or their rows, to documents.

    :param encoding: encoding of the files; the default detects it. ``meta["encoding"]`` of a source
        takes precedence.
    :param store_full_path: keep the whole path in ``meta["file_path"]`` instead of the file's name.
    :param conversion_mode: ``file``: a document per file, with its unchanged text. ``row``: one
        document per row; one column is the text, the others are metadata, as text, and
        ``row_number`` counts from 0.
    :param delimiter: the character between values.
    :param quotechar: the character around values that contain a delimiter or a line break.
    :raises ValueError: `conversion_mode` is unknown, or `delimiter` or `quotechar` is not a single
        character.

    >>> from spaniel.dataclasses import ByteStream
    >>> source = ByteStream.from_string("name,says\nDog,bark\nCat,meow\n")
    >>> converter = CSVToDocument(conversion_mode="row")
    >>> [document.meta for document in converter.run([source], content_column="says")["documents"]]
    [{'row_number': 0, 'name': 'Dog'}, {'row_number': 1, 'name': 'Cat'}]
    """

    _own_options = frozenset()

    def __init__(
        self,
        encoding: str = UTF_8,
        store_full_path: bool = False,
        *,
        conversion_mode: ConversionMode = "file",
        delimiter: str = ",",
        quotechar: str = '"',
    ) -> None:
        validate_choice("conversion_mode", conversion_mode, get_args(ConversionMode))
        for name, character in (("delimiter", delimiter), ("quotechar", quotechar)):
            if len(character) != 1:
                raise ValueError(f"CSVToDocument: {name} must be a single character, got {character!r}.")
        self.encoding = encoding
        self.store_full_path = store_full_path
        self.conversion_mode = conversion_mode
        self.delimiter = delimiter
        self.quotechar = quotechar

    @component.output_types(documents=list[Document])
    def run(
        self, sources: list[Source], *, content_column: str | None = None, meta: SourceMeta = None
    ) -> dict[str, list[Document]]:
        """Convert files to documents. Files that cannot be read are skipped with a warning.

        :param sources: file paths or byte streams.
        :param content_column: the column of the text; required in mode ``row`` and unused in mode
            ``file``.
        :param meta: metadata of all documents, or a dictionary for each source. A column with the
            name of one of its keys is stored as ``csv_<name>``.
        :returns: ``{"documents": [...]}``, in the order of the sources.
        :raises ValueError: `meta` is a list of another length than `sources`, or `content_column`
            is missing.
        :raises ConversionError: a row cannot be parsed.
        """
        by_row = self.conversion_mode == "row"
        if by_row and not content_column:
            raise ValueError("CSVToDocument(row): 'content_column' is required in run() when conversion_mode='row'.")
        texts = convert_each(sources, meta, lambda source: source.read_text(self.encoding), self.store_full_path)
        documents: list[Document] = []
        for source, text in texts:
            if by_row and content_column:
                documents += self._convert_rows(text, content_column, source)
            else:
                documents.append(Document(content=text, meta=source.meta))
        return {"documents": documents}

    def _convert_rows(self, text: str, content_column: str, source: SourceFile) -> list[Document]:
        raise_field_limit()
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
                f"CSVToDocument(row): content_column='{content_column}' not found in header for {source.name}. "
                f"Available columns: {columns}"
            )
        try:
            rows = list(reader)
        except csv.Error as error:
            raise ConversionError(f"{source.name}, line {reader.line_num}, can't be parsed: {error}.") from error
        return [_build_document(row, number, source.meta, content_column) for number, row in enumerate(rows)]


def _build_document(row: dict[str, str], number: int, source_meta: Meta, content_column: str) -> Document:
    meta = {**copy_value(source_meta), "row_number": number}
    for column, value in row.items():
        if column != content_column:
            meta[_choose_key(column, meta)] = str(value)
    return Document(content=row[content_column], meta=meta)


def _choose_key(column: str, taken: Meta) -> str:
    number, key = 0, column
    while key in taken:
        key = f"csv_{column}" if number == 0 else f"csv_{column}_{number}"
        number += 1
    return key
