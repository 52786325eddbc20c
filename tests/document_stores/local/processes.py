"""A store as another process would open it, and code that runs in another process."""

import subprocess
import sys
import textwrap

from spaniel.document_stores.local import LocalDocumentStore
from spaniel.document_stores.local.locking import open_stores


def another_process(path, **settings) -> LocalDocumentStore:
    """A store that shares nothing with the others of this process."""
    known = dict(open_stores._open_folders)
    open_stores._open_folders.clear()
    try:
        store = LocalDocumentStore(path, **settings)
        (state,) = open_stores._open_folders.values()
    finally:
        open_stores._open_folders.clear()
        open_stores._open_folders.update(known)
    store._close.detach()
    store.close = state.close
    return store


def python(code: str, *arguments: object, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run code in another process; `sys.argv[1:]` are the arguments."""
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=check)
