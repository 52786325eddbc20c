"""`spaniel.copy`: a resumable, verified copy of the documents and records of a store."""

import itertools
import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Literal

from spaniel.dataclasses import Document
from spaniel.errors import CopyDiffersError, DocumentStoreError, KnowledgeBaseError
from spaniel.json_types import JsonObject
from spaniel.knowledge_base.backend import FOLDERS, PLACE
from spaniel.knowledge_base.document_comparison import StoreComparison, compare
from spaniel.knowledge_base.endpoint import COPY, Endpoint, open_endpoint
from spaniel.knowledge_base.interrupts import defer_interrupt

CopyStep = Literal["copy", "verify"]

_STEP_SECONDS = 2.0  # at most this much work is lost by a kill
_STEP_DOCUMENTS = 20_000
_MAX_SHOWN = 5


@dataclass(frozen=True)
class CopyProgress:
    """Progress of a copy.

    :param step: ``copy``, then ``verify``.
    :param documents: number of documents done, of `total`.
    """

    step: CopyStep
    documents: int
    total: int


@dataclass
class CopyReport:
    """Result of a copy.

    :param documents: number of documents in the source.
    :param written: number of documents written by this run, and `before`: by interrupted runs.
    :param checksum: of source and copy, in hexadecimal: the sum of the digests of their documents.
    :param seconds: time spent writing, and `verifying`: time spent comparing.
    :param interrupted: True if the run was stopped; the same call resumes it.
    """

    documents: int = 0
    written: int = 0
    before: int = 0
    checksum: str = ""
    seconds: float = 0.0
    verifying: float = 0.0
    interrupted: bool = False

    @property
    def documents_a_second(self) -> float:
        """Documents written per second."""
        return self.written / max(self.seconds, 1e-9)


def copy(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    into_existing: bool = False,
    restart: bool = False,
    progress: Callable[[CopyProgress], None] | None = None,
) -> CopyReport:
    """Copy all documents of a store with their embeddings, and the records of a knowledge base.

    A few thousand documents are held in memory at a time. The target records the progress, so the
    same call resumes an interrupted copy; if the source has changed since, it starts again. At the
    end both stores are read and compared.

    :param source: a folder, or a URL such as ``opensearch://localhost:9200/docs``.
    :param target: likewise; created if missing, with the search scope of the source.
    :param overwrite: delete the documents of the target first.
    :param into_existing: add to the documents of the target, replacing those with the same ids.
    :param restart: start an interrupted copy again.
    :param progress: called from time to time.
    :raises KnowledgeBaseError: the source is missing, the target holds documents, a place is not a
        store, or another process is writing to the target.
    :raises CopyDiffersError: the copy differs from the source.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import spaniel
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = Path(folder, "note.md").write_text("Apples are red.")
    >>> _ = spaniel.open(folder / "kb").index(folder / "note.md")
    >>> copy(folder / "kb", folder / "copy").documents
    1
    >>> [result.text for result in spaniel.open(folder / "copy").search("apples")]
    ['Apples are red.']
    """
    report_progress = progress or (lambda _: None)
    try:
        with closing(open_endpoint(source)) as origin:
            if not origin.exists():
                raise KnowledgeBaseError(f"There is no store at '{origin.place}' to be copied.")
            with (
                closing(open_endpoint(target, origin)) as goal,
                defer_interrupt("the documents being sent") as is_interrupted,
                goal.backend.write_lock(),
            ):
                run = _CopyRun(origin, goal, report_progress, is_interrupted)
                run.prepare(overwrite=overwrite, into_existing=into_existing, restart=restart)
                return run.execute()
    except DocumentStoreError as error:
        raise KnowledgeBaseError(f"{error} Run the same copy again to resume it.") from error


