"""The keyword index in files: what is kept, for which state of the database, and when that can't be used."""

from __future__ import annotations

import logging
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from spaniel._engine import UNICODE_VERSION, KeywordIndex
from spaniel.errors import StoreFileError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spaniel._engine import Snapshot
    from spaniel.document_stores.local.files import Files

logger = logging.getLogger(__name__)

FORMAT = 1
MANIFEST, _NEW_MANIFEST = "manifest", "manifest.new"
_TRIES = 5


@dataclass(frozen=True)
class Stamp:
    """Which state of the database an index is of.

    :param lineage: of the database.
    :param change: the number of the last change that is in it.
    :param next_slot: the slot of the document after it.
    """

    lineage: str
    change: int
    next_slot: int


class IndexFiles:
    """The files of a keyword index. The manifest is written last, by a rename: what it names is whole and safe.

    :param files: of the folder ``index``.
    :param settings: by which the documents are cut into tokens.
    """

    def __init__(self, files: Files, settings: Mapping[str, Any]) -> None:
        self._files = files
        self._settings = {**settings, "unicode": UNICODE_VERSION, "format": FORMAT}
        self._distrusted: bytes | None = None
        self._base: bytes | None = None
        self._signature: tuple[int, ...] | None = None  # of the base, to compare it without reading it
        self.problem: str | None = None
        """Why the files could not be used when they were opened the last time."""

    def load(self, lineage: str) -> tuple[KeywordIndex, Stamp] | None:
        """Return the index and which state it is of; None if there is none that can be used, which is logged.

        :param lineage: of the database.
        """
        self.problem = None
        for _ in range(_TRIES):
            self._signature = self._files.signature(MANIFEST)  # first: what is read may be newer, and is compared then
            manifest = self._base = self._current()
            if manifest is None or manifest == self._distrusted:
                return None
            try:
                stamp, state = self._read(manifest, lineage)
                index = KeywordIndex.open(self._files.folder, state)
            except (StoreFileError, OSError, ValueError, TypeError, KeyError) as error:
                if self._current() == manifest:
                    self._tell(error)
                    return None
                # else a writer has put other files in their place meanwhile
            else:
                return index, stamp
        return None

    def _current(self) -> bytes | None:
        try:
            return self._files.read(MANIFEST)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._tell(error)
            return None

    @property
    def are_ours(self) -> bool:
        """Whether the files are those that were loaded, saved or found unusable the last time."""
        signature = self._files.signature(MANIFEST)
        if signature == self._signature and (signature is not None or self._base is None):
            return True
        if self._current() != self._base:
            return False
        self._signature = signature
        return True

    def looked_at(self) -> IndexFiles:
        """Return the same files for one who only looks: what is opened there is no base of what is written."""
        other = IndexFiles(self._files, {})
        other._settings = self._settings
        return other

    def distrust(self, reason: object) -> None:
        """Don't use the files any more that are there now: they turned out to be damaged, which is logged."""
        self._signature = self._files.signature(MANIFEST)
        self._distrusted = self._base = self._current()
        self._tell(reason)

    def save(self, index: KeywordIndex, stamp: Stamp) -> None:
        """Write what is in no file yet, and let the index read it from there.

        :param index: in the state of the stamp.
        :raises OSError: a file can't be written. What was there before stays in use.
        """
        snapshot = self._written(index)
        manifest = self._manifest(stamp, snapshot.state())
        self._files.write(_NEW_MANIFEST, [manifest])
        self._files.rename(_NEW_MANIFEST, MANIFEST)
        self._base, self._signature = manifest, self._files.signature(MANIFEST)
        self._files.sync()
        index.adopt(self._files.folder, snapshot)
        self.remove_all_but(snapshot.names)

    def write_parts(self, index: KeywordIndex) -> None:
        """Write what is in no file yet, for a manifest that comes later, and let the index read it from there.

        :raises OSError: a file can't be written.
        """
        index.adopt(self._files.folder, self._written(index))

    def _written(self, index: KeywordIndex) -> Snapshot:
        self._files.make()
        snapshot = index.snapshot()
        for part in snapshot.parts:
            self._files.write(part.name, part.chunks())
        self._files.sync()
        return snapshot

    def remove_all_but(self, names: list[str]) -> None:
        """Remove the files that no index needs. Processes that have them open go on."""
        for name in set(self._files.names()).difference(names, [MANIFEST]):
            self._files.remove(name)

    def _manifest(self, stamp: Stamp, state: bytes) -> bytes:
        head = {**self._settings, "lineage": stamp.lineage, "change": stamp.change, "next_slot": stamp.next_slot}
        body = orjson.dumps(head, option=orjson.OPT_SORT_KEYS) + b"\n" + state
        return b"%08x %s" % (zlib.crc32(body), body)

    def _read(self, manifest: bytes, lineage: str) -> tuple[Stamp, bytes]:
        checksum, _, body = manifest.partition(b" ")
        if checksum != b"%08x" % zlib.crc32(body):
            raise StoreFileError("the manifest is altered or cut short")
        head, _, state = body.partition(b"\n")
        found = orjson.loads(head)
        other = {name: found.get(name) for name, value in self._settings.items() if found.get(name) != value}
        if other:
            raise StoreFileError(f"it was written with {other}")
        if found["lineage"] != lineage:
            raise StoreFileError("it is of another database")
        return Stamp(lineage, found["change"], found["next_slot"]), state

    def _tell(self, reason: object) -> None:
        self.problem = str(reason)
        logger.warning(
            "The keyword index in '%s' can't be used: %s. It is built again from the documents.",
            self._files.folder,
            reason,
        )
