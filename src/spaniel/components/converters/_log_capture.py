"""Log messages of libraries, captured while they read a file."""

import logging
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_MAX_MESSAGES = 5

_messages: ContextVar[Counter[str] | None] = ContextVar("messages", default=None)
_lock = threading.Lock()
_num_captures: Counter[str] = Counter()
_propagated: dict[str, bool] = {}


class _CaptureHandler(logging.Handler):
    """Counts the warnings of captures in this thread, and passes on all other messages."""

    def emit(self, record: logging.LogRecord) -> None:
        messages = _messages.get()
        package = record.name.partition(".")[0]
        if messages is not None and record.levelno >= logging.WARNING:
            messages[f"{package}: {' '.join(record.getMessage().split()).rstrip('.')}"] += 1
        elif _propagated.get(package, True):
            logging.getLogger().handle(record)


_handler = _CaptureHandler()


@contextmanager
def capture_warnings(*packages: str) -> Iterator[list[str]]:
    """Yield a list that receives the warnings of packages in this thread when the context ends.

    Repeated messages are listed once, and only the first five distinct ones. The root logger's
    handlers do not get them; they do get the messages of other threads.
    """
    found: list[str] = []
    token = _messages.set(Counter())
    _attach(packages)
    try:
        yield found
    finally:
        _detach(packages)
        messages = _messages.get() or Counter()
        _messages.reset(token)
        found += [text if count == 1 else f"{text} ({count} times)" for text, count in messages.items()][:_MAX_MESSAGES]
        if len(messages) > _MAX_MESSAGES:
            found.append(f"{len(messages) - _MAX_MESSAGES} more messages")


def _attach(packages: tuple[str, ...]) -> None:
    with _lock:
        for name in packages:
            _num_captures[name] += 1
            if _num_captures[name] == 1:
                logger = logging.getLogger(name)
                _propagated[name], logger.propagate = logger.propagate, False
                logger.addHandler(_handler)


def _detach(packages: tuple[str, ...]) -> None:
    with _lock:
        for name in packages:
            _num_captures[name] -= 1
            if not _num_captures[name]:
                logger = logging.getLogger(name)
                logger.removeHandler(_handler)
                logger.propagate = _propagated.pop(name)
