"""Ctrl-C between two steps instead of in the middle of one."""

import logging
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

logger = logging.getLogger(__name__)


@contextmanager
def defer_interrupt(after: str = "this file; what is read so far is kept") -> Iterator[Callable[[], bool]]:
    """Hold back the first SIGINT or SIGTERM of the block; gives a function that tells whether one came.

    A second one takes effect at once. Outside the main thread nothing is held back.

    :param after: what it waits for, and what is kept, to be told.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    came: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    before = {number: handler for number, handler in before.items() if handler is not signal.SIG_IGN}

    def note(number: int, _frame: object) -> None:
        came.append(number)
        _restore(before)
        logger.warning("Stopping after %s. Once more stops at once.", after)

    for number in before:
        signal.signal(number, note)
    try:
        yield lambda: bool(came)
    finally:
        _restore(before)


def _restore(handlers: Mapping[signal.Signals, Any]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, signal.SIG_DFL if handler is None else handler)
