"""A mapping of text to JSON values in one file, where a change costs what has changed."""

import contextlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from spaniel.errors import KnowledgeBaseError

FORMAT = 1
_FORMAT_KEY = "spaniel knowledge base"
_WORTH_COMPACTING = 1 << 20


class Log:
    """Keys and values, a line each: ``"key"``, a tab, the value. The last line of a key counts; null takes it out.

    A change is a line at the end of the file. Where a process dies while it writes, the last line is cut short; it counts
    as not written, and the next change goes into its place. One process may write at a time, any number may read.

    :param file: need not exist yet.
    :raises KnowledgeBaseError: the file is damaged, or of a format that this version does not know.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self._places: dict[str, tuple[int, int]] = {}  # of the line that counts: where it begins, and its length
        self._end = 0  # of the last whole line
        self._state = _state_of(file)
        self._out: BinaryIO | None = None
        if self._state is not None:
            with file.open("rb") as lines:
                self._scan(lines)

    def __len__(self) -> int:
        return len(self._places)

    @property
    def is_current(self) -> bool:
        """Whether no other process has written since this object read the file."""
        return _state_of(self.file) == self._state

    def __iter__(self) -> Iterator[str]:
        """Yield the keys, in the order in which they were written."""
        return iter(sorted(self._places, key=self._places.__getitem__))

    def items(self) -> Iterator[tuple[str, Any]]:
        """Yield keys and values, in the order in which they were written."""
        keys = list(self)
        yield from zip(keys, self.values(keys), strict=True)

    def values(self, keys: Iterable[str]) -> Iterator[Any]:
        """Yield the values of some keys.

        :raises KeyError: there is no such key.
        :raises KnowledgeBaseError: a value is damaged.
        """
        if self._out is not None:
            self._out.flush()
        places = [self._places[key] for key in keys]
        if not places:
            return  # the file need not exist
        with self.file.open("rb") as lines:
            for start, length in places:
                lines.seek(start)
                try:
                    yield json.loads(lines.read(length).partition(b"\t")[2])
                except ValueError as error:
                    raise self._damaged(start, error) from error

    def put(self, key: str, value: Any) -> None:
        """Write a value; it is safe once `flush` was called."""
        line = _line(key, value)
        self._append(line)
        self._places[key] = (self._end, len(line))
        self._end += len(line)

    def remove(self, key: str) -> None:
        """Take a key out, if it is there."""
        if self._places.pop(key, None) is not None:
            line = _line(key, None)
            self._append(line)
            self._end += len(line)

    def flush(self) -> None:
        """Make sure that what was written survives a crash."""
        if self._out is not None:
            self._out.flush()
            os.fsync(self._out.fileno())
            self._state = _state_of(self.file)

    def close(self) -> None:
        """Make what was written safe, rewrite the file if most of it is out of date, and let it go."""
        if self._out is None:
            return
        self.flush()
        self._out.close()
        self._out = None
        live = sum(length for _, length in self._places.values())
        if self._end > 2 * live + _WORTH_COMPACTING:
            self._compact()

    def _append(self, line: bytes) -> None:
        if self._out is None:
            self.file.touch()
            self._out = self.file.open("r+b", buffering=1 << 20)
            self._out.truncate(self._end)
            self._out.seek(self._end)
            if self._end == 0:
                header = _line(_FORMAT_KEY, FORMAT)
                self._out.write(header)
                self._end = len(header)
        self._out.write(line)

    def _compact(self) -> None:
        """Write the lines that count to a new file, and put it in place of this one."""
        places: dict[str, tuple[int, int]] = {}
        descriptor, name = tempfile.mkstemp(dir=self.file.parent, prefix=f".{self.file.name}.")
        try:
            with os.fdopen(descriptor, "wb") as out, self.file.open("rb") as lines:
                out.write(_line(_FORMAT_KEY, FORMAT))
                for key, (start, length) in sorted(self._places.items(), key=lambda item: item[1]):
                    places[key] = (out.tell(), length)
                    lines.seek(start)
                    out.write(lines.read(length))
                end = out.tell()
                out.flush()
                os.fsync(out.fileno())
            Path(name).chmod(self.file.stat().st_mode & 0o777)
            Path(name).replace(self.file)
        finally:
            with contextlib.suppress(FileNotFoundError):
                Path(name).unlink()
        self._places, self._end, self._state = places, end, _state_of(self.file)

    def _scan(self, lines: BinaryIO) -> None:
        for line in lines:
            if not line.endswith(b"\n"):
                break  # cut short
            key, tab, value = line.partition(b"\t")
            try:
                name = json.loads(key)
            except ValueError as error:
                raise self._damaged(self._end, error) from error
            if not tab or not isinstance(name, str) or (self._end == 0) != (name == _FORMAT_KEY):
                raise self._damaged(self._end, "no line of a knowledge base")
            if self._end == 0:
                self._check_format(value.strip().decode("ascii", "replace"))
            elif value == b"null\n":
                self._places.pop(name, None)
            else:
                self._places[name] = (self._end, len(line))
            self._end += len(line)

    def _check_format(self, found: str) -> None:
        if found != str(FORMAT):
            raise KnowledgeBaseError(
                f"{self.file} is of format {found}, but this version of Spaniel reads format {FORMAT}. "
                "Use the version that wrote it, or delete the folder and index again."
            )

    def _damaged(self, place: int, reason: object) -> KnowledgeBaseError:
        return KnowledgeBaseError(
            f"{self.file} is damaged at byte {place:,}: {reason}. Delete the folder '{self.file.parent}' and index again."
        )


def _line(key: str, value: Any) -> bytes:
    text = f"{json.dumps(key)}\t{json.dumps(value, ensure_ascii=False, separators=(',', ':'))}\n"
    return text.encode("utf-8", "surrogatepass")  # names of files may hold bytes that are no UTF-8


def _state_of(file: Path) -> tuple[int, int] | None:
    try:
        status = file.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_size
