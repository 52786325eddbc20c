"""Operations on a store as a whole: check, rebuild, compact, back up, export."""

import logging
import os
import uuid
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from pathlib import Path

import apsw

from spaniel.dataclasses import Document
from spaniel.document_stores.embedded.async_methods import in_reader_thread, in_writer_thread
from spaniel.document_stores.embedded.indexing import Analyzer
from spaniel.document_stores.local.database.error_translation import translate_errors, translate_row_errors
from spaniel.document_stores.local.database.read_snapshot import ReadSnapshot
from spaniel.document_stores.local.database.rows import decode_embedding
from spaniel.document_stores.local.database.schema import change_analyzer
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

_ANY_VECTOR = """
SELECT embedding, embedding_type FROM attachments JOIN nodes USING (slot) WHERE embedding IS NOT NULL AND searched LIMIT 1
"""


class MaintenanceMethods:
    """The methods of `LocalDocumentStore` that read or rewrite the store as a whole."""

    _state: LocalState
    async_executor: Executor | None

    def iterate(self, *, batch: int = 1000, after: str | None = None) -> Iterator[Document]:
        """Yield all documents in the order of their ids, with their embeddings.

        A batch is in memory at a time. Others may write meanwhile, and their writes may be seen.

        :param batch: number of documents to read at a time.
        :param after: continue after this id.
        """
        while True:
            with self._state.reading() as snapshot:
                found = snapshot.documents_after(after, batch)
            yield from found
            if len(found) < batch:
                return
            after = found[-1].id

    def vector_size(self) -> int | None:
        """Return the number of dimensions of a searched embedding, or None if there is none."""
        with self._state.reading() as snapshot:
            for embedding, kind in snapshot.rows(_ANY_VECTOR):
                return len(decode_embedding(embedding, kind))
        return None

    def check(self) -> list[str]:
        """Return the problems of the store, a sentence each; none if it is intact.

        It reads every page and every document, and compares the keyword index with a new one.
        """
        state, file = self._state, self._state.database.file
        state.folder_state.reject_in_transaction("check()")

        def list_problems() -> list[str]:
            try:
                with state.reading() as snapshot, translate_errors(file), translate_row_errors(file):
                    in_database = list_database_problems(snapshot, state.indexing.search_scope)
                    in_index = list_index_problems(state.indexes.source, snapshot)
                    return limit_similar([*in_database, *in_index])
            except StoreFileError as error:
                return [str(error)]

        return state.read_consistently(list_problems)

    check_async = in_reader_thread(check)

    def rebuild(self, *, analyzer: Analyzer | None = None, fields: Mapping[str, float] | None = None) -> None:
        """Build the index from the documents, and replace its files.

        Another analyzer or other fields are stored with it; a crash leaves the old or the new.
        Other processes follow, unless they lack a function that is the analyzer.

        :param analyzer: None: as before.
        :param fields: None: as before; ``{}``: none.
        :raises ValueError: the analyzer or a field is invalid.
        :raises StoreLockedError: another process is writing.
        """
        folder_state = self._state.folder_state
        change_analyzer({}, analyzer, fields)  # raises before the store is locked
        with folder_state.write_lock(self._state.timeout, "rebuild()"), self._state.transaction() as transaction:
            try:
                indexes = folder_state.indexes
                indexes.rebuild(transaction, analyzer, change_analyzer(indexes.source.stored, analyzer, fields))
            except OSError as error:
                message = f"The index in '{folder_state.folder}' can't be written: {error.strerror}."
                raise StoreWriteError(message) from error

    rebuild_async = in_writer_thread(rebuild)

    def compact(self) -> None:
        """Return the space of deleted documents to the disk.

        Meanwhile it needs the space of the documents once more. Others may read.

        :raises StoreLockedError: another process is writing.
        :raises StoreWriteError: the disk is full. The store is unchanged then.
        """
        state, folder_state, database = self._state, self._state.folder_state, self._state.database
        with folder_state.write_lock(state.timeout, "compact()"), folder_state.lock.hold():
            with state.transaction() as transaction:
                transaction.forget_deleted()  # the saved index lacks the deleted documents, so nobody needs them
                state.indexes.flush(0)
            with translate_errors(database.file), folder_state.connection_lock:
                database.writer().execute("VACUUM")
                database.limit_wal(0)

    compact_async = in_writer_thread(compact)

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copy the documents to a new folder, which becomes a store. Others may read and write.

        :param path: the folder; it must be missing or empty.
        :raises DocumentStoreError: the folder is not empty.
        :raises StoreWriteError: the copy can't be written. Nothing is left of it then.
        """
        with self._state.reading() as snapshot:
            copy_database(snapshot, Path(path), self._state.database.vfs)

    backup_async = in_reader_thread(backup)

    def export(
        self,
        path: str | os.PathLike[str],
        *,
        progress: Callable[[int], None] = lambda _: None,
        skip_damaged: bool = False,
    ) -> int:
        """Write documents with embeddings to a file, a line of JSON each; return their number.

        :param path: the file. It is replaced atomically.
        :param progress: called after each document with the number so far.
        :param skip_damaged: skip unreadable documents, to rescue those of a damaged database.
        :raises OSError: the file can't be written.
        :raises StoreFileError: a document can't be read. No file is written then.
        """
        with self._state.reading() as snapshot:
            if skip_damaged:
                documents = snapshot.readable_documents()
            else:
                documents = (document for _, document in snapshot.documents())
            count, total = write_lines(path, documents, progress), snapshot.count
            if skip_damaged and count != total:
                logger.warning("%d of %d documents could not be read, and are not in '%s'.", total - count, total, path)
            return count

    export_async = in_reader_thread(export)


def copy_database(snapshot: ReadSnapshot, folder: Path, vfs: str | None = None) -> None:
    """Copy the database of a snapshot to a new or empty folder."""
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
