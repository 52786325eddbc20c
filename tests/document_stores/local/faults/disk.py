"""A simulated disk that loses power: its content is derived from a record of all calls."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tests.document_stores.local.faults.layers import Call, Tap

SECTOR = 512
_CHANGES = frozenset({"create", "write", "truncate", "sync", "delete", "rename", "make", "sync_folder"})

Fate = Literal["lost", "kept", "some", "torn"]
FATES: tuple[Fate, ...] = ("lost", "kept", "some", "torn")


class Recorder(Tap):
    """Keeps all calls that change something, and marks between them."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def after(self, call: Call) -> None:
        if call.operation in _CHANGES and call.path:
            self.calls.append(call)

    def mark(self, name: str, number: int) -> None:
        """Note that something began or ended."""
        self.calls.append(Call(name, "", number))


@dataclass(eq=False)
class _File:
    safe: bytes = b""
    unsure: list[Call] = field(default_factory=list)  # not synced


@dataclass
class Disk:
    """The state of a disk after some calls.

    A file's content is durable after the file was synced, its name after its folder was. Other
    changes may be lost in any order, each write and each change of a name by itself. Of a write
    that is cut off, some sectors may be there, one of them by half; where the file grows, random
    bytes may be there instead.
    """

    names: dict[str, _File] = field(default_factory=dict)  # as processes see them
    folders: set[str] = field(default_factory=set)
    _safe: dict[str, _File] = field(default_factory=dict)
    _changes: list[Call] = field(default_factory=list)  # of names, not synced
    _files: dict[int, _File] = field(default_factory=dict)

    def do(self, call: Call) -> None:
        """Apply a call."""
        operation, path = call.operation, call.path
        if operation == "create":
            self.names[path] = _File()
            self._change(call)
        elif operation in ("write", "truncate"):
            self.names[path].unsure.append(call)
        elif operation == "sync":
            file = self.names[path]
            file.safe, file.unsure = _with(file.safe, file.unsure), []
        elif operation == "delete":
            if self.names.pop(path, None) is not None:
                self._change(call)
        elif operation == "rename":
            self.names[call.target] = self.names.pop(path)
            self._change(call)
        elif operation == "make":
            self._change(call)
        elif operation == "sync_folder":
            here = [change for change in self._changes if str(Path(change.path).parent) == path]
            self._changes = [change for change in self._changes if str(Path(change.path).parent) != path]
            for change in here:
                self._apply(change, self._safe, self.folders)

    def _change(self, call: Call) -> None:
        if call.operation == "create":
            self._files[id(call)] = self.names[call.path]
        self._changes.append(call)

    def _apply(self, call: Call, names: dict[str, _File], folders: set[str]) -> None:
        if call.operation == "create":
            names[call.path] = self._files[id(call)]
        elif call.operation == "delete":
            names.pop(call.path, None)
        elif call.operation == "make":
            folders.add(call.path)
        elif call.path in names:
            names[call.target] = names.pop(call.path)

    def after_the_cut(self, fate: Fate, chance: random.Random, root: str) -> Iterator[tuple[str, bytes]]:
        """Yield the files that are left, and their content.

        :param fate: of the changes that are not durable.
        :param chance: chooses.
        :param root: the folder that is there in any case.
        """
        share = {"lost": 0.0, "kept": 1.0, "torn": 1.0, "some": chance.choice([0.1, 0.5, 0.9])}[fate]
        names, folders = dict(self._safe), {*self.folders, root}
        for change in self._changes:
            if chance.random() < share:
                self._apply(change, names, folders)
        for path, file in names.items():
            if str(Path(path).parent) in folders:
                kept = [call for call in file.unsure if chance.random() < share]
                if kept and (fate == "torn" or chance.random() < 0.3):
                    victim = chance.randrange(len(kept)) if fate == "some" else len(kept) - 1
                    kept[victim : victim + 1] = _torn(kept[victim], chance, len(file.safe))
                yield path, _with(file.safe, kept)


def _torn(call: Call, chance: random.Random, safe: int) -> list[Call]:
    """Return the rest of a write that was cut off."""
    if call.operation != "write":
        return []
    parts = []
    for start in range(0, len(call.data), SECTOR):
        share, sector = chance.random(), call.data[start : start + SECTOR]
        if share < 0.5:
            parts.append(call._replace(offset=call.offset + start, data=sector))
        elif share < 0.6:
            parts.append(call._replace(offset=call.offset + start, data=sector[: SECTOR // 2]))
        elif share < 0.7 and call.offset + start >= safe:
            parts.append(call._replace(offset=call.offset + start, data=chance.randbytes(len(sector))))
    return parts


def _with(content: bytes, calls: list[Call]) -> bytes:
    data = bytearray(content)
    for call in calls:
        if call.operation == "truncate":
            del data[call.offset :]
            data.extend(bytes(call.offset - len(data)))
        else:
            data.extend(bytes(max(0, call.offset - len(data))))
            data[call.offset : call.offset + len(call.data)] = call.data
    return bytes(data)
