"""Progress and result of an indexing run."""

from dataclasses import dataclass, field
from typing import Literal

from spaniel.components.converters._rows import BadRow

IndexStep = Literal["links", "files"]

_MAX_LISTED_ROWS = 100


@dataclass(frozen=True)
class Progress:
    """Progress of an indexing run.

    :param step: ``links`` while files are read and their link targets collected, then ``files``.
    :param path: the next file; "" at the end.
    :param files: number of files done, of `total_files`.
    :param bytes: number of bytes done, of `total_bytes`.
    :param passages: number of passages embedded.
    """

    step: IndexStep
    path: str
    files: int
    total_files: int
    bytes: int
    total_bytes: int
    passages: int = 0


@dataclass
class BadRows:
    """Rows of a file that were left out.

    :param count: their number.
    :param first: the first 100 of them.
    """

    count: int = 0
    first: list[BadRow] = field(default_factory=list)

    def add(self, row: BadRow) -> None:
        """Add a row."""
        self.count += 1
        if self.count <= _MAX_LISTED_ROWS:
            self.first.append(row)


@dataclass
class IndexReport:
    """Result of an indexing run. Files are named by their path in the knowledge base.

    :param added: new files.
    :param changed: files that were indexed again.
    :param unchanged: number of files that were skipped as unchanged.
    :param removed: files that no longer exist.
    :param failed: unreadable files, with the reason.
    :param bad_rows: by file, the rows that were left out.
    :param warnings: by file, the warnings of its converter.
    :param passed_over: number of files of unsupported kinds, by suffix.
    :param ignored: number of files and folders that ``.gitignore`` files or patterns leave out.
    :param links_outside: symbolic links to files outside of the indexed folder; they were skipped.
    :param left: number of files that an interrupted run left to the next.
    :param documents: number of documents written.
    :param seconds: duration of the run.
    :param interrupted: True if the run was stopped; the next run resumes it.
    """

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    unchanged: int = 0
    removed: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    bad_rows: dict[str, BadRows] = field(default_factory=dict)
    warnings: dict[str, list[str]] = field(default_factory=dict)
    passed_over: dict[str, int] = field(default_factory=dict)
    ignored: int = 0
    links_outside: list[str] = field(default_factory=list)
    left: int = 0
    documents: int = 0
    seconds: float = 0.0
    interrupted: bool = False

    def add_rejected(self, files: dict[str, str]) -> None:
        """Move files that the store rejected to the failed ones.

        :param files: with the reason.
        """
        self.failed |= files
        self.added = [path for path in self.added if path not in files]
        self.changed = [path for path in self.changed if path not in files]
