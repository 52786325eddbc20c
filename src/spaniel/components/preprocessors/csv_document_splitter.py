"""Cuts documents of CSV into the tables they hold, or into rows."""

import logging
from typing import Any, Literal

from spaniel.components.preprocessors.csv_tables import Block, Table, blocks_of, read_table, table_format
from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value

logger = logging.getLogger(__name__)

_MODES = ("threshold", "row-wise")


@component
class CSVDocumentSplitter(Serializable):
    r"""Cuts documents of CSV where rows or columns are empty, or makes a document of each row.

    A sheet often holds several tables with empty rows or columns between them. Each becomes a document, with
    ``source_id``, ``row_idx_start``, ``col_idx_start`` and ``split_id`` in its metadata.

    :param row_split_threshold: how many empty rows divide two tables; None: rows don't.
    :param column_split_threshold: how many empty columns divide two tables; None: columns don't.
    :param read_csv_kwargs: how the CSV is written: options of ``pandas.read_csv``, see `csv_options.table_format`.
    :param split_mode: ``threshold``, or ``row-wise``: each row becomes a document.
    :raises ValueError: a threshold below 1, both None, an unknown mode or option.

    >>> sheet = "name,says\nRex,woof\n,\n,\ncity,river\nRome,Tiber\n"
    >>> tables = CSVDocumentSplitter().run([Document(content=sheet)])["documents"]
    >>> [(table.meta["row_idx_start"], table.content) for table in tables]
    [(0, 'name,says\nRex,woof\n'), (4, 'city,river\nRome,Tiber\n')]
    """

    def __init__(
        self,
        row_split_threshold: int | None = 2,
        column_split_threshold: int | None = 2,
        read_csv_kwargs: dict[str, Any] | None = None,
        split_mode: Literal["threshold", "row-wise"] = "threshold",
    ) -> None:
        if split_mode not in _MODES:
            raise ValueError(f"Split mode '{split_mode}' not recognized. Choose one among: {', '.join(_MODES)}.")
        thresholds = {"row_split_threshold": row_split_threshold, "column_split_threshold": column_split_threshold}
        for name, threshold in thresholds.items():
            if threshold is not None and threshold < 1:
                raise ValueError(f"{name} must be greater than 0. It is {threshold}.")
        if row_split_threshold is None and column_split_threshold is None:
            raise ValueError("At least one of row_split_threshold or column_split_threshold must be specified.")
        self.row_split_threshold = row_split_threshold
        self.column_split_threshold = column_split_threshold
        self.read_csv_kwargs = copy_value(read_csv_kwargs or {})
        self.split_mode = split_mode
        self._format = table_format(self.read_csv_kwargs)

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Return the tables of each document in turn, under ``documents``.

        :param documents: documents of CSV. One that is no table is copied, one whose cells are all empty is left out, both with
            a warning.
        """
        found: list[Document] = []
        for document in documents:
            try:
                table = read_table(document.content or "", self._format)
            except ValueError as error:
                logger.warning("The document %s is no table, and is kept as it is: %s.", document.id, error)
                found.append(document.independent_copy())
                continue
            blocks = self._blocks(table)
            if not blocks:
                logger.warning("The document %s is left out: its table has no text.", document.id)
            found.extend(_document(document, table, block, index) for index, block in enumerate(blocks))
        return {"documents": found}

    def _blocks(self, table: Table) -> list[Block]:
        if self.split_mode == "row-wise":
            return [Block(row, 0, row + 1, table.width) for row in range(len(table.rows))]
        return blocks_of(table.filled, row_gap=self.row_split_threshold, column_gap=self.column_split_threshold)


def _document(source: Document, table: Table, block: Block, index: int) -> Document:
    meta = copy_value(source.meta)
    meta.update(source_id=source.id, row_idx_start=block.top, col_idx_start=block.left, split_id=index)
    return Document(content=table.written(range(block.top, block.bottom), range(block.left, block.right)), meta=meta)
