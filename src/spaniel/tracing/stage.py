"""A stage of a trace: one step of a retrieval, with its events and its store requests."""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spaniel.dataclasses import Document
from spaniel.tracing.events import Event

logger = logging.getLogger(__name__)
_reading = threading.RLock()  # a generator of events can't be read by two threads at the same time

Recorder = Callable[[Event | Iterator[Event]], None]
"""What an algorithm calls to say what happened; None where nobody listens.

It takes an event, or a generator of events that are made when somebody reads them: for events that are many and dear.
"""


@dataclass(frozen=True)
class StoreRequest:
    """One call of a store method: how many documents came back, and in how many seconds.

    :param for_trace: whether it was made only because the trace is open, or was asked.
    :param error: why it failed; None: it did not.
    """

    method: str
    documents: int
    seconds: float
    for_trace: bool = False
    error: str | None = None


class SeenDocuments:
    """The documents that a trace saw, by id. They are sorted out when somebody asks, as most traces are not read."""

    def __init__(self) -> None:
        self._batches: list[Sequence[Document]] = []
        self._known: dict[str, Document] = {}

    def add(self, documents: Sequence[Document]) -> None:
        """Remember documents."""
        self._batches.append(documents)

    @property
    def documents(self) -> dict[str, Document]:
        """The last copy that has a score, else the first."""
        while self._batches:
            for document in self._batches.pop(0):
                if document.score is not None or document.id not in self._known:
                    self._known[document.id] = document
        return self._known


class Stage:
    """One step of a retrieval, such as a search or a merge.

    :param name: who did it, such as ``AutoMergingRetriever``.
    :param settings: its parameters that are not at their defaults.
    :param kind: the name of the algorithm, such as ``merge_up``.
    :param store: the document store it asked; None after a trace was loaded.
    :param seen: the documents of the whole trace.
    """

    def __init__(
        self,
        name: str,
        settings: Mapping[str, Any],
        kind: str = "",
        store: object = None,
        seen: SeenDocuments | None = None,
    ) -> None:
        self.name = name
        self.settings = settings
        self.kind = kind
        self.store = store
        self.inputs: list[Sequence[Document]] = []
        self.requests: list[StoreRequest] = []
        self.results: list[Document] = []
        self.seconds = 0.0
        self._opened = time.perf_counter()
        self._seen = SeenDocuments() if seen is None else seen
        self._events: list[Event] = []
        self._unread: list[Event | Iterator[Event]] = []

    def close(self) -> None:
        """Note how long it took."""
        self.seconds = time.perf_counter() - self._opened

    @property
    def events(self) -> list[Event]:
        """The events, in order. A generator that raises is logged; its events before stay."""
        with _reading:
            while self._unread:
                recorded = self._unread[0]
                try:
                    self._events.extend(recorded if isinstance(recorded, Iterator) else [recorded])
                except Exception:
                    logger.warning("Events of the stage '%s' are missing: one failed.", self.name, exc_info=True)
                del self._unread[0]
            return self._events

    @property
    def documents(self) -> dict[str, Document]:
        """Every document seen while the trace was open, by id; all stages of a trace share it."""
        return self._seen.documents

    def record(self, event: Event | Iterator[Event]) -> None:
        """Add an event, or events that are made when they are read."""
        self._unread.append(event)

    def know(self, documents: Sequence[Document]) -> None:
        """Remember documents that went in, were fetched or came out, so that each can be shown by more than an id."""
        self._seen.add(documents)
