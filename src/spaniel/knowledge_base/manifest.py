"""What a knowledge base knows of its files: which version of each is indexed."""

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from spaniel.dataclasses import Document
from spaniel.document_stores.in_memory.saved_file import write_file
from spaniel.errors import KnowledgeBaseError
from spaniel.knowledge_base.folders import Folder
from spaniel.knowledge_base.reading import read_bytes

FORMAT = 1
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
        """Return whether the file is as it was indexed, judged by size and time, and by its bytes where these may lie."""
        status = Path(self.file).stat()
        settled = self.modified_ns < self.indexed_ns - _CLOCK_STEP_NS
        if settled and (status.st_size, status.st_mtime_ns) == (self.size, self.modified_ns):
            return True
        return status.st_size == self.size and digest_of(read_bytes(Path(self.file))) == self.digest


@dataclass
class Manifest:
    """The folders and files of a knowledge base; files by their path in it."""

    folders: list[Folder] = field(default_factory=list)
    files: dict[str, IndexedFile] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the manifest as plain data."""
        return {
            "format": FORMAT,
            "folders": [{"place": str(folder.place), "prefix": folder.prefix} for folder in self.folders],
            "files": {path: asdict(file) for path, file in self.files.items()},
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Manifest":
        """Return the manifest that `to_dict` wrote.

        :raises KnowledgeBaseError: it is of a format that this version does not know.
        """
        if data.get("format") != FORMAT:
            raise KnowledgeBaseError(
                f"The knowledge base is of format {data.get('format')!r}; this version reads format {FORMAT}."
            )
        folders = [Folder(Path(folder["place"]), folder["prefix"]) for folder in data["folders"]]
        return cls(folders, {path: IndexedFile(**file) for path, file in data["files"].items()})

    @classmethod
    def read(cls, file: Path) -> "Manifest":
        """Return the manifest of a file, or an empty one if there is none.

        :raises KnowledgeBaseError: the file is damaged or of another format.
        """
        if not file.exists():
            return cls()
        try:
            return cls.from_dict(json.loads(file.read_text(encoding="utf-8")))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise KnowledgeBaseError(f"{file} is damaged: {error}. Delete the folder and index again.") from error

    def write(self, file: Path) -> None:
        """Write the manifest to a file, whole or not at all."""
        write_file(file, self.to_dict())


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
