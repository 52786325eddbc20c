"""What an indexing run tells, on the way and at its end."""

from dataclasses import dataclass, field

from spaniel.components.converters.files import BadRow

_KEPT = 100


@dataclass
class BadRows:
    """Rows of a file that were left out.

    :param count: how many.
    :param first: the first 100 of them.
    """

    count: int = 0
    first: list[BadRow] = field(default_factory=list)

    def add(self, row: BadRow) -> None:
        """Note a row."""
        self.count += 1
        if self.count <= _KEPT:
            self.first.append(row)


@dataclass(frozen=True)
class Progress:
    """How far an indexing run is.

    :param step: ``links`` while it looks for what links may lead to, then ``files``.
    :param path: the file that is next; "" at the end.
    :param files: how many files are done, of `total_files`.
    :param bytes: how many bytes are done, of `total_bytes`.
    """

    step: str
    path: str
    files: int
    total_files: int
    bytes: int
    total_bytes: int


@dataclass
class IndexReport:
    """What an indexing run did. Files are named by their path in the knowledge base.

    :param added: files that were not indexed before.
    :param changed: files that were indexed anew.
    :param unchanged: how many files were left alone.
    :param removed: files that are gone.
    :param failed: files that could not be read, with the reason.
    :param bad_rows: by file, the rows that were left out.
    :param passed_over: how many files of a kind that is not converted, by suffix.
    :param links_outside: links to files that are not below the indexed folder; they were passed over.
    :param left: how many files wait for the next run, as this one was stopped.
    :param documents: how many documents were written.
    :param seconds: how long it took.
    :param interrupted: whether it was stopped; the next run goes on from there.
    """

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    unchanged: int = 0
    removed: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    bad_rows: dict[str, BadRows] = field(default_factory=dict)
    passed_over: dict[str, int] = field(default_factory=dict)
    links_outside: list[str] = field(default_factory=list)
    left: int = 0
    documents: int = 0
    seconds: float = 0.0
    interrupted: bool = False

    def refuse(self, files: dict[str, str]) -> None:
        """Note files that were read, but that the store refused.

        :param files: with the reason.
        """
        self.failed |= files
        self.added = [path for path in self.added if path not in files]
        self.changed = [path for path in self.changed if path not in files]
