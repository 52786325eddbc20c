"""Ctrl-C between two steps instead of during a step."""

import logging
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import TypeAlias

logger = logging.getLogger(__name__)

_Handler: TypeAlias = Callable[[int, FrameType | None], object] | int | None


@contextmanager
def defer_interrupt(after: str = "this file; what is read so far is kept") -> Iterator[Callable[[], bool]]:
    """Defer the first SIGINT or SIGTERM of the block; yield a function that is True once it came.

    A second signal takes effect at once. Outside of the main thread nothing is deferred.

    :param after: the step that is completed first, for the message.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    received: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    before = {number: handler for number, handler in before.items() if handler is not signal.SIG_IGN}

    def record_signal(number: int, _frame: object) -> None:
        received.append(number)
        _restore(before)
        logger.warning("Stopping after %s. Once more stops at once.", after)

    for number in before:
        signal.signal(number, record_signal)
    try:
        yield lambda: bool(received)
    finally:
        _restore(before)


def _restore(handlers: Mapping[signal.Signals, _Handler]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, signal.SIG_DFL if handler is None else handler)
