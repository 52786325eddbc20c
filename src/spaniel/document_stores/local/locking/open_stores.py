"""The folders that this process has open: one object each, however many stores there are."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

from spaniel.document_stores.embedded.tokenizers import regex_tokenizer
from spaniel.document_stores.local.database.connections import Database
from spaniel.document_stores.local.database.settings import checked_settings, indexing_of, plain_settings
from spaniel.document_stores.local.files import INDEX, checked_folder
from spaniel.document_stores.local.locking.folder_state import FolderState
from spaniel.errors import DocumentStoreError, StoreLockedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spaniel.document_stores.embedded.store_state import Tokenizer
    from spaniel.document_stores.local.files import System

_lock = threading.RLock()  # a store may be collected as garbage, and released, while its thread opens another one
_opened: dict[tuple[int, int], OpenFolder] = {}
"""By device and inode of the database."""


class OpenFolder:
    """A folder that is open, and the number of the stores that have it.

    :param key: of the table.
    :param state: of the folder.
    """

    def __init__(self, key: tuple[int, int], state: FolderState) -> None:
        self.key = key
        self.state = state
        self.count = 1


def open_folder(
    path: str | os.PathLike[str], given: Mapping[str, Any], tokenizer: Tokenizer | None, system: System
) -> OpenFolder:
    """Return the state of a folder, which is to be released again.

    :param given: how the documents are to be indexed; None stands for no choice.
    :param tokenizer: of the caller.
    :param system: what reaches the files.
    :raises DocumentStoreError: the folder can't be a store, or is indexed with other settings.
    """
    folder = checked_folder(path)
    with _lock:
        database = Database(folder, plain_settings(given), system.vfs)
        try:
            checked_settings(given, database.settings, folder)
            indexing = indexing_of(database.settings, tokenizer)
            if (shared := _claimed(database.place)) is None:
                own = tokenizer or regex_tokenizer(indexing.bm25_tokenization_regex)
                state = FolderState(folder, database, system.files(folder / INDEX), indexing, own)
                _opened[database.place] = made = OpenFolder(database.place, state)
                return made
        except BaseException:
            database.close()
            raise
        database.close()
        if shared.state.indexing != indexing:
            release(shared)
            raise DocumentStoreError(
                f"'{folder}' is open in this process with another bm25_tokenizer. Use the same function."
            )
        return shared


def _claimed(key: tuple[int, int]) -> OpenFolder | None:
    """Return the folder that is open already, for one store more."""
    while (entry := _opened.get(key)) is not None:
        entry.count += 1
        if _opened.get(key) is entry:
            return entry
        # else the last store was collected as garbage right here, and has closed it
    return None


def release(opened: OpenFolder) -> None:
    """Give back what `open_folder` returned; the last one closes it.

    :raises StoreLockedError: a transaction is open, so the folder stays open.
    """
    with _lock:
        if opened.count > 1:
            opened.count -= 1
            return
        try:
            opened.state.close()
        except StoreLockedError:
            raise
        except BaseException:
            _forget(opened)
            raise
        _forget(opened)


def _forget(opened: OpenFolder) -> None:
    opened.count = 0
    if _opened.get(opened.key) is opened:
        del _opened[opened.key]


def _after_fork_in_parent() -> None:
    _lock.release()


def _after_fork_in_child() -> None:
    _opened.clear()  # what the parent has opened can only be read here; a store that is opened now is another one
    _lock.release()


if hasattr(os, "register_at_fork"):  # a fork must not inherit the lock from a thread that it lacks
    os.register_at_fork(
        before=_lock.acquire, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child
    )
