"""Takes empty rows and columns out of documents of CSV."""

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
    r"""Takes empty rows and columns out of documents of CSV.

    :param ignore_rows: how many rows at the top stay, and don't count when it is decided whether a column is empty.
    :param ignore_columns: how many columns at the left stay, and don't count when it is decided whether a row is empty.
    :param remove_empty_rows: take empty rows out. Blank lines go in any case.
    :param remove_empty_columns: take empty columns out.
    :param keep_id: keep the ids; else they are made of the new content.
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
                raise ValueError(f"{name} must not be negative. It is {number}.")
        self.ignore_rows = ignore_rows
        self.ignore_columns = ignore_columns
        self.remove_empty_rows = remove_empty_rows
        self.remove_empty_columns = remove_empty_columns
        self.keep_id = keep_id

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Return cleaned copies of the documents, under ``documents``.

        :param documents: documents of CSV. Those that are no table, or that have no text besides the ignored rows and
            columns, are copied, with a warning.
        """
        return {"documents": [self._clean(document) for document in documents]}

    def _clean(self, document: Document) -> Document:
        copied = document.independent_copy()
        try:
            table = read_table(document.content or "", _FORMAT)
        except ValueError as error:
            logger.warning("The document %s is no table, and is kept as it is: %s.", document.id, error)
            return copied
        if (self.ignore_rows or self.ignore_columns) and not self._has_more(table):
            logger.warning(
                "The document %s has nothing besides the rows (%s) and columns (%s) to ignore. It is kept as it is.",
                document.id,
                self.ignore_rows,
                self.ignore_columns,
            )
            return copied
        return replace(copied, content=self._cleaned(table), id=document.id if self.keep_id else "")

    def _has_more(self, table: Table) -> bool:
        return any(1 in cells[self.ignore_columns :] for cells in table.filled[self.ignore_rows :])

    def _cleaned(self, table: Table) -> str:
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
        return table.written(rows, columns)
