"""Operations on a store as a whole: check, rebuild, compact, back up, export."""

import logging
import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

from spaniel.dataclasses import Document
from spaniel.document_stores.local.database.error_translation import translate_errors, translate_row_errors
from spaniel.document_stores.local.database.read_snapshot import ReadSnapshot
from spaniel.document_stores.local.database.rows import decode_embedding
from spaniel.document_stores.local.files import DATABASE, make_durable_folder, sync_folder
from spaniel.document_stores.local.local_state import LocalState
from spaniel.document_stores.local.maintenance.integrity import (
    limit_similar,
    list_database_problems,
    list_index_problems,
)
from spaniel.document_stores.local.maintenance.jsonl import write_lines
from spaniel.errors import DocumentStoreError, StoreFileError, StoreWriteError

logger = logging.getLogger(__name__)

_ANY_VECTOR = "SELECT embedding, embedding_type FROM documents WHERE embedding IS NOT NULL AND searched LIMIT 1"


class MaintenanceOperations:
    """The operations behind the maintenance methods of `LocalDocumentStore`."""

    def __init__(self, state: LocalState) -> None:
        self._state = state
        self._folder_state = state.folder_state
        self._database = state.database

    def check(self) -> list[str]:
        """Return the problems of the database, the rows and the index files."""
        self._folder_state.reject_in_transaction("check()")
        return self._state.read_consistently(self._list_problems)

    def _list_problems(self) -> list[str]:
        file, scope = self._database.file, self._state.indexing.search_scope
        try:
            with self._state.reading() as snapshot, translate_errors(file), translate_row_errors(file):
                in_database = list_database_problems(snapshot, scope)
                in_index = list_index_problems(self._state.indexes.source, snapshot)
                return limit_similar([*in_database, *in_index])
        except StoreFileError as error:
            return [str(error)]

    def rebuild(self) -> None:
        """Build the index from the documents, and save it."""
        folder_state = self._folder_state
        with folder_state.write_lock(self._state.timeout, "rebuild()"), self._state.transaction() as transaction:
            try:
                folder_state.indexes.rebuild(transaction.snapshot)
            except OSError as error:
                message = f"The index in '{folder_state.folder}' can't be written: {error.strerror}."
                raise StoreWriteError(message) from error

    def compact(self) -> None:
        """Return the space of deleted documents to the disk."""
        with self._folder_state.write_lock(self._state.timeout, "compact()"), self._folder_state.lock.hold():
            with self._state.transaction() as transaction:
                transaction.drop_tombstones()  # the saved index lacks the deleted documents, so nobody needs them
                self._state.indexes.flush(0)
            with translate_errors(self._database.file), self._folder_state.connection_lock:
                self._database.writer().execute("VACUUM")
                self._database.limit_wal(0)

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copy the database to a new folder."""
        with self._state.reading() as snapshot:
            copy_database(snapshot, Path(path), self._database.vfs)

    def export(self, path: str | os.PathLike[str], progress: Callable[[int], None], *, skip_damaged: bool) -> int:
        """Write the documents to a file as lines of JSON, and return their number."""
        with self._state.reading() as snapshot:
            if skip_damaged:
                documents = snapshot.readable_documents()
            else:
                documents = (document for _, document in snapshot.documents())
            count, total = write_lines(path, documents, progress), snapshot.count
            if skip_damaged and count != total:
                logger.warning("%d of %d documents could not be read, and are not in '%s'.", total - count, total, path)
            return count

    def iterate(self, batch: int, after: str | None) -> Iterator[Document]:
        """Yield all documents in the order of their ids, in a read transaction per batch."""
        while True:
            with self._state.reading() as snapshot:
                found = snapshot.documents_after(after, batch)
            yield from found
            if len(found) < batch:
                return
            after = found[-1].id

    def vector_size(self) -> int | None:
        """Return the size of a searched embedding, or None if there is none."""
        with self._state.reading() as snapshot:
            for embedding, kind in snapshot.rows(_ANY_VECTOR):
                return len(decode_embedding(embedding, kind))
        return None


def copy_database(snapshot: ReadSnapshot, folder: Path, vfs: str | None = None) -> None:
    """Copy the database of a snapshot to a new or empty folder."""
    import apsw

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DocumentStoreError(f"'{folder}' is there already. Give the path of a new folder, or of an empty one.")
    new, target = folder / f"{DATABASE}-new", folder / DATABASE
    made = not folder.exists()
    try:
        make_durable_folder(folder)
        with translate_errors(new):
            connection = apsw.Connection(str(new), vfs=vfs)
            try:
                backup = connection.backup("main", snapshot.connection, "main")
                try:
                    backup.step()
                finally:
                    backup.close(True)
                connection.execute("PRAGMA journal_mode = DELETE").fetchall()
                # A store id of its own, so that the two stores never use each other's index.
                connection.execute("UPDATE state SET lineage = ?", (uuid.uuid4().hex,))
                connection.execute("PRAGMA journal_mode = WAL").fetchall()
            finally:
                connection.close()
        new.replace(target)
        sync_folder(folder)
    except BaseException as error:
        for leftover in list(folder.glob(f"{DATABASE}*")):  # the folder was empty before
            leftover.unlink(missing_ok=True)
        if made and folder.is_dir():
            folder.rmdir()
        if isinstance(error, OSError):
            raise StoreWriteError(
                f"The copy in '{folder}' can't be written: {error.strerror}. Make room, or choose another folder."
            ) from error
        raise
