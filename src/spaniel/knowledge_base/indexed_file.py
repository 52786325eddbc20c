"""The version of a file that is indexed."""

import hashlib
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from spaniel.components.converters.files import open_unpacked, read_bytes
from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import CHILDREN
from spaniel.document_stores.embedded.indexing import LANGUAGE
from spaniel.knowledge_base.file_links import FileLinks
from spaniel.text.link_resolver import LinkResolver

_BLOCK_BYTES = 1 << 20
_CLOCK_STEP_NS = 2_000_000_000  # the coarsest timestamps of a common file system


@dataclass(frozen=True)
class RowFields:
    """The fields of a row that hold its text and its id; None: the usual names.

    :param text_field: the text.
    :param id_field: the id.
    """

    text_field: str | None = None
    id_field: str | None = None


@dataclass(frozen=True)
class IndexedFile:
    """A file as it was indexed.

    :param file: its absolute path.
    :param size: in bytes, and `modified_ns`: its modification time, both from the file system.
    :param digest: the SHA-256 of its unpacked bytes.
    :param indexed_ns: the time when it was read.
    :param root_id: the document with its whole text; "" for a file without text or of rows.
    :param broken_links: number of its links without a target.
    :param links: the packed `FileLinks`; "" for a file of rows.
    :param text_field: the field named as the text of its rows, and `id_field`: as their id.
    :param ids_taken_by: other files with ids of its rows; these rows are left out.
    :param holds_rows: True if each of its rows is a document.
    :param kind: the suffix as whose kind it was read; None: its own.
    :param title: its own title; None for a file of rows.
    :param passages: number of its leaves; None in a record of an earlier version.
    :param languages: of its leaves, sorted.
    :param embedder: the id of the embedder of its passages; "" if they have no vectors.
    """

    file: str
    size: int
    modified_ns: int
    digest: str
    indexed_ns: int
    root_id: str = ""
    broken_links: int = 0
    links: str = ""
    text_field: str | None = None
    id_field: str | None = None
    ids_taken_by: list[str] = field(default_factory=list)
    holds_rows: bool = False
    kind: str | None = None
    title: str | None = None
    passages: int | None = None
    languages: list[str] = field(default_factory=list)
    embedder: str = ""

    @classmethod
    def read(cls, file: Path, kind: str | None = None) -> tuple[Self, bytes]:
        """Return the version of a file without its root and links, and its unpacked bytes.

        :param file: its path on disk.
        :param kind: as the parameter of the class.
        :raises OSError: it can't be read.
        :raises ConversionError: it is a damaged ``.gz`` file.
        """
        now, status = time.time_ns(), file.stat()  # before it is read, so that a later change is seen
        data = read_bytes(file)
        digest = hashlib.sha256(data).hexdigest()
        version = cls(str(file), status.st_size, status.st_mtime_ns, digest, indexed_ns=now, kind=kind)
        return version, data

    @classmethod
    def from_unread_rows(cls, file: Path, fields: RowFields, kind: str | None = None) -> Self:
        """Return the version of a file of rows before it is read, so that a later change is seen.

        :raises OSError: it can't be read.
        :raises ConversionError: it is a damaged ``.gz`` file.
        """
        now, status = time.time_ns(), file.stat()
        return cls(
            file=str(file),
            size=status.st_size,
            modified_ns=status.st_mtime_ns,
            digest=_compute_digest(file),
            indexed_ns=now,
            text_field=fields.text_field,
            id_field=fields.id_field,
            kind=kind,
        )

    def with_passages(self, documents: Iterable[Document]) -> Self:
        """Return a record that counts more documents."""
        leaves = [document for document in documents if not document.meta.get(CHILDREN)]
        languages = {leaf.meta[LANGUAGE] for leaf in leaves if LANGUAGE in leaf.meta}
        count = (self.passages or 0) + len(leaves)
        return replace(self, passages=count, languages=sorted(languages.union(self.languages)))

    @property
    def fields(self) -> RowFields:
        """The fields that were named when it was indexed."""
        return RowFields(self.text_field, self.id_field)

    @property
    def is_unfinished(self) -> bool:
        """True if a run ended while its documents were being replaced."""
        return self.size < 0

    def has_outdated_links(self, path: str, resolver: LinkResolver) -> bool:
        """Return True if one of its links now leads to another address.

        :param path: of the file in the knowledge base.
        :param resolver: of links to all files.
        """
        return not self.holds_rows and FileLinks.unpack(self.links).are_outdated(path, resolver)

    def mark_unfinished(self) -> Self:
        """Return a record that `is_current` for no version of the file."""
        return replace(self, size=-1, digest="")

    def is_current(self) -> bool:
        """Return True if the file has not changed, judged by size and time; if recent, by its
        bytes.

        :raises OSError: it can't be read.
        :raises ConversionError: it is a damaged ``.gz`` file.
        """
        status = Path(self.file).stat()
        is_settled = self.modified_ns < self.indexed_ns - _CLOCK_STEP_NS
        if is_settled and (status.st_size, status.st_mtime_ns) == (self.size, self.modified_ns):
            return True
        return status.st_size == self.size and _compute_digest(Path(self.file)) == self.digest


def _compute_digest(file: Path) -> str:
    """Return the SHA-256 of a file's unpacked bytes, read in blocks."""
    digest = hashlib.sha256()
    with open_unpacked(file) as data:
        while block := data.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()
