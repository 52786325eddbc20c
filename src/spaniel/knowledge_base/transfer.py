"""A knowledge base, or any store, copied to another place: document by document, to be gone on with, and verified."""

import itertools
import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from spaniel.dataclasses import Document
from spaniel.errors import CopyDiffersError, DocumentStoreError, KnowledgeBaseError
from spaniel.knowledge_base.backend import FOLDERS
from spaniel.knowledge_base.document_comparison import StoreComparison, compare
from spaniel.knowledge_base.endpoint import COPY, Endpoint, State, open_endpoint
from spaniel.knowledge_base.interrupts import defer_interrupt

_STEP_SECONDS = 2.0  # how much a kill may undo
_STEP_DOCUMENTS = 20_000
_SHOWN = 5


@dataclass(frozen=True)
class CopyProgress:
    """How far a copy is.

    :param step: ``copy``, then ``verify``.
    :param documents: how many are done, of `total`.
    """

    step: str
    documents: int
    total: int


@dataclass
class CopyReport:
    """What a copy did.

    :param documents: how many documents the source holds.
    :param written: how many were written by this run, and `before`: by runs before it that were ended.
    :param checksum: of the source and of the copy, in hexadecimal: the sum of the digests of their documents.
    :param seconds: how long writing took, and `verifying`: how long both were read again.
    :param interrupted: whether it was stopped; the same copy goes on from there.
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
        """How many documents were written in a second."""
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
    """Return what was done to copy all documents of a store, with their embeddings, and the records of a knowledge base.

    No more than some thousand documents are held at once. A copy that was ended, in whatever way, goes on where it was when
    it is made again: the target notes how far it is. If the source has changed meanwhile, it begins anew. In the end both
    are read and compared.

    :param source: a folder, or a URL such as ``opensearch://localhost:9200/docs``.
    :param target: likewise; it is made if it is missing, and searches what the source does.
    :param overwrite: delete what the target holds first.
    :param into_existing: add to what the target holds, in place of documents of the same ids.
    :param restart: begin a copy that was ended anew.
    :param progress: is called from time to time.
    :raises KnowledgeBaseError: the source is not there, the target holds documents, a place is no store, or another process
        is writing to the target.
    :raises CopyDiffersError: the copy is not equal to the source.

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
    tell = progress or (lambda _: None)
    try:
        with closing(open_endpoint(source)) as origin:
            if not origin.is_there():
                raise KnowledgeBaseError(f"There is no store at '{origin.place}' to be copied.")
            with (
                closing(open_endpoint(target, origin)) as goal,
                defer_interrupt("what is being sent") as stop,
                goal.turn(),
            ):
                run = _Copy(origin, goal, tell, stop)
                run.begin(overwrite=overwrite, into_existing=into_existing, restart=restart)
                return run.go()
    except DocumentStoreError as error:
        raise KnowledgeBaseError(f"{error} The same copy, made again, goes on where it was.") from error


class _Copy:
    """One copy: its ends, and how far it is."""

    def __init__(
        self, origin: Endpoint, goal: Endpoint, tell: Callable[[CopyProgress], None], stop: Callable[[], bool]
    ) -> None:
        self.origin, self.goal, self.tell, self.stop = origin, goal, tell, stop
        self.state: State = {}
        self.refused: dict[str, str] = {}
        self.report = CopyReport()

    def begin(self, *, overwrite: bool, into_existing: bool, restart: bool) -> None:
        """Find out where to go on, and make room."""
        who, version = self.origin.identity(), self.origin.version()
        if self.goal.is_there() and self.goal.identity() == who:
            raise KnowledgeBaseError(f"'{self.goal.place}' can't be copied to itself.")
        state = self.goal.records().get(COPY) if self.goal.is_there() else None
        if overwrite or (restart and state is not None and state["source"] == who and not state["into_existing"]):
            self.goal.clear()
            state = None
        adding = into_existing or (state is not None and state["source"] == who and state["into_existing"])
        if state is not None and (state["source"] != who or restart):
            state = None
        if state is None:
            held = self.goal.count() if self.goal.is_there() else 0
            if held and not adding:
                raise KnowledgeBaseError(
                    f"'{self.goal.place}' holds {held:,} documents already. Nothing was changed. --overwrite deletes them "
                    "first, --into-existing adds to them."
                )
            state = {"source": who, "version": version, "after": None, "written": 0, "into_existing": held > 0}
        elif state["version"] != version:
            state = {**state, "version": version, "after": None, "written": 0}
        self.state = state
        self.report.before = state["written"]
        self.goal.note({COPY: state})

    def go(self) -> CopyReport:
        """Copy, verify, and copy the records."""
        self.report.documents = self.origin.count()
        began = time.monotonic()
        documents = self.origin.documents(self.state["after"])
        while not self.stop():
            first = next(documents, None)
            if first is None:
                break
            self.refused |= self.goal.add(self._some(first, documents), lambda: self.state)
        self.goal.refresh()
        self.report.seconds = time.monotonic() - began
        self.report.interrupted = self.stop()
        if not self.report.interrupted:
            self._verify()
            self._copy_records()
        return self.report

    def _some(self, first: Document, rest: Iterator[Document]) -> Iterator[Document]:
        """Yield the documents of one step."""
        end = time.monotonic() + _STEP_SECONDS
        for number, document in enumerate(itertools.chain([first], rest), 1):
            yield document
            self.report.written += 1
            self.state = {**self.state, "after": document.id, "written": self.report.before + self.report.written}
            if number % 100 == 0 or number == 1:
                self.tell(CopyProgress("copy", self.state["written"], self.report.documents))
            if number >= _STEP_DOCUMENTS or time.monotonic() > end or self.stop():
                return

    def _verify(self) -> None:
        began = time.monotonic()
        total = self.report.documents

        def told(done: int) -> None:
            if done % 100 == 0 or done == total:
                self.tell(CopyProgress("verify", done, total))

        found = compare(self.origin.documents(), self.goal.documents(), others=self.state["into_existing"], told=told)
        self.report.verifying = time.monotonic() - began
        self.report.documents, self.report.checksum = found.documents, f"{found.checksum:032x}"
        if found.differing or found.checksum != found.copied:
            raise CopyDiffersError(self._differing(found), list(found.first))
        held = self.goal.count()
        if held != found.documents and not self.state["into_existing"]:
            raise CopyDiffersError(
                f"'{self.goal.place}' holds {held:,} documents, but {found.documents:,} could be read of it.", []
            )

    def _differing(self, found: StoreComparison) -> str:
        faults = {
            id: f"was refused: {self.refused[id]}" if id in self.refused else said for id, said in found.first.items()
        }
        shown = "; ".join(f"'{id}' {fault}" for id, fault in list(faults.items())[:_SHOWN])
        more = f"; and {found.differing - _SHOWN:,} more" if found.differing > _SHOWN else ""
        return (
            f"{found.differing:,} of {found.documents:,} documents of '{self.origin.place}' are not the same in "
            f"'{self.goal.place}': {shown}{more}. If either was changed meanwhile, copy again with --restart."
        )

    def _copy_records(self) -> None:
        """Copy what is known of files, now that their documents are there."""
        records = {key: value for key, value in self.origin.records().items() if key != COPY}
        if self.state["into_existing"] and FOLDERS in records:
            records[FOLDERS] = _joined(self.goal.records().get(FOLDERS, []), records[FOLDERS])
        self.goal.note(records)
        self.goal.forget(COPY)


def _joined(before: list[Any], folders: list[Any]) -> list[Any]:
    places = {folder["place"] for folder in folders}
    return [*(folder for folder in before if folder["place"] not in places), *folders]
