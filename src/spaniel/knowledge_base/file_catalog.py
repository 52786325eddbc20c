"""The indexed files of a knowledge base, and their documents."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from spaniel.dataclasses import Document
from spaniel.errors import DocumentStoreError, KnowledgeBaseError, StoreFileError, StoreLockedError
from spaniel.json_types import JsonObject
from spaniel.knowledge_base.backend import (
    EMBEDDER,
    FILE,
    FOLDERS,
    LINK_TARGETS,
    PLACE,
    UNFINISHED,
    AnyStore,
    KnowledgeBaseBackend,
    file_key,
)
from spaniel.knowledge_base.file_scan import IndexedFolder
from spaniel.knowledge_base.indexed_file import IndexedFile
from spaniel.knowledge_base.relocation import find_moved, move_place

_REQUIRED = ("file", "size", "modified_ns", "digest", "indexed_ns")
_DEFAULTS = {name: value for name, value in asdict(IndexedFile("", 0, 0, "", 0)).items() if name not in _REQUIRED}
_USUAL_FIELDS = frozenset(
    {
        *("__block_size", "__children_ids", "__end", "__language", "__level", "__parent_id", "__root_id", "__start"),
        *("anchor", "code_blocks", "heading_slugs", "headings", "links", "page_number", "path", "references"),
        *(
            "end_line",
            "line",
            "reference_lines",
            "section",
            "source_id",
            "split_id",
            "split_idx_start",
            "title",
            "urls",
        ),
    }
)
"""The metadata keys of most files of text. Stored records depend on them: they may not change."""

if TYPE_CHECKING:
    from spaniel.knowledge_base.passage_embedding import PassageEmbedding


class FileCatalog:
    """The files, folders and metadata keys of a knowledge base, as its records list them.

    Changes are made inside `changing`; `refresh` loads those of other processes.

    :param backend: of the knowledge base.
    :raises KnowledgeBaseError: the records are damaged, or of another format.
    """

    def __init__(self, backend: KnowledgeBaseBackend) -> None:
        self.backend = backend
        self._version: object = None
        self._is_stale = True
        self._files: dict[str, IndexedFile] = {}
        self._folders: list[IndexedFolder] = []
        self._fields: dict[str, set[str]] = {}
        self._counts: dict[str, int] = {}
        self._link_targets = ""
        self._places: dict[str, str] = {}
        self._has_moved = False
        self._embedder: JsonObject | None = None
        self.embedding: PassageEmbedding | None = None
        """Embeds the passages of files that are stored."""
        self.leaving: set[str] = set()
        """Files that are about to be removed, so that others may reuse their ids."""
        self.refresh()

    @property
    def store(self) -> AnyStore:
        """The document store; created on first use."""
        with translate_store_errors(self.backend):
            return self.backend.store

    @property
    def files(self) -> dict[str, IndexedFile]:
        """The indexed files by path."""
        self._load_if_changed()
        return self._files

    @property
    def folders(self) -> list[IndexedFolder]:
        """The indexed folders."""
        self._load_if_changed()
        return self._folders

    @property
    def link_targets(self) -> str:
        """The digest of the targets to which all links are known to be resolved; "" if unknown."""
        self._load_if_changed()
        return self._link_targets

    @property
    def embedder(self) -> JsonObject | None:
        """The record of the embedder of passages; None if they have no vectors."""
        self._load_if_changed()
        return self._embedder

    def refresh(self) -> None:
        """Load the changes of other processes; a remote catalog does so on its next use."""
        self._is_stale = True
        if not self.backend.is_remote:
            self._load_if_changed()

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Hold the write lock for the block; each change in it is atomic.

        :raises KnowledgeBaseError: another process is writing, or the disk or the cluster fails.
        """
        with translate_store_errors(self.backend), self.backend.write_lock():
            try:
                with self.backend.batch():
                    self._load()
                    self._is_stale = False
                    yield
                self._version = self.backend.get_version()
            except BaseException:
                self._version = None  # the memory may be ahead of the storage
                self._is_stale = True
                raise

    def flush(self) -> None:
        """Make all changes so far durable."""
        self.backend.flush()

    def pop_rejected(self) -> dict[str, str]:
        """Flush, and return the files with rejected documents and the reason; the next run retries."""
        self.backend.flush()
        return self.backend.pop_rejected()

    def put(self, path: str, file: IndexedFile, tree: Sequence[Document]) -> None:
        """Store a file in place of its earlier version.

        :param path: of the file in the knowledge base.
        :param file: its version.
        :param tree: its documents, root first; empty for a file without text.
        """
        fields, embedder = _collect_fields(tree), ""
        if self.embedding is not None:
            tree, embedder = list(self.embedding.embed(tree, self._find_embedded(path))), self.embedding.id
        file = replace(file, embedder=embedder)
        self.backend.replace_file(path, tree, _make_record(file, fields, len(tree)), known=path in self.files)
        self.files[path], self._fields[path] = file, fields

    def put_rows(self, path: str, file: IndexedFile, batches: Iterable[Sequence[Sequence[Document]]]) -> int:
        """Store a file of rows in place of its earlier version, and return the number of documents.

        :param path: of the file in the knowledge base.
        :param file: its version; its `ids_taken_by` may grow while the batches are read.
        :param batches: the trees of documents; a batch is held in memory at a time.
        """
        fields: set[str] = set()
        count, counted = 0, file

        def iterate_documents() -> Iterator[Document]:
            nonlocal count, counted
            for trees in batches:
                for tree in trees:
                    fields.update(_collect_fields(tree))
                    count += len(tree)
                    yield from tree
                counted = counted.with_passages(document for tree in trees for document in tree)

        documents: Iterator[Document] = iterate_documents()
        if self.embedding is not None:
            documents = self.embedding.embed(documents, self._find_embedded(path))

        def finish_file() -> IndexedFile:
            embedder = "" if self.embedding is None else self.embedding.id
            return replace(counted, holds_rows=True, ids_taken_by=sorted(set(file.ids_taken_by)), embedder=embedder)

        written = self.backend.replace_rows(
            path,
            documents,
            lambda: _make_record(finish_file(), fields, count),
            known=path in self.files,
        )
        self.files[path], self._fields[path] = finish_file(), fields
        return written

    def mark_unfinished(self, path: str) -> None:
        """Record that a file must be read again."""
        self.files[path] = file = self.files[path].mark_unfinished()
        self.backend.write_records({file_key(path): _make_record(file, self._fields[path], None)})

    def remove(self, path: str) -> int:
        """Remove a file, and return the number of its documents."""
        count = self.backend.delete_file(path, _make_record(self.files[path], self._fields[path], 0))
        self.files.pop(path)
        self._fields.pop(path)
        return count

    def find_owners(self, ids: Iterable[str]) -> dict[str, str]:
        """Return the file of each of these documents; unknown ids are left out."""
        owners = self.backend.find_owners(ids)
        return {id: path for id, path in owners.items() if path not in self.leaving} if self.leaving else owners

    def list_fields(self) -> set[str]:
        """Return the metadata keys of all documents, without reading any."""
        return self.backend.list_fields(set() if self.backend.is_remote else set().union(*self._fields.values()))

    def locate_files(self, paths: Iterable[str]) -> dict[str, str]:
        """Return the absolute path of each of these files; unknown ones are left out.

        A remote catalog remembers them, so that a search reads only the records of new files.
        """
        if not self.backend.is_remote:
            files = self.files
            return {path: files[path].file for path in paths if path in files}
        paths = set(paths)
        if missing := [file_key(path) for path in paths - self._places.keys()]:
            with translate_store_errors(self.backend):
                found = self.backend.read_records(missing)
            self._places |= {key.removeprefix(FILE): record["file"]["file"] for key, record in found.items()}
        return {path: self._places[path] for path in paths if path in self._places}

    def set_folders(self, folders: Sequence[IndexedFolder]) -> None:
        """Record the indexed folders, and the places of all files if the knowledge base has moved."""
        if self.folders == list(folders) and not self._has_moved:
            return
        self._folders = list(folders)
        records: JsonObject = {FOLDERS: [folder.to_record() for folder in folders]}
        if self.backend.folder is not None:
            records[PLACE] = str(self.backend.folder.resolve())
        if self._has_moved:
            records |= {
                file_key(path): _make_record(file, self._fields[path], self._counts.get(path))
                for path, file in self.files.items()
            }
        self.backend.write_records(records)
        self._has_moved = False

    def set_link_targets(self, digest: str) -> None:
        """Record the digest of the targets to which all links are resolved."""
        if self.link_targets != digest:
            self._link_targets = digest
            self.backend.write_records({LINK_TARGETS: digest})

    def set_embedder(self, record: JsonObject | None) -> None:
        """Record the embedder of passages."""
        if self.embedder != record:
            self._embedder = record
            self.backend.write_records({EMBEDDER: record})

    def _find_embedded(self, path: str) -> Iterable[Document]:
        """Return the stored documents of a file whose vectors the embedder would make again."""
        known = self.files.get(path)
        is_same = known is not None and self.embedding is not None and known.embedder == self.embedding.id
        return list(self.backend.find_embedded(path)) if is_same else ()

    def find_roots(self) -> Iterable[Document]:
        """Return the documents of whole files, with at least their path and links."""
        return self.backend.find_roots([file.root_id for file in self.files.values() if file.root_id])

    def find_problems(self) -> list[str]:
        """Return a sentence per problem."""
        with translate_store_errors(self.backend):
            files = {path: _make_record(file, set(), self._counts.get(path)) for path, file in self.files.items()}
            return self.backend.find_problems(files)

    def _load_if_changed(self) -> None:
        if not self._is_stale:
            return
        with translate_store_errors(self.backend):
            if self.backend.exists():
                version = self.backend.get_version()
                if version != self._version or version is None:
                    self._load()
                    self._version = version
        self._is_stale = False

    def _load(self) -> None:
        files, folders, fields, counts, link_targets, place, embedder = {}, [], {}, {}, "", None, None
        try:
            for key, value in self.backend.read_records().items():
                if key == FOLDERS:
                    folders = [IndexedFolder.from_record(folder) for folder in value]
                elif key == PLACE:
                    place = Path(value)
                elif key == LINK_TARGETS:
                    link_targets = str(value)
                elif key == EMBEDDER:
                    embedder = value
                elif key.startswith(FILE):
                    path = key.removeprefix(FILE)
                    value["file"].pop("labels", None)  # of an older version, which kept them there
                    file = IndexedFile(**value["file"])
                    files[path] = file.mark_unfinished() if value.get(UNFINISHED) else file
                    fields[path] = _read_fields(value)
                    if (count := value.get("documents")) is not None:
                        counts[path] = count
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise StoreFileError(f"The records of '{self.backend.place}' are damaged: {error!r}.") from error
        here = None if self.backend.folder is None else self.backend.folder.resolve()
        self._has_moved = place is not None and here is not None and place != here
        if place is not None and here is not None and self._has_moved:
            moved = find_moved((folder.place for folder in folders), place, here)
            folders = [replace(folder, place=move_place(folder.place, moved)) for folder in folders]
            files = {path: replace(it, file=str(move_place(Path(it.file), moved))) for path, it in files.items()}
        self._files, self._folders, self._fields, self._counts = files, folders, fields, counts
        self._link_targets, self._embedder = link_targets, embedder


