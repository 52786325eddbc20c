"""Which version of a file is indexed."""

import hashlib
import time
from dataclasses import dataclass
from pathlib import Path

from spaniel.dataclasses import Document
from spaniel.knowledge_base.reading import read_bytes

_CLOCK_STEP_NS = 2_000_000_000  # the coarsest clock of a common file system


@dataclass(frozen=True)
class IndexedFile:
    """A file as it was indexed.

    :param file: where it is.
    :param size: in bytes, and `modified_ns`: its time of change, as the file system tells them.
    :param digest: the SHA-256 of its bytes, unpacked.
    :param indexed_ns: when it was read.
    :param root_id: the document that holds its whole text; "" if it holds no text.
    :param broken_links: how many of its links have no target.
    :param labels: named places in it that other files may link to, with their addresses.
    """

    file: str
    size: int
    modified_ns: int
    digest: str
    indexed_ns: int
    root_id: str
    broken_links: int
    labels: dict[str, str]

    def is_current(self) -> bool:
        """Return whether the file is as it was indexed, judged by size and time, and by its bytes where these may lie.

        :raises OSError: it can't be read.
        :raises ConversionError: it is a damaged ``.gz`` file.
        """
        status = Path(self.file).stat()
        settled = self.modified_ns < self.indexed_ns - _CLOCK_STEP_NS
        if settled and (status.st_size, status.st_mtime_ns) == (self.size, self.modified_ns):
            return True
        return status.st_size == self.size and digest_of(read_bytes(Path(self.file))) == self.digest


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def indexed(file: Path, data: bytes, root: Document | None, labels: dict[str, str]) -> IndexedFile:
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
        labels=labels,
    )
