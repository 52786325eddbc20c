"""A trace: the stages of a retrieval, each with its events and its store requests."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from typing import Any, TextIO

from spaniel.dataclasses import Document
from spaniel.tracing.events import Event

Recorder = Callable[[Event], None]
"""What an algorithm calls to say what happened; None where nobody listens."""


@dataclass(frozen=True)
class StoreRequest:
    """One call of a store method: how many documents came back, and in how many seconds."""

    method: str
    documents: int
    seconds: float


@dataclass
class Stage:
    """One step of a retrieval, such as a search or a merge.

    :param name: who did it, such as ``AutoMergingRetriever``.
    :param settings: with which parameters.
    """

    name: str
    settings: Mapping[str, Any]
    events: list[Event] = field(default_factory=list)
    requests: list[StoreRequest] = field(default_factory=list)
    results: list[Document] = field(default_factory=list)
    seconds: float = 0.0

    def record(self, event: Event) -> None:
        """Add an event."""
        self.events.append(event)

    def to_dict(self) -> dict[str, Any]:
        """Return the stage as plain data."""
        return {
            "name": self.name,
            "settings": dict(self.settings),
            "seconds": self.seconds,
            "requests": [asdict(request) for request in self.requests],
            "events": [{"event": type(event).__name__, **asdict(event)} for event in self.events],
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

    @contextmanager
    def stage(self, name: str, settings: Mapping[str, Any]) -> Iterator[Stage]:
        """Open a stage; its time is taken until it is closed."""
        stage = Stage(name, settings)
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
        """Return the trace as plain data: ``{"stages": [...]}``."""
        return {"stages": [stage.to_dict() for stage in self.stages]}

    def show(self, file: TextIO | None = None) -> None:
        """Print the trace as a tree.

        :param file: where to; standard output by default.
        """
        from spaniel.tracing.tree import render

        print(render(self), file=file or sys.stdout)


_current: ContextVar[Trace | None] = ContextVar("spaniel_trace", default=None)


def current_trace() -> Trace | None:
    """Return the trace that is open here, if one is."""
    return _current.get()


@contextmanager
def trace() -> Iterator[Trace]:
    """Open a trace: every retrieval inside the block writes down what happens and why.

    It follows the block into tasks and threads. An inner trace takes over from an outer one.
    """
    opened = Trace()
    token = _current.set(opened)
    try:
        yield opened
    finally:
        _current.reset(token)
