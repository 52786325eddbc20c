"""A copy of a database while it is in use."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from spaniel.document_stores.local.failures import told
from spaniel.document_stores.local.files import make_lasting, sync_folder
from spaniel.document_stores.local.folder import DATABASE
from spaniel.errors import DocumentStoreError, StoreWriteError

if TYPE_CHECKING:
    from pathlib import Path

    from spaniel.document_stores.local.view import View


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
