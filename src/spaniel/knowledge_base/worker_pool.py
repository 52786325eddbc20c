"""Processes that execute the steps of files, several at a time."""

import os
import pickle
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from signal import Signals
from typing import Any

from spaniel.knowledge_base.file_limits import MEMORY_EXCEEDED
from spaniel.knowledge_base.file_steps import ConvertedFile, Failure, FileSource, Outcome
from spaniel.knowledge_base.worker import PROGRAM, Request, Settings
from spaniel.text.link_resolver import LinkResolver

_START_SECONDS = 60.0
_WATCH_SECONDS = 0.05
_AHEAD_PER_WORKER = 32
_FLAGS = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0) | getattr(subprocess, "CREATE_NO_WINDOW", 0)


class WorkerStartError(Exception):
    """No process could be started here."""


class _Worker:
    """A process, and the time when its current request is given up."""

    def __init__(self, settings: Settings) -> None:
        if not sys.executable or getattr(sys, "frozen", False):
            raise WorkerStartError
        self.deadline = time.monotonic() + _START_SECONDS
        self.is_late = self.is_ended = False
        self.resolver: LinkResolver | None = None
        self._limits = settings.limits
        try:
            self._process = subprocess.Popen(  # noqa: S603 (this Python itself)
                [sys.executable, "-c", PROGRAM],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                process_group=0 if os.name == "posix" else None,  # Ctrl-C is for the run alone
                creationflags=_FLAGS,
            )
        except OSError as error:
            raise WorkerStartError from error

    def start(self, settings: Settings) -> None:
        """Wait until the process is ready; afterwards `deadline` counts for requests.

        :raises WorkerStartError: it ended.
        """
        try:
            self._exchange(sys.path, settings)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            self.stop()
            raise WorkerStartError from error
        self.deadline = float("inf")

    def execute(self, request: Request) -> Outcome:
        """Return the answer to a request; the failure of its file if the process ends."""
        size = request.argument.size
        self.deadline = time.monotonic() + self._limits.compute_seconds(size)
        try:
            result: Outcome = self._exchange(request)
        except (OSError, EOFError, pickle.UnpicklingError):
            self.stop()
            reason = self._limits.describe_timeout(size) if self.is_late else self._describe_end()
            return Failure(request.argument.path, reason)
        self.deadline = float("inf")
        return result

    def _exchange(self, *messages: object) -> Any:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None  # noqa: S101 (both are pipes)
        assert stdout is not None  # noqa: S101
        for message in messages:
            stdin.write(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))
        stdin.flush()
        return pickle.load(stdout)  # noqa: S301 (from a process of this run)

    @property
    def is_running(self) -> bool:
        return not self.is_ended and self._process.poll() is None

    def kill(self) -> None:
        """End the process; the thread that waits for it closes its pipes."""
        self.is_ended = True
        self._process.kill()

    def stop(self) -> None:
        """End the process, and close its pipes."""
        self.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr] # both are pipes

    def _describe_end(self) -> str:
        code = self._process.returncode
        if code == MEMORY_EXCEEDED:
            return self._limits.describe_memory()
        name = Signals(-code).name if code < 0 else f"exit code {code}"
        cause = "; the machine may lack memory" if name == "SIGKILL" else ""
        return f"ended the process that read it ({name}{cause})"


class WorkerPool:
    """Processes that are started as they are needed.

    :param num_workers: maximum number of processes.
    :param settings: of each.
    """

    def __init__(self, num_workers: int, settings: Settings) -> None:
        self.resolver = LinkResolver()
        self._num_workers, self._settings = num_workers, settings
        self._threads = ThreadPoolExecutor(num_workers, "spaniel-index")
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()
        self._is_closed = threading.Event()
        threading.Thread(target=self._watch, name="spaniel-index-watch", daemon=True).start()

    def run(
        self, arguments: Iterable[FileSource | ConvertedFile], is_stopped: Callable[[], bool]
    ) -> Generator[Outcome, None, None]:
        """Yield the result of each argument, in their order, until the run is stopped.

        :raises WorkerStartError: no process could be started.
        """
        rest = iter(arguments)
        pending: deque[Future[Outcome]] = deque()
        try:
            while True:
                while len(pending) < self._num_workers * _AHEAD_PER_WORKER and (one := next(rest, None)) is not None:
                    pending.append(self._threads.submit(self._execute, one))
                if not pending:
                    return
                while not wait([pending[0]], timeout=0.1).done:
                    if is_stopped():
                        return
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()
            if pending:  # their files are left to the next run
                self._kill_busy()

    def close(self) -> None:
        """End the processes."""
        self._is_closed.set()
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._kill_busy()
        self._threads.shutdown()
        for worker in self._idle:
            worker.stop()

    def _execute(self, argument: FileSource | ConvertedFile) -> Outcome:
        worker = self._take()
        changed = worker.resolver is not self.resolver
        worker.resolver = self.resolver
        result = worker.execute(Request(argument, self.resolver if changed else None))
        with self._lock:
            self._busy.discard(worker)
            if worker.is_running:
                self._idle.append(worker)
            else:
                worker.stop()
        return result

    def _take(self) -> _Worker:
        with self._lock:
            if self._is_closed.is_set():
                raise WorkerStartError
            while self._idle and not self._idle[-1].is_running:
                self._idle.pop().stop()
            is_new = not self._idle
            worker = _Worker(self._settings) if is_new else self._idle.pop()
            self._busy.add(worker)
        if is_new:
            try:
                worker.start(self._settings)
            except WorkerStartError:
                with self._lock:
                    self._busy.discard(worker)
                raise
        return worker

    def _kill_busy(self) -> None:
        with self._lock:
            for worker in self._busy:
                worker.kill()

    def _watch(self) -> None:
        while not self._is_closed.wait(_WATCH_SECONDS):
            now = time.monotonic()
            with self._lock:
                for worker in self._busy:
                    if now > worker.deadline:
                        worker.is_late = True
                        worker.kill()
