"""The data of a trace: stages with events and store requests, and the JSON form of values."""

import logging
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass

from spaniel.dataclasses import Document
from spaniel.filters.equality import plain
from spaniel.json_types import Json
from spaniel.tracing.events import Event

logger = logging.getLogger(__name__)
_reading = threading.RLock()  # a generator of events can't be read by two threads at the same time

Recorder = Callable[[Event | Iterator[Event]], None]
"""Takes an event, or a generator of expensive events, which runs when the trace is read."""


@dataclass(frozen=True)
class StoreRequest:
    """A call of a store method.

    :param method: the name of the method.
    :param documents: the number of documents returned.
    :param seconds: the duration.
    :param for_trace: True if the call was made for the trace alone.
    :param error: the reason of a failure; None if there was none.
    """

    method: str
    documents: int
    seconds: float
    for_trace: bool = False
    error: str | None = None


@dataclass(eq=False, repr=False)
class Stage:
    """A step of a retrieval, such as a search or a merge.

    :param name: the name, such as ``AutoMergingRetriever``.
    :param settings: the parameters with other values than their defaults.
    :param kind: the name of the algorithm, such as ``merge_up``.
    :param store: the document store; None in a loaded trace.
    :param seen: takes the lists of documents seen, for the whole trace.
    """

    name: str
    settings: Mapping[str, Json]
    kind: str = ""
    store: object = None
    seen: list[Sequence[Document]] = field(default_factory=list)
    inputs: list[Sequence[Document]] = field(default_factory=list, init=False)
    requests: list[StoreRequest] = field(default_factory=list, init=False)
    results: list[Document] = field(default_factory=list, init=False)
    seconds: float = field(default=0.0, init=False)
    _opened: float = field(default_factory=time.perf_counter, init=False)
    _events: list[Event] = field(default_factory=list, init=False)
    _unread: list[Event | Iterator[Event]] = field(default_factory=list, init=False)

    def close(self) -> None:
        """Set the duration."""
        self.seconds = time.perf_counter() - self._opened

    @property
    def events(self) -> list[Event]:
        """The events in order. Errors of a generator are logged, and its earlier events kept."""
        with _reading:
            while self._unread:
                recorded = self._unread[0]
                try:
                    self._events.extend(recorded if isinstance(recorded, Iterator) else [recorded])
                except Exception:
                    logger.warning("Events of the stage '%s' are missing: one failed.", self.name, exc_info=True)
                del self._unread[0]
            return self._events

    def record(self, event: Event | Iterator[Event]) -> None:
        """Add an event, or a generator of events."""
        self._unread.append(event)

    def add_documents(self, documents: Sequence[Document]) -> None:
        """Add documents that went in, were fetched or came out, for display."""
        self.seen.append(documents)


class TraceData:
    """The stages of retrievals, in order."""

    def __init__(self) -> None:
        self.stages: list[Stage] = []
        self._unindexed: list[Sequence[Document]] = []
        self._documents: dict[str, Document] = {}
        self._returned: tuple[int, list[Document]] | None = None

    def stage(self, name: str, settings: Mapping[str, Json], kind: str = "", store: object = None) -> Stage:
        """Add a stage, timed until it is closed."""
        stage = Stage(name, settings, kind, store, self._unindexed)
        self.stages.append(stage)
        return stage

    @property
    def documents(self) -> dict[str, Document]:
        """The documents seen, by id: the last copy with a score, else the first copy."""
        while self._unindexed:  # on first use, as most traces are not read
            for document in self._unindexed.pop(0):
                if document.score is not None or document.id not in self._documents:
                    self._documents[document.id] = document
        return self._documents

    @property
    def results(self) -> list[Document]:
        """The result of a retriever of several stages, or of the last stage."""
        if self._returned is not None and self._returned[0] == len(self.stages):
            return self._returned[1]
        return self.stages[-1].results if self.stages else []

    def returns(self, documents: list[Document]) -> None:
        """Set the result of all stages so far."""
        self._returned = (len(self.stages), documents)

    @property
    def events(self) -> list[Event]:
        """The events of all stages, in order."""
        return [event for stage in self.stages for event in stage.events]

    @property
    def requests(self) -> list[StoreRequest]:
        """The store requests of all stages, in order."""
        return [request for stage in self.stages for request in stage.requests]

    def rank(self, document_id: str) -> int | None:
        """Return the rank of a document in the result, from 1; None if it is absent."""
        return next((rank for rank, result in enumerate(self.results, 1) if result.id == document_id), None)

    def about(self, document_id: str) -> list[Event]:
        """Return the events of a document, in order."""
        return [event for event in self.events if event.about == document_id]


def to_json(value: object) -> Json:
    """Return a value as JSON data; values without a JSON form become text."""
    value = plain(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): to_json(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, (str, int, float)) else str(value)