@dataclass
class _CopyRun:
    """A run of a copy, and its state, which the target records."""

    origin: Endpoint
    goal: Endpoint
    report_progress: Callable[[CopyProgress], None]
    is_interrupted: Callable[[], bool]
    state: JsonObject = field(default_factory=dict)
    rejected: dict[str, str] = field(default_factory=dict)
    report: CopyReport = field(default_factory=CopyReport)

    def prepare(self, *, overwrite: bool, into_existing: bool, restart: bool) -> None:
        """Find the document to resume at, and clear the target if asked to."""
        identity, version = self.origin.get_identity(), self.origin.count_changes()
        exists = self.goal.exists()
        if exists and self.goal.get_identity() == identity:
            raise KnowledgeBaseError(f"'{self.goal.place}' can't be copied to itself.")
        state = self.goal.read_records().get(COPY) if exists else None
        if state is not None and state["source"] != identity:
            state = None
        if overwrite or (restart and state is not None and not state["into_existing"]):
            self.goal.clear()
            state = None
        is_adding = into_existing or (state is not None and state["into_existing"])
        if state is None or restart:
            held = self.goal.count() if self.goal.exists() else 0
            if held and not is_adding:
                raise KnowledgeBaseError(
                    f"'{self.goal.place}' holds {held:,} documents already. Nothing was changed. --overwrite deletes them "
                    "first, --into-existing adds to them."
                )
            state = {"source": identity, "version": version, "after": None, "written": 0, "into_existing": held > 0}
        elif state["version"] != version:
            state = {**state, "version": version, "after": None, "written": 0}
        self.state = state
        self.report.before = state["written"]
        self.goal.backend.write_records({COPY: state})

    def execute(self) -> CopyReport:
        """Copy the documents, verify them, and copy the records."""
        self.report.documents = self.origin.count()
        start = time.monotonic()
        documents = self.origin.iterate(self.state["after"])
        while not self.is_interrupted():
            first = next(documents, None)
            if first is None:
                break
            self.rejected |= self.goal.add(self._iterate_step(first, documents), lambda: self.state)
        self.goal.refresh()
        self.report.seconds = time.monotonic() - start
        self.report.interrupted = self.is_interrupted()
        if not self.report.interrupted:
            self._verify()
            self._copy_records()
        return self.report

    def _iterate_step(self, first: Document, rest: Iterator[Document]) -> Iterator[Document]:
        """Yield the documents that are written and recorded together."""
        end = time.monotonic() + _STEP_SECONDS
        for number, document in enumerate(itertools.chain([first], rest), 1):
            yield document
            self.report.written += 1
            self.state = {**self.state, "after": document.id, "written": self.report.before + self.report.written}
            if number % 100 == 0 or number == 1:
                self.report_progress(CopyProgress("copy", self.state["written"], self.report.documents))
            if number >= _STEP_DOCUMENTS or time.monotonic() > end or self.is_interrupted():
                return

    def _verify(self) -> None:
        start = time.monotonic()
        total = self.report.documents

        def report_verified(done: int) -> None:
            if done % 100 == 0 or done == total:
                self.report_progress(CopyProgress("verify", done, total))

        comparison = compare(
            self.origin.iterate(),
            self.goal.iterate(),
            allow_others=self.state["into_existing"],
            progress=report_verified,
        )
        self.report.verifying = time.monotonic() - start
        self.report.documents, self.report.checksum = comparison.documents, f"{comparison.checksum:032x}"
        if comparison.differing or comparison.checksum != comparison.copied:
            raise CopyDiffersError(self._describe_differences(comparison), list(comparison.first))
        held = self.goal.count()
        if held != comparison.documents and not self.state["into_existing"]:
            raise CopyDiffersError(
                f"'{self.goal.place}' holds {held:,} documents, but {comparison.documents:,} could be read of it.", []
            )

    def _describe_differences(self, comparison: StoreComparison) -> str:
        differences = {
            id: f"was refused: {self.rejected[id]}" if id in self.rejected else difference
            for id, difference in comparison.first.items()
        }
        shown = "; ".join(f"'{id}' {difference}" for id, difference in list(differences.items())[:_MAX_SHOWN])
        more = f"; and {comparison.differing - _MAX_SHOWN:,} more" if comparison.differing > _MAX_SHOWN else ""
        return (
            f"{comparison.differing:,} of {comparison.documents:,} documents of '{self.origin.place}' are not the same in "
            f"'{self.goal.place}': {shown}{more}. If either was changed meanwhile, copy again with --restart."
        )

    def _copy_records(self) -> None:
        """Copy the records of files last, so that none claims documents that are missing."""
        records = {key: value for key, value in self.origin.read_records().items() if key not in (COPY, PLACE)}
        if self.state["into_existing"] and FOLDERS in records:
            places = {folder["place"] for folder in records[FOLDERS]}
            existing = self.goal.read_records().get(FOLDERS, [])
            records[FOLDERS] = [
                *(folder for folder in existing if folder["place"] not in places),
                *records[FOLDERS],
            ]
        self.goal.backend.write_records(records)
        self.goal.backend.delete_records([COPY])
