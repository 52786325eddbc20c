"""The files of the keyword index: a manifest names them and the state of the database they hold."""

import logging
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from spaniel._engine import UNICODE_VERSION, KeywordIndex, Snapshot, languages
from spaniel.document_stores.local.files import Files
from spaniel.errors import StoreFileError
from spaniel.json_types import Json

logger = logging.getLogger(__name__)

FORMAT = 1
MANIFEST, _NEW_MANIFEST = "manifest", "manifest.new"
_MAX_TRIES = 5
_SETTINGS = ("search", "analyzer", "fields", "bm25_tokenization_regex")


@dataclass(frozen=True)
class Stamp:
    """The state of the database that an index holds."""

    store_id: str
    change: int
    next_slot: int


class IndexFiles:
    """Loads and saves a keyword index. Renaming the manifest commits the files that it names."""

    def __init__(self, files: Files, settings: Mapping[str, Json]) -> None:
        self._files = files
        self.change_settings(settings)
        self._distrusted: bytes | None = None
        self._base: bytes | None = None
        self._signature: tuple[int, ...] | None = None  # of the base, to compare it without reading it
        self.problem: str | None = None
        """The reason why the files could not be used when they were last opened."""

    def change_settings(self, settings: Mapping[str, Json]) -> None:
        """Load and save indexes of other settings from now on."""
        kept = {name: value for name, value in settings.items() if name in _SETTINGS}
        self._settings = {**kept, "unicode": UNICODE_VERSION, "format": FORMAT}
        analyzer = settings.get("analyzer")
        self._languages = None if analyzer == "auto" else [analyzer] if analyzer in languages() else []

    def load(self, store_id: str) -> tuple[KeywordIndex, Stamp] | None:
        """Return the index and its state, or log the reason and return None if it is unusable."""
        self.problem = None
        for _ in range(_MAX_TRIES):
            # The signature comes first: a manifest that is replaced after it is noticed then.
            self._signature = self._files.signature(MANIFEST)
            manifest = self._base = self._read_manifest()
            if manifest is None or manifest == self._distrusted:
                return None
            try:
                stamp, state = self._parse(manifest, store_id)
                index = KeywordIndex.open(self._files.folder, state)
            except (StoreFileError, OSError, ValueError, TypeError, KeyError) as error:
                if self._read_manifest() == manifest:
                    self._report(error)
                    return None
                # else a writer has replaced the files: try again
            else:
                return index, stamp
        return None

    def _read_manifest(self) -> bytes | None:
        try:
            return self._files.read(MANIFEST)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._report(error)
            return None

    @property
    def is_current(self) -> bool:
        """True if no other process has replaced the files since they were last loaded or saved."""
        signature = self._files.signature(MANIFEST)
        if signature == self._signature and (signature is not None or self._base is None):
            return True
        if self._read_manifest() != self._base:
            return False
        self._signature = signature
        return True

    def reopen(self) -> "IndexFiles":
        """Return the same files for an inspection that does not affect later saves."""
        other = IndexFiles(self._files, {})
        other._settings = self._settings
        return other

    def distrust(self, reason: object) -> None:
        """Ignore the current files, which turned out to be damaged, and log the reason."""
        self._signature = self._files.signature(MANIFEST)
        self._distrusted = self._base = self._read_manifest()
        self._report(reason)

    def save(self, index: KeywordIndex, stamp: Stamp) -> None:
        """Write the parts of an index that no file holds yet, and map them."""
        snapshot = self._write_snapshot(index)
        manifest = self._make_manifest(stamp, snapshot.state())
        self._files.write(_NEW_MANIFEST, [manifest])
        self._files.rename(_NEW_MANIFEST, MANIFEST)
        self._base, self._signature = manifest, self._files.signature(MANIFEST)
        self._files.sync()
        index.adopt(self._files.folder, snapshot)
        for name in set(self._files.names()).difference(snapshot.names, [MANIFEST]):
            self._files.remove(name)  # processes that have it open keep its content

    def take_snapshot(self, index: KeywordIndex) -> Snapshot:
        """Return a snapshot of an index with the stems that its searches need."""
        return index.snapshot(index.languages() if self._languages is None else self._languages)

    def write_parts(self, index: KeywordIndex) -> None:
        """Write the parts of an index that no file holds, for a later manifest, and map them."""
        index.adopt(self._files.folder, self._write_snapshot(index))

    def _write_snapshot(self, index: KeywordIndex) -> Snapshot:
        self._files.make_folder()
        snapshot = self.take_snapshot(index)
        for part in snapshot.parts:
            self._files.write(part.name, part.chunks())
        self._files.sync()
        return snapshot

    def _make_manifest(self, stamp: Stamp, state: bytes) -> bytes:
        head = {**self._settings, "lineage": stamp.store_id, "change": stamp.change, "next_slot": stamp.next_slot}
        body = orjson.dumps(head, option=orjson.OPT_SORT_KEYS) + b"\n" + state
        return b"%08x %s" % (zlib.crc32(body), body)

    def _parse(self, manifest: bytes, store_id: str) -> tuple[Stamp, bytes]:
        checksum, _, body = manifest.partition(b" ")
        if checksum != b"%08x" % zlib.crc32(body):
            raise StoreFileError("the manifest is altered or cut short")
        head, _, state = body.partition(b"\n")
        found = orjson.loads(head)
        differing = {name: found.get(name) for name, value in self._settings.items() if found.get(name) != value}
        if differing:
            raise StoreFileError(f"it was written with {differing}")
        if found["lineage"] != store_id:
            raise StoreFileError("it is of another database")
        return Stamp(store_id, found["change"], found["next_slot"]), state

    def _report(self, reason: object) -> None:
        self.problem = str(reason)
        logger.warning(
            "The keyword index in '%s' can't be used: %s. It is built again from the documents.",
            self._files.folder,
            reason,
        )
