"""Splits CSV documents into the tables they contain, or into rows."""

import logging
from typing import Literal, get_args

from spaniel.components.preprocessors.csv_tables import Block, Table, find_blocks, parse_read_csv_options, read_table
from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.json_types import JsonObject

logger = logging.getLogger(__name__)

CSVSplitMode = Literal["threshold", "row-wise"]


@component
class CSVDocumentSplitter(Serializable):
    r"""Splits CSV documents at empty rows or columns, or into a document per row.

    A sheet often contains several tables separated by empty rows or columns. Each becomes a
    document, with ``source_id``, ``row_idx_start``, ``col_idx_start`` and ``split_id`` in its
    metadata.

    :param row_split_threshold: the number of empty rows that separate two tables; None: rows don't.
    :param column_split_threshold: the number of empty columns that separate tables; None: none do.
    :param read_csv_kwargs: options of ``pandas.read_csv``, see `csv_tables.parse_read_csv_options`.
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
        read_csv_kwargs: JsonObject | None = None,
        split_mode: CSVSplitMode = "threshold",
    ) -> None:
        if split_mode not in (modes := get_args(CSVSplitMode)):
            raise ValueError(f"Split mode '{split_mode}' not recognized. Choose one among: {', '.join(modes)}.")
        thresholds = {"row_split_threshold": row_split_threshold, "column_split_threshold": column_split_threshold}
        for name, threshold in thresholds.items():
            if threshold is not None and threshold < 1:
                raise ValueError(f"{name} must be greater than 0, got {threshold}.")
        if row_split_threshold is None and column_split_threshold is None:
            raise ValueError("At least one of row_split_threshold or column_split_threshold must be specified.")
        self.row_split_threshold = row_split_threshold
        self.column_split_threshold = column_split_threshold
        self.read_csv_kwargs = copy_value(read_csv_kwargs or {})
        self.split_mode = split_mode
        self._format = parse_read_csv_options(self.read_csv_kwargs)

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Return the tables of each document, in order, under ``documents``.

        :param documents: CSV documents. Those that can't be parsed are copied, those without text
            omitted, both with a warning.
        """
        found: list[Document] = []
        for document in documents:
            try:
                table = read_table(document.content or "", self._format)
            except ValueError as error:
                logger.warning("The document %s is not a table and is kept unchanged: %s.", document.id, error)
                found.append(document.independent_copy())
                continue
            blocks = self._find_blocks(table)
            if not blocks:
                logger.warning("The document %s is omitted: its table has no text.", document.id)
            found.extend(_build_document(document, table, block, index) for index, block in enumerate(blocks))
        return {"documents": found}

    def _find_blocks(self, table: Table) -> list[Block]:
        if self.split_mode == "row-wise":
            return [Block(row, 0, row + 1, table.width) for row in range(len(table.rows))]
        return find_blocks(table.filled, row_gap=self.row_split_threshold, column_gap=self.column_split_threshold)


def _build_document(source: Document, table: Table, block: Block, index: int) -> Document:
    meta = copy_value(source.meta)
    meta.update(source_id=source.id, row_idx_start=block.top, col_idx_start=block.left, split_id=index)
    return Document(content=table.to_csv(range(block.top, block.bottom), range(block.left, block.right)), meta=meta)
