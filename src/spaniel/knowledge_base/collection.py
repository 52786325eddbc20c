"""The files of a knowledge base with their documents, wherever they are kept."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from spaniel.dataclasses import Document
from spaniel.errors import DocumentStoreError, KnowledgeBaseError, StoreFileError, StoreLockedError
from spaniel.knowledge_base.folders import Folder
from spaniel.knowledge_base.indexed_file import IndexedFile, unfinished
from spaniel.knowledge_base.keeping import FILE, FOLDERS, UNFINISHED, Keeping


class Collection:
    """What is indexed. Changes are made inside `changing`; what another process has changed is seen by `refresh`.

    :param keeping: where.
    :raises KnowledgeBaseError: it is damaged, or of another format.
    """

    def __init__(self, keeping: Keeping) -> None:
        self.keeping = keeping
        self._seen: object = None
        self._is_stale = True
        self._files: dict[str, IndexedFile] = {}
        self._folders: list[Folder] = []
        self._fields: dict[str, set[str]] = {}
        self._counts: dict[str, int] = {}
        self.leaving: set[str] = set()
        """Files that are removed when others have taken up what is in them, so that their ids are free."""
        self.refresh()

    @property
    def store(self) -> Any:
        """The store of the documents; it is made if it is missing."""
        with told(self.keeping):
            return self.keeping.store

    @property
    def files(self) -> dict[str, IndexedFile]:
        """The indexed files, by their path."""
        self._look()
        return self._files

    @property
    def folders(self) -> list[Folder]:
        """The indexed folders."""
        self._look()
        return self._folders

    def refresh(self) -> None:
        """See what has changed since it was read."""
        self._is_stale = True
        if not self.keeping.is_remote:
            self._look()

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Make the changes of the block; others wait, or are refused. Each is made wholly or not at all, also if one fails.

        :raises KnowledgeBaseError: another process is writing, or the disk or the cluster fails.
        """
        with told(self.keeping), self.keeping.turn():
            try:
                with self.keeping.writing():
                    self.refresh_within()
                    yield
                self._seen = self.keeping.version()
            except BaseException:
                self._seen = None  # what is in memory may be ahead of what was made
                self._is_stale = True
                raise

    def refresh_within(self) -> None:
        """See what other processes have written before this one had its turn."""
        self._load()
        self._is_stale = False

    def save(self) -> None:
        """Make all changes so far safe."""
        self.keeping.save()

    def refused(self) -> dict[str, str]:
        """Return the files that could not be taken up, with the reason, after all changes are made; the next run tries again."""
        self.keeping.save()
        return self.keeping.refused()

    def put(self, path: str, file: IndexedFile, tree: Sequence[Document]) -> None:
        """Take up a file, in place of its earlier version.

        :param path: of the file in the knowledge base.
        :param file: which version it is.
        :param tree: its documents, root first; none if it holds no text.
        """
        fields = _fields_of(tree)
        self.keeping.replace(path, tree, _record(file, fields, len(tree)), known=path in self.files)
        self._note(path, file, fields)

    def put_rows(self, path: str, file: IndexedFile, batches: Iterable[Sequence[Sequence[Document]]]) -> int:
        """Return how many documents were taken up: those of a file of rows, in place of its earlier version.

        :param path: of the file in the knowledge base.
        :param file: which version it is.
        :param batches: trees of documents, some at a time; no more are held at once.
        """
        fields: set[str] = set()
        count = 0

        def rows() -> Iterator[Document]:
            nonlocal count
            for trees in batches:
                for tree in trees:
                    fields.update(_fields_of(tree))
                    count += len(tree)
                    yield from tree

        def read() -> IndexedFile:
            return replace(file, holds_rows=True, ids_taken_by=sorted(set(file.ids_taken_by)))  # filled meanwhile

        written = self.keeping.replace_rows(
            path, rows(), lambda: _record(read(), fields, count), known=path in self.files
        )
        self._note(path, read(), fields)
        return written

    def remove(self, path: str) -> int:
        """Return how many documents of a file were taken out."""
        file = self.files[path]
        count = self.keeping.remove(path, _record(file, self._fields[path], 0))
        self.files.pop(path)
        self._fields.pop(path)
        return count

    def owners_of(self, ids: Iterable[str]) -> dict[str, str]:
        """Return which file each of these documents is from; ids that there are not are left out."""
        owners = self.keeping.owners_of(ids)
        return {id: path for id, path in owners.items() if path not in self.leaving} if self.leaving else owners

    def fields(self) -> set[str]:
        """Return the metadata keys of all documents; they are noted by file, so no document is looked at."""
        return self.keeping.fields(set() if self.keeping.is_remote else set().union(*self._fields.values()))

    def set_folders(self, folders: Sequence[Folder]) -> None:
        """Note which folders are indexed."""
        if self.folders != list(folders):
            self._folders = list(folders)
            self.keeping.note(FOLDERS, [{"place": str(folder.place), "prefix": folder.prefix} for folder in folders])

    def roots(self) -> Iterable[Document]:
        """Return the documents of whole files, with their path and links at least."""
        return self.keeping.roots([file.root_id for file in self.files.values() if file.root_id])

    def problems(self) -> list[str]:
        """Return what is wrong, a sentence each."""
        with told(self.keeping):
            files = {path: _record(file, set(), self._counts.get(path)) for path, file in self.files.items()}
            return self.keeping.problems(files)

    def close(self) -> None:
        """Let the store go."""
        self.keeping.close()

    def _note(self, path: str, file: IndexedFile, fields: set[str]) -> None:
        self.files[path], self._fields[path] = file, fields

    def _look(self) -> None:
        """Read the records, if they have changed."""
        if not self._is_stale:
            return
        with told(self.keeping):
            if self.keeping.is_made():
                version = self.keeping.version()
                if version != self._seen or version is None:
                    self._load()
                    self._seen = version
        self._is_stale = False

    def _load(self) -> None:
        files, folders, fields, counts = {}, [], {}, {}
        try:
            for key, value in self.keeping.records().items():
                if key == FOLDERS:
                    folders = [_folder(folder) for folder in value]
                elif key.startswith(FILE):
                    path = key.removeprefix(FILE)
                    file = IndexedFile(**value["file"])
                    files[path] = unfinished(file) if value.get(UNFINISHED) else file
                    fields[path] = set(value["fields"])
                    if (count := value.get("documents")) is not None:
                        counts[path] = count
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise StoreFileError(f"The records of '{self.keeping.place}' are damaged: {error!r}.") from error
        self._files, self._folders, self._fields, self._counts = files, folders, fields, counts


@contextmanager
def told(keeping: Keeping) -> Iterator[None]:
    """Raise errors of the store as errors of a knowledge base.

    :param keeping: where it is kept.
    """
    try:
        yield
    except StoreLockedError as error:
        raise KnowledgeBaseError(
            f"'{keeping.place}' is being changed by {error.holder}. Wait until that is done, then try again."
        ) from error
    except StoreFileError as error:
        raise KnowledgeBaseError(f"{error} {keeping.remedy}") from error
    except DocumentStoreError as error:
        raise KnowledgeBaseError(str(error)) from error


def _record(file: IndexedFile, fields: set[str], documents: int | None) -> dict[str, Any]:
    state = {UNFINISHED: True} if file.is_unfinished else {}
    counted = {} if documents is None else {"documents": documents}
    return {"file": asdict(file), "fields": sorted(fields), **counted, **state}


def _fields_of(tree: Sequence[Document]) -> set[str]:
    return set().union(*(document.meta for document in tree))


def _folder(data: dict[str, Any]) -> Folder:
    return Folder(Path(data["place"]), data["prefix"])
