"""What is done to a store as a whole: checked, rebuilt, compacted, copied."""

from __future__ import annotations

import logging
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from spaniel.document_stores.embedded.async_methods import in_reader_thread, in_writer_thread
from spaniel.document_stores.local.database.error_translation import told
from spaniel.document_stores.local.database.rows import unpacked
from spaniel.document_stores.local.files import DATABASE, make_lasting, sync_folder
from spaniel.document_stores.local.maintenance.jsonl import read_lines, write_lines
from spaniel.document_stores.types.policy import DuplicatePolicy
from spaniel.errors import DocumentStoreError, StoreWriteError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Executor

    from spaniel.dataclasses import Document
    from spaniel.document_stores.local.database.read_snapshot import View
    from spaniel.document_stores.local.store_state import LocalContents


logger = logging.getLogger(__name__)

_ANY_VECTOR = "SELECT embedding, embedding_type FROM documents WHERE embedding IS NOT NULL AND searched LIMIT 1"


class Maintenance:
    """The methods that take the store as a whole."""

    async_executor: Executor | None
    _state: LocalContents

    def check(self) -> list[str]:
        """Return what is wrong with the store, a sentence each; nothing if it is whole.

        Every page and every document is read, and the keyword index is compared with one built from the documents.
        """
        return self._state.problems()

    check_async = in_reader_thread(check)

    def rebuild(self) -> None:
        """Build the index again from the documents, and write its files anew.

        :raises StoreLockedError: another process is writing.
        """
        self._state.rebuild()

    rebuild_async = in_writer_thread(rebuild)

    def compact(self) -> None:
        """Give the room of deleted documents back to the disk.

        It takes as much room as the documents while it is done. Others may read meanwhile.

        :raises StoreLockedError: another process is writing.
        :raises StoreWriteError: the disk is full. Nothing has changed then.
        """
        self._state.compact()

    compact_async = in_writer_thread(compact)

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copy the documents to a new folder, which is a store then. Others may read and write meanwhile.

        :param path: the folder; it must not exist, or be empty.
        :raises DocumentStoreError: there is something in it.
        :raises StoreWriteError: it can't be written. Nothing is there then.
        """
        with self._state.reading() as view:
            copy_database(view, Path(path), self._state.database.vfs)

    backup_async = in_reader_thread(backup)

    def export(
        self,
        path: str | os.PathLike[str],
        *,
        progress: Callable[[int], None] = lambda _: None,
        skip_damaged: bool = False,
    ) -> int:
        """Return how many documents were written to a file: each a line of JSON, with its embedding.

        :param path: the file. It is put in place of one that is there when it is whole.
        :param progress: called after each document with how many there are so far.
        :param skip_damaged: leave out what can't be read, instead of raising: the way out of a damaged database.
        :raises OSError: the file can't be written.
        :raises StoreFileError: a document can't be read. No file is written then.
        """
        with self._state.reading() as view:
            found = view.readable() if skip_damaged else (document for _, document in view.all())
            count = write_lines(path, found, progress)
            if skip_damaged and count != view.count:
                logger.warning(
                    "%d of %d documents could not be read, and are not in '%s'.", view.count - count, view.count, path
                )
            return count

    export_async = in_reader_thread(export)

    def iterate(self, *, batch: int = 1000, after: str | None = None) -> Iterator[Document]:
        """Yield all documents in the order of their ids, with their embeddings.

        No more than a batch is held. Others may write meanwhile, and what they write may be seen.

        :param batch: how many documents are read at a time.
        :param after: go on after this id.
        """
        while True:
            with self._state.reading() as view:
                found = view.after(after, batch)
            yield from found
            if len(found) < batch:
                return
            after = found[-1].id

    def vector_size(self) -> int | None:
        """Return how many numbers an embedding has that is searched; None if there is none."""
        with self._state.reading() as view:
            for embedding, kind in view.rows(_ANY_VECTOR):
                return len(unpacked(embedding, kind))
        return None

    def import_(
        self,
        path: str | os.PathLike[str],
        policy: DuplicatePolicy = DuplicatePolicy.NONE,
        *,
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Return how many documents of a file were written. The file is one that `export` wrote; it is taken wholly or not at all.

        :param path: the file.
        :param policy: what happens with an id that is stored already; ``NONE`` means ``FAIL``.
        :param progress: as for `write_documents`.
        :raises FileNotFoundError: there is no such file.
        :raises StoreFileError: a line is no document.
        :raises DuplicateDocumentError: the policy is ``FAIL`` and an id is there already.
        """
        return self.write_documents(read_lines(path), policy, progress=progress)

    import_async = in_writer_thread(import_)

    def write_documents(
        self,
        documents: Iterable[Document],
        policy: DuplicatePolicy = DuplicatePolicy.NONE,
        *,
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Return how many documents were written."""
        raise NotImplementedError


def copy_database(view: View, folder: Path, vfs: str | None = None) -> None:
    """Copy what a view sees to a folder.

    The copy counts as another database, so that an index of the first is never taken for one of the second, whatever is
    written to both.

    :param folder: is made if it is missing.
    :param vfs: the name of SQLite's file layer; None: the usual one.
    :raises DocumentStoreError: it is a file, or holds something.
    :raises StoreWriteError: it can't be written.
    """
    import apsw

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DocumentStoreError(f"'{folder}' is there already. Give the path of a new folder, or of an empty one.")
    new, target = folder / f"{DATABASE}-new", folder / DATABASE
    made = not folder.exists()
    try:
        make_lasting(folder)
        with told(new):
            connection = apsw.Connection(str(new), vfs=vfs)
            try:
                backup = connection.backup("main", view.connection, "main")
                try:
                    backup.step()
                finally:
                    backup.close(True)
                connection.execute("PRAGMA journal_mode = DELETE").fetchall()
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
