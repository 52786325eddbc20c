"""Removes empty rows and columns from CSV documents."""

import logging
from dataclasses import replace

from spaniel.components.preprocessors.csv_tables import Table, TableFormat, read_table
from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import Document

logger = logging.getLogger(__name__)

_FORMAT = TableFormat(skip_blank_lines=True)


@component
class CSVDocumentCleaner(Serializable):
    r"""Removes empty rows and columns from CSV documents.

    :param ignore_rows: rows at the top that are kept, and ignored in tests for empty columns.
    :param ignore_columns: columns at the left that are kept, and ignored in tests for empty rows.
    :param remove_empty_rows: remove empty rows. Blank lines are always removed.
    :param remove_empty_columns: remove empty columns.
    :param keep_id: keep the ids; otherwise they are made of the new content.
    :raises ValueError: `ignore_rows` or `ignore_columns` is negative.

    >>> sheet = "name,,says\n,,\nRex,,woof\n"
    >>> CSVDocumentCleaner().run([Document(content=sheet)])["documents"][0].content
    'name,says\nRex,woof\n'
    """

    _own_options = frozenset()

    def __init__(
        self,
        *,
        ignore_rows: int = 0,
        ignore_columns: int = 0,
        remove_empty_rows: bool = True,
        remove_empty_columns: bool = True,
        keep_id: bool = False,
    ) -> None:
        for name, number in (("ignore_rows", ignore_rows), ("ignore_columns", ignore_columns)):
            if number < 0:
                raise ValueError(f"{name} must not be negative, got {number}.")
        self.ignore_rows = ignore_rows
        self.ignore_columns = ignore_columns
        self.remove_empty_rows = remove_empty_rows
        self.remove_empty_columns = remove_empty_columns
        self.keep_id = keep_id

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Return cleaned copies of the documents, under ``documents``.

        :param documents: CSV documents. Those that can't be parsed, or have no text besides the
            ignored rows and columns, are copied, with a warning.
        """
        return {"documents": [self._clean(document) for document in documents]}

    def _clean(self, document: Document) -> Document:
        copied = document.independent_copy()
        try:
            table = read_table(document.content or "", _FORMAT)
        except ValueError as error:
            logger.warning("The document %s is not a table and is kept unchanged: %s.", document.id, error)
            return copied
        if (self.ignore_rows or self.ignore_columns) and not self._has_body(table):
            logger.warning(
                "The document %s has only rows (%s) and columns (%s) to ignore. It is kept unchanged.",
                document.id,
                self.ignore_rows,
                self.ignore_columns,
            )
            return copied
        return replace(copied, content=self._remove_empty(table), id=document.id if self.keep_id else "")

    def _has_body(self, table: Table) -> bool:
        return any(1 in cells[self.ignore_columns :] for cells in table.filled[self.ignore_rows :])

    def _remove_empty(self, table: Table) -> str:
        rows = [
            row
            for row, cells in enumerate(table.filled)
            if row < self.ignore_rows or not self.remove_empty_rows or 1 in cells[self.ignore_columns :]
        ]
        body = table.filled[self.ignore_rows :]
        columns = [
            column
            for column in range(table.width)
            if column < self.ignore_columns or not self.remove_empty_columns or any(cells[column] for cells in body)
        ]
        return table.to_csv(rows, columns)
