"""The files of a knowledge base with their documents: in a store to be searched, in a log to be kept."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
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

    def remove(self, path: str) -> int:
        """Return how many documents of a file were taken out."""
        documents = self._documents_of(path)
        self._log.remove(path)
        self.store.delete_documents([document.id for document in documents])
        self.files.pop(path, None)
        return len(documents)

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
        waiting: list[Document] = []
        for tree in self._trees():
            waiting += tree
            if len(waiting) > _BATCH:
                self.store.write_documents(waiting, policy=DuplicatePolicy.OVERWRITE)
                waiting = []
        self.store.write_documents(waiting, policy=DuplicatePolicy.OVERWRITE)

    def _trees(self) -> Iterator[list[Document]]:
        for key, value in self._log.items():
            if key == _FOLDERS:
                self.folders = [_folder(folder) for folder in value]
            else:
                self.files[key] = IndexedFile(**value["file"])
                yield unpacked(value["tree"])


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


def _folder(data: dict[str, Any]) -> Folder:
    return Folder(Path(data["place"]), data["prefix"])