@contextmanager
def translate_store_errors(backend: KnowledgeBaseBackend) -> Iterator[None]:
    """Raise errors of the store as `KnowledgeBaseError`.

    :param backend: named in the messages.
    """
    try:
        yield
    except StoreLockedError as error:
        raise KnowledgeBaseError(
            f"'{backend.place}' is being changed by {error.holder}. Wait until that is done, then try again."
        ) from error
    except StoreFileError as error:
        raise KnowledgeBaseError(f"{error} {backend.remedy}") from error
    except DocumentStoreError as error:
        raise KnowledgeBaseError(str(error)) from error


def _make_record(file: IndexedFile, fields: set[str], documents: int | None) -> JsonObject:
    """Return the record of a file, without values that many files share."""
    state = {UNFINISHED: True} if file.is_unfinished else {}
    count = {} if documents is None else {"documents": documents}
    values = {name: value for name, value in asdict(file).items() if name in _REQUIRED or value != _DEFAULTS[name]}
    missing = sorted(_USUAL_FIELDS - fields)
    keys: JsonObject = {"fields": sorted(fields)}
    if len(missing) < len(fields):
        keys = {"fields": sorted(fields - _USUAL_FIELDS), "missing_fields": missing}
    return {"file": values, **keys, **count, **state}


def _read_fields(record: JsonObject) -> set[str]:
    """Return the metadata keys of the documents of a file."""
    usual = _USUAL_FIELDS.difference(record["missing_fields"]) if "missing_fields" in record else ()
    return {*record["fields"], *usual}


def _collect_fields(tree: Sequence[Document]) -> set[str]:
    return set().union(*(document.meta for document in tree))
