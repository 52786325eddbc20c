"""The folders that this process has open: stores of a folder share its state."""

import os
import threading
import weakref
from collections.abc import Mapping
from contextlib import suppress

from spaniel.document_stores.local.database.connections import Database
from spaniel.document_stores.local.database.schema import (
    complete_settings,
    make_index_settings,
    validate_choices,
    validate_settings,
)
from spaniel.document_stores.local.files import INDEX, FileAccess, prepare_folder
from spaniel.document_stores.local.locking.folder_state import FolderState
from spaniel.errors import DocumentStoreError, StoreLockedError
from spaniel.json_types import Json

_lock = threading.RLock()  # reentrant: garbage collection may release a store while its thread opens another
_open_folders: dict[tuple[int, int], FolderState] = {}
"""By device and inode of the database."""
_states: weakref.WeakSet[FolderState] = weakref.WeakSet()
"""All states, those inherited from a parent process too."""


def open_folder(path: str | os.PathLike[str], given: Mapping[str, Json], access: FileAccess) -> FolderState:
    """Return the state of a folder, which the caller has to release."""
    validate_choices(given)
    folder = prepare_folder(path)
    with _lock:
        database = Database(folder, complete_settings(given), access.vfs)
        try:
            validate_settings(given, database.settings, folder)
            indexing = make_index_settings(given, database.settings)
            if (shared := _share_open_folder(database.inode)) is None:
                state = FolderState(folder, database, access.files(folder / INDEX), indexing)
                _states.add(state)
                _open_folders[database.inode] = state
                return state
        except BaseException:
            database.close()
            raise
        database.close()
        if shared.indexing != indexing:  # perhaps another process has changed the settings
            with suppress(DocumentStoreError), shared.database.reading() as snapshot:
                shared.indexes.catch_up(snapshot)
        if shared.indexing != indexing:
            release_folder(shared)
            raise DocumentStoreError(
                f"'{folder}' is open in this process with another analyzer. Use the same function."
            )
        return shared


def _share_open_folder(inode: tuple[int, int]) -> FolderState | None:
    """Return the state of a folder that is already open, for another store."""
    while (state := _open_folders.get(inode)) is not None:
        state.num_stores += 1
        if _open_folders.get(inode) is state:
            return state
        # else garbage collection has just released its last store and closed it
    return None


def release_folder(state: FolderState) -> None:
    """Release a state that `open_folder` returned; the last release closes the folder."""
    with _lock:
        if state.num_stores > 1:
            state.num_stores -= 1
            return
        try:
            state.close()
        except StoreLockedError:
            raise
        except BaseException:
            _forget(state)
            raise
        _forget(state)


def _forget(state: FolderState) -> None:
    state.num_stores = 0
    if _open_folders.get(state.database.inode) is state:
        del _open_folders[state.database.inode]


def _before_fork() -> None:
    _lock.acquire()  # the child must not inherit the lock from a thread that it lacks
    for state in list(_states):
        state.before_fork()


def _after_fork_in_parent() -> None:
    for state in list(_states):
        state.after_fork()
    _lock.release()


def _after_fork_in_child() -> None:
    for state in list(_states):
        state.reset_after_fork()
    _open_folders.clear()  # the parent's folders are read-only here; opening one again makes a new state
    _lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
