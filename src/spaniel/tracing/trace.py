"""A trace: the stages of a retrieval, and questions about its result."""

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from os import PathLike
from typing import Self, TextIO

from spaniel.dataclasses import Document
from spaniel.json_types import JsonObject
from spaniel.tracing.difference import Diff, compare
from spaniel.tracing.events import Event, short_id
from spaniel.tracing.lineage import Lineage, find_lineage
from spaniel.tracing.rendering import render
from spaniel.tracing.saved_trace import dump_trace, read_trace, write_trace
from spaniel.tracing.stage import TraceData
from spaniel.tracing.why import Why, explain_presence
from spaniel.tracing.why_not.walk import WhyNot, explain_absence


class Trace(TraceData):
    """The stages of the retrievals in a block, in order.

    >>> import spaniel
    >>> with spaniel.trace() as t:
    ...     pass
    >>> t.stages
    []
    """

    def lineage(self, document_id: str) -> Lineage:
        """Return the origin of a document: its source, its span there, and its steps in the stages.

        :param document_id: the id, or at least 8 digits of a hash.
        """
        return find_lineage(self, self._expand_id(document_id))

    def why(self, document_id: str) -> Why:
        """Return the reason for a document's presence in the result, a line per step.

        :param document_id: the id, or at least 8 digits of a hash.
        """
        return explain_presence(self, self._expand_id(document_id))

    def why_not(self, document_id: str, store: object = None) -> WhyNot:
        """Return the reason for a document's absence: the first stage without it, with figures.

        May query the store with the settings of a stage, at most ten times per stage.

        :param document_id: the id, or at least 8 digits of a hash; or the metadata ``path`` of a
            file, or the ``anchor`` of a section (``path#section``). If it refers to several
            documents, the answer lists them and is about the closest to the result.
        :param store: the store to query in place of the store of each stage; for a loaded trace.
        """
        return explain_absence(self, self._expand_id(document_id), store)

    def diff(self, other: "Trace") -> Diff:
        """Return the differences in the result of another trace, each with its first stage.

        :param other: the later trace.
        """
        return compare(self, other)

    def to_dict(self, *, documents: bool = False) -> JsonObject:
        """Return the trace as JSON data; docs/tracing.md has the schema.

        :param documents: include the text and metadata of the documents; `load` needs them.
        """
        return dump_trace(self, documents=documents)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the trace with its documents to a JSON file, atomically."""
        write_trace(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Return a trace that `save` wrote. It has no store.

        :raises DeserializationError: the file is not a trace of this version.
        """
        trace = cls()
        read_trace(trace, path)
        return trace

    def show(self, file: TextIO | None = None) -> None:
        """Print the trace as a tree.

        :param file: the output; standard output by default.
        """
        print(render(self), file=file or sys.stdout)

    def _expand_id(self, reference: str) -> str:
        if not re.fullmatch(r"[0-9a-f]{8,63}", reference):
            return reference
        ids = [id for id in self.documents if id.startswith(reference) and short_id(id) != id]
        return ids[0] if len(ids) == 1 else reference


_current: ContextVar[Trace | None] = ContextVar("spaniel_trace", default=None)


def current_trace() -> Trace | None:
    """Return the open trace of this context, if any."""
    return _current.get()


@contextmanager
def trace() -> Iterator[Trace]:
    """Open a trace: every retrieval in the block adds its stages.

    Tasks and `asyncio.to_thread` inherit it. Your own threads need a copy of the context:
    ``executor.submit(contextvars.copy_context().run, search)``. A nested trace replaces the outer
    one for its block.
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
    **settings: object,
) -> None:
    """Add a stage to the open trace, if any, for a component without a store.

    :param name: the name of the component.
    :param inputs: the lists of documents that went in.
    :param results: the documents that came out.
    :param events: the events.
    :param settings: the parameters of the run.
    """
    opened = current_trace()
    if opened is None:
        return
    stage = opened.stage(name, {key: value for key, value in settings.items() if value is not None})
    stage.inputs = [list(documents) for documents in inputs]
    stage.results = list(results)
    for documents in (*stage.inputs, stage.results):
        stage.add_documents(documents)
    if events is not None:
        stage.record(events)
    stage.close()
