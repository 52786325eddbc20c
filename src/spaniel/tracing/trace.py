"""A trace: the stages of a retrieval, each with its events and its store requests."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from os import PathLike
from typing import Any, Self, TextIO

from spaniel.dataclasses import Document
from spaniel.tracing.difference import Diff, difference
from spaniel.tracing.events import Event, is_short_hash, short_id
from spaniel.tracing.lineage import Lineage, find_lineage
from spaniel.tracing.saved_trace import dump_trace, read_trace, write_trace
from spaniel.tracing.stage import SeenDocuments, Stage, StoreRequest
from spaniel.tracing.tree import render
from spaniel.tracing.why import Why, why
from spaniel.tracing.why_not import WhyNot, why_not


class Trace:
    """What happened while a trace was open, in order.

    >>> import spaniel
    >>> with spaniel.trace() as t:
    ...     pass
    >>> t.stages
    []
    """

    def __init__(self) -> None:
        self.stages: list[Stage] = []
        self._seen = SeenDocuments()
        self._returned: tuple[int, list[Document]] | None = None

    def stage(self, name: str, settings: Mapping[str, Any], kind: str = "", store: object = None) -> Stage:
        """Add a stage, whose time runs until it is closed."""
        stage = Stage(name, settings, kind, store, self._seen)
        self.stages.append(stage)
        return stage

    @property
    def documents(self) -> dict[str, Document]:
        """Every document seen while the trace was open, by id."""
        return self._seen.documents

    @property
    def results(self) -> list[Document]:
        """What came out in the end: the results of the last stage, or what a retriever of several stages returned."""
        if self._returned is not None and self._returned[0] == len(self.stages):
            return self._returned[1]
        return self.stages[-1].results if self.stages else []

    def returns(self, documents: list[Document]) -> None:
        """Note what is returned after all stages so far."""
        self._returned = (len(self.stages), documents)

    @property
    def events(self) -> list[Event]:
        """The events of all stages, in order."""
        return [event for stage in self.stages for event in stage.events]

    @property
    def requests(self) -> list[StoreRequest]:
        """The store requests of all stages, in order."""
        return [request for stage in self.stages for request in stage.requests]

    def about(self, document_id: str) -> list[Event]:
        """Return the events that concern a document, in order."""
        return [event for event in self.events if event.about == document_id]

    def lineage(self, document_id: str) -> Lineage:
        """Return where a document came from: its source, its place there, and what each stage did to it.

        :param document_id: its id; of a hash the first 8 digits or more will do.
        """
        return find_lineage(self, self._id(document_id))

    def why(self, document_id: str) -> Why:
        """Return why a document is in the result, in one line a step.

        :param document_id: its id; of a hash the first 8 digits or more will do.
        """
        return why(self, self._id(document_id))

    def why_not(self, document_id: str, store: object = None) -> WhyNot:
        """Return why a document is not in the result: the first stage at which it fell out, with the figures.

        It may ask the store: with the settings of the stage, and at most ten times a stage.

        :param document_id: its id; of a hash the first 8 digits or more will do.
        :param store: what to ask, for a trace that was loaded; else the store of each stage is asked.
        """
        return why_not(self, self._id(document_id), store)

    def diff(self, other: "Trace") -> Diff:
        """Return what is different in the result of another trace: what entered, left or moved, and at which stage.

        :param other: the later one.
        """
        return difference(self, other)

    def to_dict(self, *, documents: bool = False) -> dict[str, Any]:
        """Return the trace as data that JSON can hold (docs/tracing.md has the schema).

        :param documents: also the text and metadata of every document seen; `load` needs them.
        """
        return dump_trace(self, documents=documents)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the trace to a JSON file, with the documents it saw; whole or not at all."""
        write_trace(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Return the trace that `save` wrote. It knows no store.

        :raises TraceFileError: the file holds no trace.
        """
        trace = cls()
        read_trace(trace, path)
        return trace

    def show(self, file: TextIO | None = None) -> None:
        """Print the trace as a tree.

        :param file: where to; standard output by default.
        """
        print(render(self), file=file or sys.stdout)

    def _id(self, reference: str) -> str:
        if is_short_hash(reference):
            ids = [id for id in self.documents if id.startswith(reference) and short_id(id) != id]
            if len(ids) == 1:
                return ids[0]
        return reference


_current: ContextVar[Trace | None] = ContextVar("spaniel_trace", default=None)


def current_trace() -> Trace | None:
    """Return the trace that is open here, if one is."""
    return _current.get()


@contextmanager
def trace() -> Iterator[Trace]:
    """Open a trace: every retrieval inside the block writes down what happens and why.

    It follows the block into its tasks and into `asyncio.to_thread`. A thread that you start yourself sees it if you run it
    in a copy of your context: ``executor.submit(contextvars.copy_context().run, search)``. An inner trace takes over from
    an outer one.
    """
    opened = Trace()
    token = _current.set(opened)
    try:
        yield opened
    finally:
        _current.reset(token)


def note(
    name: str,
    inputs: Sequence[Sequence[Document]],
    results: Sequence[Document],
    *,
    events: Iterator[Event] | None = None,
    **settings: Any,
) -> None:
    """Write a stage into the open trace, if there is one, for a component that asks no store.

    :param name: who it is.
    :param inputs: the lists of documents that went in.
    :param results: what came out.
    :param events: what happened.
    :param settings: the parameters that shaped it.
    """
    opened = current_trace()
    if opened is None:
        return
    stage = opened.stage(name, {key: value for key, value in settings.items() if value is not None})
    stage.inputs = [list(documents) for documents in inputs]
    stage.results = list(results)
    for documents in (*stage.inputs, stage.results):
        stage.know(documents)
    if events is not None:
        stage.record(events)
    stage.close()
