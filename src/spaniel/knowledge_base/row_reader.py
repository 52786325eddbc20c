"""The rows of a file, each as a tree of documents: the row, and the pieces of a long one."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from spaniel.components.converters.files import BadRow, convert_rows
from spaniel.components.preprocessors import SectionSplitter
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.errors import ConversionError
from spaniel.knowledge_base.file_catalog import FileCatalog
from spaniel.knowledge_base.index_report import BadRows
from spaniel.knowledge_base.indexed_file import IndexedFile

_BATCH_CHARACTERS = 1 << 22
_COPIED_CHARACTERS = 1 << 24
# What the splitter writes, or takes from converters. A row may have such a field, with a meaning of its own.
_RESERVED = ("headings", "heading_slugs", "references", "code_blocks", "section", "source_id", "split_id")
_RESERVED_TOO = ("split_idx_start", "broken_links")
_OF_ALL_PIECES = ("links", "urls", "page_number")


class RowReader:
    """Reads a file of rows.

    :param place: where it is.
    :param path: of the file in the knowledge base.
    :param record: which version it is; it is told which files hold ids of its rows.
    :param catalog: what is indexed: no row may have an id that another file has.
    :param splitter: cuts long rows.
    """

    def __init__(
        self, place: Path, path: str, record: IndexedFile, catalog: FileCatalog, splitter: SectionSplitter
    ) -> None:
        self._place, self._path, self._record = place, path, record
        self._catalog, self._splitter = catalog, splitter
        self._ids: set[str] = set()
        self._owners: dict[str, str] | None = None
        self.bad = BadRows()

    def batches(self) -> Iterator[list[list[Document]]]:
        """Yield the trees of the rows, some at a time.

        :raises ConversionError: the file can't be read, or none of its rows can.
        """
        if self._catalog.backend.is_remote:
            self._owners = self._catalog.owners_of(row.id for row in self._rows(BadRows().add, None))
        waiting: list[list[Document]] = []
        characters = 0
        for row in self._rows(self.bad.add, self._check_id):
            self._ids.add(row.id)
            waiting.append(row_tree(row, self._splitter))
            characters += len(row.content or "")
            if characters > _BATCH_CHARACTERS:
                yield waiting
                waiting, characters = [], 0
        if waiting:
            yield waiting
        if self.bad.count and not self._ids:
            line, reason = self.bad.first[0]
            raise ConversionError(f"none of its rows can be read. Line {line}: {reason}.")

    def _rows(self, report: Callable[[BadRow], None], check: Callable[[Document], None] | None) -> Iterator[Document]:
        fields = {"text_field": self._record.text_field, "id_field": self._record.id_field}
        return convert_rows(self._place, self._path, **fields, report=report, check=check)

    def _check_id(self, row: Document) -> None:
        if row.id in self._ids:
            raise ValueError(f"an earlier row has the same id '{row.id}'")
        owners = self._catalog.owners_of([row.id]) if self._owners is None else self._owners
        owner = owners.get(row.id)
        if owner is not None and owner != self._path:
            self._record.ids_taken_by.append(owner)
            raise ValueError(f"id '{row.id}' already used by {owner}")


def row_tree(row: Document, splitter: SectionSplitter) -> list[Document]:
    """Return the documents of a row: one that is both root and leaf, or the row and the pieces below it.

    The row's ``anchor`` is ``path#id``, that of a section in it ``path#id#slug``. A field of the row that has another meaning
    here becomes ``row_`` and its name; its own ``anchor`` and ``links`` are kept. Keys with ``__`` in front are left out.
    The pieces have the fields of the row, but for one whose copies would have more than 16 Mi characters.

    >>> row = Document(id="7", content="They bark.", meta={"path": "pets.csv", "kind": "dog"})
    >>> [(node.id, node.meta["anchor"], node.meta["kind"]) for node in row_tree(row, SectionSplitter())]
    [('7', 'pets.csv#7', 'dog')]
    """
    own = {_name_of(key, value): value for key, value in row.meta.items() if not key.startswith("__")}
    path, address = row.meta["path"], f"{row.meta['path']}#{row.id}"
    anchor = own.pop("anchor", address)
    shared = {key: own.pop(key) for key in _OF_ALL_PIECES if key in own}
    root, *pieces = splitter.run([Document(id=row.id, content=row.content, meta=own)])["documents"]
    large = [key for key, value in own.items() if _size(value) * len(pieces) > _COPIED_CHARACTERS]
    anchors = [node.meta["anchor"] for node in pieces if "anchor" in node.meta]
    places = {path: anchor, **{place: address + place.removeprefix(path) for place in anchors}}
    for node in (root, *pieces):
        if "anchor" in node.meta:
            node.meta["anchor"] = places[node.meta["anchor"]]
        _link_rows(node.meta, path, places)
        node.meta.update(copy_value(shared))
    for node in pieces:
        for key in large:
            node.meta.pop(key, None)
    return [root, *pieces]


def _link_rows(meta: dict[str, Any], path: str, places: Mapping[str, str]) -> None:
    """Let links lead to sections of this row, and to other rows of the file; the splitter knows none of these."""
    broken = meta.pop("broken_links", [])
    rows = [link for link in broken if link.startswith(f"{path}#")]
    links = [places.get(link, link) for link in [*meta.pop("links", []), *rows]]
    lost = [link for link in broken if link not in rows]
    meta.update({key: value for key, value in (("links", links), ("broken_links", lost)) if value})


def _size(value: Any) -> int:
    """Return about how many characters a value has as JSON."""
    if isinstance(value, str):
        return len(value)
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 8 + sum(map(_size, inner))


def _name_of(key: str, value: Any) -> str:
    taken = key in _RESERVED or key in _RESERVED_TOO or (key == "anchor" and not isinstance(value, str))
    return f"row_{key}" if taken else key
