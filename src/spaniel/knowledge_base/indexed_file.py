"""Which version of a file is indexed."""

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from spaniel.components.converters.files import open_unpacked
from spaniel.dataclasses import Document

_BLOCK = 1 << 20


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def digest_of_file(file: Path) -> str:
    """Return the SHA-256 of a file's bytes, unpacked; it is read in blocks.

    :raises OSError: it can't be read.
    :raises ConversionError: it is a damaged ``.gz`` file.
    """
    digest = hashlib.sha256()
    with open_unpacked(file) as data:
        while block := data.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


_CLOCK_STEP_NS = 2_000_000_000  # the coarsest clock of a common file system


@dataclass(frozen=True)
class RowFields:
    """Which fields of a row are its text and its id; None: the usual ones.

    :param text_field: the text.
    :param id_field: the id.
    """

    text_field: str | None = None
    id_field: str | None = None


@dataclass(frozen=True)
class IndexedFile:
    """A file as it was indexed.

    :param file: where it is.
    :param size: in bytes, and `modified_ns`: its time of change, as the file system tells them.
    :param digest: the SHA-256 of its bytes, unpacked.
    :param indexed_ns: when it was read.
    :param root_id: the document that holds its whole text; "" if it holds no text, or is a file of rows.
    :param broken_links: how many of its links have no target.
    :param labels: named places in it that other files may link to, with their addresses.
    :param text_field: the field of its rows that was named as the text, and `id_field`: as the id.
    :param ids_taken_by: other files that hold ids of its rows, so that these rows are left out.
    :param holds_rows: whether each of its rows is a document.
    """

    file: str
    size: int
    modified_ns: int
    digest: str
    indexed_ns: int
    root_id: str
    broken_links: int
    labels: dict[str, str]
    text_field: str | None = None
    id_field: str | None = None
    ids_taken_by: list[str] = field(default_factory=list)
    holds_rows: bool = False

    @property
    def fields(self) -> RowFields:
        """The fields of its rows that were named when it was indexed."""
        return RowFields(self.text_field, self.id_field)

    @property
    def is_unfinished(self) -> bool:
        """Whether only some of its documents may be there, as the run that indexed it was ended."""
        return self.size < 0

    def is_current(self) -> bool:
        """Return whether the file is as it was indexed, judged by size and time, and by its bytes where these may lie.

        :raises OSError: it can't be read.
        :raises ConversionError: it is a damaged ``.gz`` file.
        """
        status = Path(self.file).stat()
        settled = self.modified_ns < self.indexed_ns - _CLOCK_STEP_NS
        if settled and (status.st_size, status.st_mtime_ns) == (self.size, self.modified_ns):
            return True
        return status.st_size == self.size and digest_of_file(Path(self.file)) == self.digest


def indexed(file: Path, data: bytes, root: Document | None, labels: Mapping[str, str]) -> IndexedFile:
    """Return the record of a file that was just indexed.

    :param file: where it is.
    :param data: its bytes, as they were read.
    :param root: the document of the whole file; None if it holds no text.
    :param labels: the named places in it.
    """
    status = file.stat()
    return IndexedFile(
        file=str(file),
        size=status.st_size,
        modified_ns=status.st_mtime_ns,
        digest=digest_of(data),
        indexed_ns=time.time_ns(),
        root_id="" if root is None else root.id,
        broken_links=0 if root is None else len(root.meta.get("broken_links", ())),
        labels=dict(labels),
    )


def unfinished(file: IndexedFile) -> IndexedFile:
    """Return the record of a file of which only some documents may be there: no version is current."""
    return replace(file, size=-1, digest="")


def before_rows(file: Path, fields: RowFields) -> IndexedFile:
    """Return the record of a file of rows as it is before it is read, so that a change meanwhile is seen the next time.

    :raises OSError: it can't be read.
    :raises ConversionError: it is a damaged ``.gz`` file.
    """
    now, status = time.time_ns(), file.stat()
    return IndexedFile(
        file=str(file),
        size=status.st_size,
        modified_ns=status.st_mtime_ns,
        digest=digest_of_file(file),
        indexed_ns=now,
        root_id="",
        broken_links=0,
        labels={},
        text_field=fields.text_field,
        id_field=fields.id_field,
    )
