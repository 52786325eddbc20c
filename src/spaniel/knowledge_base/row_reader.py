"""The rows of a file, each as a tree of documents: the row, and its passages if it is long."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from spaniel.components.converters._rows import BadRow
from spaniel.components.converters.files import convert_rows
from spaniel.components.preprocessors import SectionSplitter
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.errors import ConversionError
from spaniel.json_types import Json, Meta
from spaniel.knowledge_base.file_catalog import FileCatalog
from spaniel.knowledge_base.file_steps import describe_error
from spaniel.knowledge_base.index_report import BadRows
from spaniel.knowledge_base.indexed_file import IndexedFile
from spaniel.knowledge_base.text_language import label_language, recognise_language

_BATCH_CHARACTERS = 1 << 22
_MAX_COPIED_CHARACTERS = 1 << 24
_SAMPLE_ROWS, _SAMPLE_CHARACTERS = 200, 1000
# Written by the splitter or read by it; a row may have fields with these names and another meaning.
_RESERVED_KEYS = frozenset(
    {"headings", "heading_slugs", "references", "code_blocks", "section", "source_id", "split_id", "split_idx_start"}
    | {"broken_links", "line", "end_line", "source_pages", "reference_lines"}
)
_SHARED_KEYS = ("links", "urls", "page_number")


@dataclass
class RowReader:
    """Reads a file of rows.

    :param place: its path on disk.
    :param path: its path in the knowledge base.
    :param file: its version; `ids_taken_by` gets the files that hold ids of its rows.
    :param catalog: the indexed files: no row may have an id that another file holds.
    :param splitter: splits long rows.
    :param yields: returns True for a file that loses its ids to this one, as one after it does.
    """

    place: Path
    path: str
    file: IndexedFile
    catalog: FileCatalog
    splitter: SectionSplitter
    yields: Callable[[str], bool] = field(default=lambda _: False)
    losers: set[str] = field(default_factory=set)
    bad: BadRows = field(default_factory=BadRows)
    _ids: set[str] = field(default_factory=set)
    _owners: dict[str, str] | None = None

    def read_batches(self) -> Iterator[list[list[Document]]]:
        """Yield the trees of the rows in batches.

        :raises ConversionError: the file can't be read, or none of its rows can.
        """
        if self.catalog.backend.is_remote:  # a single request for all ids
            self._owners = self.catalog.find_owners(row.id for row in self._read_rows(BadRows().add, None))
        trees = self._read_trees()
        while True:
            try:
                batch = next(trees, None)
            except Exception as error:
                raise ConversionError(describe_error(error, self.path)) from error
            if batch is None:
                break
            yield batch
        if self.bad.count and not self._ids and not self.file.ids_taken_by:
            line, reason = self.bad.first[0]
            raise ConversionError(f"none of its rows can be read. Line {line}: {reason}.")

    def _read_trees(self) -> Iterator[list[list[Document]]]:
        batch: list[list[Document]] = []
        characters = 0
        for row in self._read_rows(self.bad.add, self._validate_id):
            self._ids.add(row.id)
            batch.append(make_row_tree(row, self.splitter))
            characters += len(row.content or "")
            if characters > _BATCH_CHARACTERS:
                yield _with_language(batch)
                batch, characters = [], 0
        if batch:
            yield _with_language(batch)

    def _read_rows(
        self, report: Callable[[BadRow], None], check: Callable[[Document], None] | None
    ) -> Iterator[Document]:
        fields = {"text_field": self.file.text_field, "id_field": self.file.id_field, "kind": self.file.kind}
        return convert_rows(self.place, self.path, **fields, report=report, check=check)

    def _validate_id(self, row: Document) -> None:
        if row.id in self._ids:
            raise ValueError(f"an earlier row has the same id '{row.id}'")
        owners = self.catalog.find_owners([row.id]) if self._owners is None else self._owners
        owner = owners.get(row.id)
        if owner is None or owner == self.path:
            return
        if self.yields(owner):
            self.losers.add(owner)
        else:
            self.file.ids_taken_by.append(owner)
            raise ValueError(f"id '{row.id}' already used by {owner}")


def make_row_tree(row: Document, splitter: SectionSplitter) -> list[Document]:
    """Return the documents of a row: a single root and leaf, or the row and its passages.

    The ``anchor`` of the row is ``path#id``, that of a section in it ``path#id#slug``. A reserved
    field gets the prefix ``row_``, but the row's own ``anchor`` and ``links`` are kept. Keys that
    begin with ``__`` are left out. The passages have the fields of the row, except those whose
    copies would exceed 16 Mi characters.

    >>> row = Document(id="7", content="They bark.", meta={"path": "pets.csv", "kind": "dog"})
    >>> [(node.id, node.meta["anchor"], node.meta["kind"]) for node in make_row_tree(row, SectionSplitter())]
    [('7', 'pets.csv#7', 'dog')]
    """
    own = {_rename_key(key, value): value for key, value in row.meta.items() if not key.startswith("__")}
    path, address = row.meta["path"], f"{row.meta['path']}#{row.id}"
    anchor = own.pop("anchor", address)
    shared = {key: own.pop(key) for key in _SHARED_KEYS if key in own}
    root, *passages = splitter.run([Document(id=row.id, content=row.content, meta=own)])["documents"]
    large = [key for key, value in own.items() if _estimate_size(value) * len(passages) > _MAX_COPIED_CHARACTERS]
    sections = [node.meta["anchor"] for node in passages if "anchor" in node.meta]
    anchors = {path: anchor, **{section: address + section.removeprefix(path) for section in sections}}
    for node in (root, *passages):
        if "anchor" in node.meta:
            node.meta["anchor"] = anchors[node.meta["anchor"]]
        _resolve_row_links(node.meta, path, anchors)
        node.meta.update(copy_value(shared))
    for node in passages:
        for key in large:
            node.meta.pop(key, None)
    return [root, *passages]


def _with_language(trees: list[list[Document]]) -> list[list[Document]]:
    """Return the trees of rows, whose leaves are labelled with the language of most of the text."""
    sample = "\n".join((tree[0].content or "")[:_SAMPLE_CHARACTERS] for tree in trees[:_SAMPLE_ROWS])
    language = recognise_language(sample)
    for tree in trees:
        label_language(tree, language)
    return trees


def _resolve_row_links(meta: Meta, path: str, anchors: Mapping[str, str]) -> None:
    """Resolve links within the row and to other rows of the file, unknown to the splitter."""
    broken = meta.pop("broken_links", [])
    rows = [link for link in broken if link.startswith(f"{path}#")]
    links = [anchors.get(link, link) for link in [*meta.pop("links", []), *rows]]
    still_broken = [link for link in broken if link not in rows]
    meta.update({key: value for key, value in (("links", links), ("broken_links", still_broken)) if value})


def _estimate_size(value: Json) -> int:
    """Return the approximate number of characters of a value as JSON."""
    if isinstance(value, str):
        return len(value)
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 8 + sum(map(_estimate_size, inner))


def _rename_key(key: str, value: Json) -> str:
    is_reserved = key in _RESERVED_KEYS or (key == "anchor" and not isinstance(value, str))
    return f"row_{key}" if is_reserved else key
