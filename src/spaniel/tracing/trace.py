"""A trace: the stages of a retrieval, each with its events and its store requests."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from typing import Any, TextIO

from spaniel.dataclasses import Document
from spaniel.filters.equality import plain
from spaniel.tracing.events import Event
from spaniel.tracing.tree import label, render

Recorder = Callable[[Event], None]
"""What an algorithm calls to say what happened; None where nobody listens."""


@dataclass(frozen=True)
class StoreRequest:
    """One call of a store method: how many documents came back, and in how many seconds.

    :param for_trace: whether it was made only because the trace is open.
    """

    method: str
    documents: int
    seconds: float
    for_trace: bool = False


@dataclass
class Stage:
    """One step of a retrieval, such as a search or a merge.

    :param name: who did it, such as ``AutoMergingRetriever``.
    :param settings: its parameters that are not at their defaults.
    :param events: what happened, in order.
    :param requests: what the store was asked.
    :param results: what came out.
    :param documents: every document seen while the trace was open, by id; all stages of a trace share it.
    :param seconds: how long it took.
    """

    name: str
    settings: Mapping[str, Any]
    events: list[Event] = field(default_factory=list)
    requests: list[StoreRequest] = field(default_factory=list)
    results: list[Document] = field(default_factory=list)
    documents: dict[str, Document] = field(default_factory=dict, repr=False)
    seconds: float = 0.0

    def record(self, event: Event) -> None:
        """Add an event."""
        self.events.append(event)

    def know(self, documents: Sequence[Document]) -> None:
        """Remember documents that went in, were fetched or came out, so that each can be shown by more than an id."""
        for document in documents:
            if document.score is not None or document.id not in self.documents:
                self.documents[document.id] = document

    def to_dict(self) -> dict[str, Any]:
        """Return the stage as data that JSON can hold."""
        return {
            "name": self.name,
            "settings": {name: _data(value) for name, value in self.settings.items()},
            "seconds": self.seconds,
            "requests": [asdict(request) for request in self.requests],
            "events": [{"event": type(event).__name__, **_data(event)} for event in self.events],
            "results": [{"id": document.id, "score": document.score} for document in self.results],
        }


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
        self.documents: dict[str, Document] = {}

    @contextmanager
    def stage(self, name: str, settings: Mapping[str, Any]) -> Iterator[Stage]:
        """Open a stage; its time is taken until it is closed."""
        stage = Stage(name, settings, documents=self.documents)
        self.stages.append(stage)
        started = time.perf_counter()
        try:
            yield stage
        finally:
            stage.seconds = time.perf_counter() - started

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

    def to_dict(self) -> dict[str, Any]:
        """Return the trace as data that JSON can hold (docs/tracing.md has the schema)."""
        named = dict.fromkeys(event.about for event in self.events)
        labels = {id: label(self.documents[id]) for id in named if id in self.documents}
        return {"stages": [stage.to_dict() for stage in self.stages], "labels": labels}

    def show(self, file: TextIO | None = None) -> None:
        """Print the trace as a tree.

        :param file: where to; standard output by default.
        """
        print(render(self), file=file or sys.stdout)


def _data(value: Any) -> Any:
    value = plain(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _data(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): _data(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_data(item) for item in value]
    return value if value is None or isinstance(value, (str, int, float)) else str(value)


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
