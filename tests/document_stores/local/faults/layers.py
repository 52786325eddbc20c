"""File layers that report each call before and after it: those of SQLite and of the index."""

import ctypes
import errno
import itertools
import os
import types
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import apsw

from spaniel.document_stores.local import LocalDocumentStore, files
from spaniel.document_stores.local.files import FileAccess, Files

_numbers = itertools.count()
_OpenDirectory = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(ctypes.c_int))
_EXTENDED = {
    "read": apsw.SQLITE_IOERR_READ,
    "write": apsw.SQLITE_IOERR_WRITE,
    "sync": apsw.SQLITE_IOERR_FSYNC,
    "truncate": apsw.SQLITE_IOERR_TRUNCATE,
    "size": apsw.SQLITE_IOERR_FSTAT,
    "delete": apsw.SQLITE_IOERR_DELETE,
    "access": apsw.SQLITE_IOERR_ACCESS,
}


class Call(NamedTuple):
    """A call to a layer: an operation on a file."""

    operation: str
    path: str
    offset: int = 0  # or the new length
    data: bytes = b""
    target: str = ""


class Tap:
    """Observer of all calls; a subclass records them, lets them fail, or ends the process."""

    def before(self, call: Call) -> None:
        """Do something before a call, or raise OSError in its place."""

    def after(self, call: Call) -> None:
        """Do something after a call."""

    @contextmanager
    def around(self, call: Call) -> Iterator[None]:
        self.before(call)
        yield
        self.after(call)


class _TappedDatabaseFile(apsw.VFSFile):
    def __init__(self, tap: Tap, name: str | apsw.URIFilename, flags: list[int]) -> None:
        self._tap = tap
        self.path = name.filename() if isinstance(name, apsw.URIFilename) else name or ""
        created = bool(self.path) and bool(flags[0] & apsw.SQLITE_OPEN_CREATE) and not Path(self.path).exists()
        with _report_to_sqlite(tap, Call("create" if created else "open", self.path)):
            super().__init__("", name, flags)

    def _call(self, operation: str, offset: int = 0, data: bytes = b""):
        return _report_to_sqlite(self._tap, Call(operation, self.path, offset, data))

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        with self._call("read", offset):
            return super().xRead(amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        with self._call("write", offset, bytes(data)):
            super().xWrite(data, offset)

    def xTruncate(self, size: int) -> None:  # noqa: N802
        with self._call("truncate", size):
            super().xTruncate(size)

    def xSync(self, flags: int) -> None:  # noqa: N802
        with self._call("sync"):
            super().xSync(flags)

    def xLock(self, level: int) -> None:  # noqa: N802
        try:
            super().xLock(level)
        except apsw.IOError:  # closing a file that is open for reading asks for a write lock, and goes on without
            raise apsw.BusyError from None

    def xFileSize(self) -> int:  # noqa: N802
        with self._call("size"):
            return super().xFileSize()


class _TappedVFS(apsw.VFS):
    def __init__(self, tap: Tap, name: str) -> None:
        self._tap = tap
        super().__init__(name, "")

    def xOpen(self, name, flags):  # noqa: N802
        return _TappedDatabaseFile(self._tap, name, flags)

    def xDelete(self, name: str, sync: bool) -> None:  # noqa: N802
        with _report_to_sqlite(self._tap, Call("delete", name)):
            super().xDelete(name, sync)

    def xAccess(self, name: str, flags: int) -> bool:  # noqa: N802
        with _report_to_sqlite(self._tap, Call("access", name)):
            return super().xAccess(name, flags)


@contextmanager
def _report_to_sqlite(tap: Tap, call: Call) -> Iterator[None]:
    try:
        tap.before(call)
    except OSError as error:
        raise _as_sqlite(error, call.operation) from None
    yield
    tap.after(call)


def _as_sqlite(error: OSError, operation: str) -> apsw.Error:
    if operation in ("open", "create"):
        return apsw.CantOpenError(str(error))
    if error.errno == errno.ENOSPC and operation == "write":
        return apsw.FullError(str(error))
    found = apsw.IOError(str(error))
    found.extendedresult = _EXTENDED[operation]
    return found


class _TappedFiles(Files):
    """Reports the calls of the index files; syncs are reported by `_TappedSystem`."""

    def __init__(self, tap: Tap, folder: Path) -> None:
        super().__init__(folder)
        self._tap = tap

    def make_folder(self) -> None:
        if not self.folder.is_dir():
            with self._tap.around(Call("make", str(self.folder))):
                pass  # reported first, as the sync of the folder above is a call of its own
        super().make_folder()

    def read(self, name: str) -> bytes:
        with self._tap.around(Call("read", str(self.folder / name))):
            return super().read(name)

    def write(self, name: str, chunks: Iterable[bytes]) -> None:
        path = str(self.folder / name)
        with self._tap.around(Call("create", path)):
            pass
        super().write(name, self._report_writes(path, chunks))

    def _report_writes(self, path: str, chunks: Iterable[bytes]) -> Iterator[bytes]:
        offset = 0
        for chunk in chunks:
            call = Call("write", path, offset, bytes(chunk))
            with self._tap.around(call):
                yield chunk
            offset += len(chunk)

    def rename(self, old: str, new: str) -> None:
        with self._tap.around(Call("rename", str(self.folder / old), target=str(self.folder / new))):
            super().rename(old, new)

    def remove(self, name: str) -> None:
        with self._tap.around(Call("delete", str(self.folder / name))):
            super().remove(name)


class _TappedSystem(types.ModuleType):
    """The module `os`, with reports of syncs."""

    def __init__(self, tap: Tap) -> None:
        super().__init__("os")
        self._tap = tap

    def __getattr__(self, name: str):
        return getattr(os, name)

    def fsync(self, descriptor: int) -> None:
        path = str(Path(f"/proc/self/fd/{descriptor}").readlink())
        with self._tap.around(Call("sync_folder" if Path(path).is_dir() else "sync", path)):
            os.fsync(descriptor)


@contextmanager
def _report_folder_syncs(tap: Tap) -> Iterator[None]:
    """Report when SQLite opens a folder, which it does to sync it, inside other calls."""
    unix = apsw.VFS("", "")
    usual = unix.xGetSystemCall("openDirectory")
    open_directory = _OpenDirectory(usual)

    @_OpenDirectory
    def open_and_report(path: bytes, descriptor) -> int:
        result = open_directory(path, descriptor)
        tap.after(Call("sync_folder", str(Path(os.fsdecode(path)).parent)))
        return result

    unix.xSetSystemCall("openDirectory", ctypes.cast(open_and_report, ctypes.c_void_p).value)
    try:
        yield
    finally:
        unix.xSetSystemCall("openDirectory", usual)


@contextmanager
def tapped(tap: Tap) -> Iterator[type[LocalDocumentStore]]:
    """Yield a class of stores whose calls are reported to a tap."""
    name = f"tapped-{os.getpid()}-{next(_numbers)}"
    before, files.os = files.os, _TappedSystem(tap)
    vfs = _TappedVFS(tap, name)
    try:
        with _report_folder_syncs(tap):
            yield type(
                "TappedStore", (LocalDocumentStore,), {"_file_access": FileAccess(name, partial(_TappedFiles, tap))}
            )
    finally:
        files.os = before
        vfs.unregister()
