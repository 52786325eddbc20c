"""Operations on a store as a whole: check, rebuild, compact, back up, export."""

import logging
import os
import uuid
from collections.abc import Callable
from pathlib import Path

from spaniel.document_stores.local.database.error_translation import translate_errors, translate_row_errors
from spaniel.document_stores.local.database.read_snapshot import ReadSnapshot
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


def check_store(state: LocalState) -> list[str]:
    """Return the problems of the database, the rows and the index files."""
    state.folder_state.reject_in_transaction("check()")
    file, scope = state.database.file, state.indexing.search_scope

    def list_problems() -> list[str]:
        try:
            with state.reading() as snapshot, translate_errors(file), translate_row_errors(file):
                in_database = list_database_problems(snapshot, scope)
                in_index = list_index_problems(state.indexes.source, snapshot)
                return limit_similar([*in_database, *in_index])
        except StoreFileError as error:
            return [str(error)]

    return state.read_consistently(list_problems)


def rebuild_index(state: LocalState) -> None:
    """Build the index from the documents, and save it."""
    folder_state = state.folder_state
    with folder_state.write_lock(state.timeout, "rebuild()"), state.transaction() as transaction:
        try:
            folder_state.indexes.rebuild(transaction.snapshot)
        except OSError as error:
            message = f"The index in '{folder_state.folder}' can't be written: {error.strerror}."
            raise StoreWriteError(message) from error


def compact_store(state: LocalState) -> None:
    """Return the space of deleted documents to the disk."""
    folder_state, database = state.folder_state, state.database
    with folder_state.write_lock(state.timeout, "compact()"), folder_state.lock.hold():
        with state.transaction() as transaction:
            transaction.drop_tombstones()  # the saved index lacks the deleted documents, so nobody needs them
            state.indexes.flush(0)
        with translate_errors(database.file), folder_state.connection_lock:
            database.writer().execute("VACUUM")
            database.limit_wal(0)


def export_documents(
    state: LocalState, path: str | os.PathLike[str], progress: Callable[[int], None], *, skip_damaged: bool
) -> int:
    """Write the documents to a file as lines of JSON, and return their number."""
    with state.reading() as snapshot:
        if skip_damaged:
            documents = snapshot.readable_documents()
        else:
            documents = (document for _, document in snapshot.documents())
        count, total = write_lines(path, documents, progress), snapshot.count
        if skip_damaged and count != total:
            logger.warning("%d of %d documents could not be read, and are not in '%s'.", total - count, total, path)
        return count


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
