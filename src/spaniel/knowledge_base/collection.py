"""The files of a knowledge base with their documents: in a store to be searched, in a log to be kept."""

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from spaniel.dataclasses import Document
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.errors import KnowledgeBaseError
from spaniel.knowledge_base.folders import Folder
from spaniel.knowledge_base.indexed_file import IndexedFile
from spaniel.knowledge_base.log import Log
from spaniel.knowledge_base.trees import packed, unpacked

_FOLDERS = "/"  # no file's path
_BATCH = 5000
_PART = "\0"  # in no file's path


class Collection:
    """What is indexed.

    :param file: where it is kept; need not exist yet.
    :raises KnowledgeBaseError: the file is damaged, or of another format.
    """

    def __init__(self, file: Path) -> None:
        self._log = Log(file)
        self.store = InMemoryDocumentStore(shared=False, search="leaves")
        self.files: dict[str, IndexedFile] = {}
        self.folders: list[Folder] = []
        self._fields: dict[str, set[str]] = {}
        try:
            with _collector_paused():
                self._load()
        except (KeyError, TypeError, IndexError, AttributeError) as error:
            raise KnowledgeBaseError(
                f"{file} is damaged: {error!r}. Delete the folder '{file.parent}' and index again."
            ) from error

    @property
    def is_current(self) -> bool:
        """Whether no other process has changed it since it was read."""
        return self._log.is_current

    def put(self, path: str, file: IndexedFile, tree: Sequence[Document]) -> None:
        """Take up a file, in place of its earlier version.

        :param path: of the file in the knowledge base.
        :param file: which version it is.
        :param tree: its documents, root first; none if it holds no text.
        """
        kept = {document.id for document in tree}
        old = [document.id for document in self._documents_of(path) if document.id not in kept]
        self._log.put(path, {"file": asdict(file), "tree": packed(tree)})
        self.store.write_documents(list(tree), policy=DuplicatePolicy.OVERWRITE)
        self.store.delete_documents(old)
        self.files[path] = file
        self._fields[path] = _fields_of(tree)

    def put_rows(self, path: str, file: IndexedFile, batches: Iterable[Sequence[Sequence[Document]]]) -> int:
        """Return how many documents were taken up: those of a file of rows, in place of its earlier version.

        Nothing changes if `batches` fails.

        :param path: of the file in the knowledge base.
        :param file: which version it is.
        :param batches: trees of documents, some at a time; no more are held at once.
        """
        parts: list[str] = []
        taken_by = file.ids_taken_by  # is filled while the rows are read
        try:
            for trees in batches:
                parts.append(_part(path, file, len(parts)))
                self._log.put(parts[-1], [packed(tree) for tree in trees])
        except BaseException:
            for part in parts:
                self._log.remove(part)
            raise
        file = replace(file, parts=len(parts), ids_taken_by=sorted(set(taken_by)))
        old = self.files.get(path)
        self._log.put(path, {"file": asdict(file)})
        self._forget_parts(path, old)
        if old is not None:
            self.store.delete_by_filter({"field": "meta.path", "operator": "==", "value": path})
        self.files[path] = file
        self._fields[path] = set()
        return self._write(self._rows(path, file))

    def remove(self, path: str) -> int:
        """Return how many documents of a file were taken out."""
        documents = self._documents_of(path)
        self._log.remove(path)
        self.store.delete_documents([document.id for document in documents])
        self._forget_parts(path, self.files.pop(path, None))
        self._fields.pop(path, None)
        return len(documents)

    def drop_leftovers(self) -> None:
        """Forget the rows of files that a process was reading when it died."""
        known = {part for path, file in self.files.items() for part in _parts(path, file)}
        for key in self._log:
            if _PART in key and key not in known:
                self._log.remove(key)

    def owner_of(self, id: str) -> str | None:
        """Return the file that a document is from; None if there is no such document."""
        found = self.store.get_documents_by_id([id])
        return found[0].meta["path"] if found else None

    def fields(self) -> set[str]:
        """Return the metadata keys of all documents; they are noted by file, so no document is looked at."""
        return set().union(*self._fields.values())

    def set_folders(self, folders: Sequence[Folder]) -> None:
        """Note which folders are indexed."""
        if self.folders != list(folders):
            self.folders = list(folders)
            self._log.put(_FOLDERS, [{"place": str(folder.place), "prefix": folder.prefix} for folder in folders])

    def roots(self) -> list[Document]:
        """Return the documents of whole files."""
        return self.store.get_documents_by_id([file.root_id for file in self.files.values() if file.root_id])

    def save(self) -> None:
        """Make all changes safe."""
        self._log.flush()

    def close(self) -> None:
        """Make all changes safe, and let the file go."""
        self._log.close()

    def _documents_of(self, path: str) -> list[Document]:
        return self.store.get_documents_by_key("meta.path", [path]) if path in self.files else []

    def _load(self) -> None:
        self._write(self._trees())

    def _write(self, trees: Iterable[list[Document]]) -> int:
        waiting: list[Document] = []
        count = 0
        for tree in trees:
            waiting += tree
            count += len(tree)
            if len(waiting) > _BATCH:
                self.store.write_documents(waiting, policy=DuplicatePolicy.OVERWRITE)
                waiting = []
        self.store.write_documents(waiting, policy=DuplicatePolicy.OVERWRITE)
        return count

    def _trees(self) -> Iterator[list[Document]]:
        keys = [key for key in self._log if _PART not in key]
        for key, value in zip(keys, self._log.values(keys), strict=True):
            if key == _FOLDERS:
                self.folders = [_folder(folder) for folder in value]
                continue
            file = self.files[key] = IndexedFile(**value["file"])
            self._fields[key] = set()
            if file.parts is None:
                tree = unpacked(value["tree"])
                self._fields[key] = _fields_of(tree)
                yield tree
            else:
                yield from self._rows(key, file)

    def _rows(self, path: str, file: IndexedFile) -> Iterator[list[Document]]:
        for trees in self._log.values(_parts(path, file)):
            for tree in map(unpacked, trees):
                self._fields[path] |= _fields_of(tree)
                yield tree

    def _forget_parts(self, path: str, file: IndexedFile | None) -> None:
        for part in _parts(path, file) if file is not None else ():
            self._log.remove(part)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Make no search for cycles: it would double the time to load many small objects that all stay."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _part(path: str, file: IndexedFile, number: int) -> str:
    """Return under which key a part of a file's rows is kept; no two versions of a file share one."""
    return f"{path}{_PART}{file.indexed_ns}{_PART}{number}"


def _parts(path: str, file: IndexedFile) -> list[str]:
    return [_part(path, file, number) for number in range(file.parts or 0)]


def _fields_of(tree: Sequence[Document]) -> set[str]:
    return set().union(*(document.meta for document in tree))


def _folder(data: dict[str, Any]) -> Folder:
    return Folder(Path(data["place"]), data["prefix"])
