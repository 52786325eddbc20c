"""An object with a plain and an async method, which notes who was called and where."""

import asyncio
import threading
import time
from typing import Any


class Recorder:
    """Answers by a function of the argument; counts how many calls run at the same time."""

    def __init__(self, answer: Any = lambda value: value, seconds: float = 0.0) -> None:
        self.answer = answer
        self.seconds = seconds
        self.calls: list[Any] = []
        self.cancelled: list[Any] = []
        self.running = self.most = self.finished = 0
        self.lock = threading.Lock()

    def _begin(self, value: Any) -> None:
        with self.lock:
            self.calls.append(value)
            self.running += 1
            self.most = max(self.most, self.running)

    def _end(self, value: Any) -> Any:
        with self.lock:
            self.running -= 1
            self.finished += 1
        return self.answer(value)

    def ask(self, value: Any) -> Any:
        self._begin(value)
        time.sleep(self.seconds)
        return self._end(value)

    async def ask_async(self, value: Any) -> Any:
        self._begin(value)
        try:
            await asyncio.sleep(self.seconds)
        except asyncio.CancelledError:
            self.cancelled.append(value)
            raise
        finally:
            answer = self._end(value)
        return answer


class OnlySync:
    """Has the plain method alone, and notes the thread of each call."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self.threads: list[threading.Thread] = []
        self.finished = 0

    def ask(self, value: Any) -> Any:
        self.threads.append(threading.current_thread())
        time.sleep(self.seconds)
        self.finished += 1
        return value


class OnlyAsync:
    """Has the async method alone."""

    async def ask_async(self, value: Any) -> Any:
        return value
