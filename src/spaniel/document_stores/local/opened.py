"""The folders that this process has open: one object each, however many stores there are."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

from spaniel.document_stores.embedded.tokenizers import regex_tokenizer
from spaniel.document_stores.local.contents import LocalContents
from spaniel.document_stores.local.database import Database
from spaniel.document_stores.local.folder import INDEX, checked_folder
from spaniel.document_stores.local.settings import checked_settings, indexing_of, plain_settings
from spaniel.errors import DocumentStoreError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spaniel.document_stores.embedded.contents import Tokenizer
    from spaniel.document_stores.local.files import System

_lock = threading.RLock()  # a store may be collected as garbage, and released, while its thread opens another one
_opened: dict[tuple[int, int], list[Any]] = {}
"""By device and inode of the database: the contents, and how many stores have them."""


def open_contents(
    path: str | os.PathLike[str], given: Mapping[str, Any], tokenizer: Tokenizer | None, system: System
) -> tuple[tuple[int, int], LocalContents]:
    """Return what a folder holds, and the key to `release` it by.

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
            state = database.file.stat()
            key = (state.st_dev, state.st_ino)
            if (shared := _claimed(key)) is None:
                own = tokenizer or regex_tokenizer(indexing.bm25_tokenization_regex)
                contents = LocalContents(folder, database, system.files(folder / INDEX), indexing, own)
                _opened[key] = [contents, 1]
                return key, contents
        except BaseException:
            database.close()
            raise
        database.close()
        if shared.indexing != indexing:
            release(key)
            raise DocumentStoreError(
                f"'{folder}' is open in this process with another bm25_tokenizer. Use the same function."
            )
        return key, shared


def _claimed(key: tuple[int, int]) -> LocalContents | None:
    """Return what is open already, for one store more."""
    while (entry := _opened.get(key)) is not None:
        entry[1] += 1
        if _opened.get(key) is entry:
            contents: LocalContents = entry[0]
            return contents
        # else the last store was collected as garbage right here, and has closed it
    return None


def _let_others_open() -> None:
    _lock.release()


if hasattr(os, "register_at_fork"):  # a fork must not inherit the lock from a thread that it lacks
    os.register_at_fork(before=_lock.acquire, after_in_parent=_let_others_open, after_in_child=_let_others_open)


def release(key: tuple[int, int]) -> None:
    """Give back what `open_contents` returned; the last one closes it."""
    with _lock:
        opened = _opened[key]
        opened[1] -= 1
        if opened[1] == 0:
            del _opened[key]
            opened[0].close()
