"""Execution of the steps of files: in this process while that is quicker, else in others."""

import os
import time
from collections.abc import Callable, Generator, Sequence
from types import TracebackType
from typing import Self

from spaniel.components.preprocessors import SectionSplitter
from spaniel.knowledge_base.file_limits import FileLimits, OutOfTimeError, can_limit_time, limit_time
from spaniel.knowledge_base.file_steps import ConvertedFile, Failure, FileSource, FileSteps, Outcome
from spaniel.knowledge_base.worker import Settings
from spaniel.knowledge_base.worker_pool import WorkerPool, WorkerStartError
from spaniel.text.link_resolver import LinkResolver

_MIN_SECONDS = 0.2
"""Measured before the remaining work is estimated; the first files import their converters."""
_WORTHWHILE_SECONDS = 1.5
"""Remaining work from which on other processes are quicker; each needs 0.4 s to start."""
_MAX_BYTES_HERE = 1_000_000
"""Size of a file that is converted in this process, whose memory is not limited."""


def count_processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class StepExecutor:
    """Executes the next step of each of some files, in their order.

    It begins in this process, measures, and starts others when the remaining work is worth it, or
    when a file must be bounded. A context ends the processes.

    :param splitter: divides texts.
    :param jobs: maximum number of other processes; 0: only this one, where files are not bounded in
        memory; None: one per processor.
    :param limits: of a file.
    :param is_stopped: checked before each step; True ends an execution.
    """

    def __init__(
        self, splitter: SectionSplitter, jobs: int | None, limits: FileLimits, is_stopped: Callable[[], bool]
    ) -> None:
        self.is_stopped = is_stopped
        self._limits = limits
        self._jobs = count_processors() if jobs is None else jobs
        self._settings = Settings(splitter.max_words, limits)
        self._here = FileSteps(splitter)
        self._pool: WorkerPool | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop_workers()

    def set_resolver(self, resolver: LinkResolver) -> None:
        """Set the resolver of links."""
        self._here.resolver = resolver
        if self._pool is not None:
            self._pool.resolver = resolver

    def run(
        self, arguments: Sequence[FileSource] | Sequence[ConvertedFile], *, to_end: bool = False
    ) -> Generator[Outcome, None, None]:
        """Yield the outcome of each argument, until the run is stopped.

        :param to_end: do not stop.
        """
        is_stopped = _never if to_end else self.is_stopped
        start, done = time.monotonic(), 0
        total = left = sum(argument.size for argument in arguments)
        while done < len(arguments) and not is_stopped():
            seconds = time.monotonic() - start
            seconds_left = seconds / max(total - left, 1) * left if seconds >= _MIN_SECONDS else 0
            if self._needs_workers(arguments[done], seconds_left):
                try:
                    for outcome in self._start_workers().run(arguments[done:], is_stopped):
                        done += 1
                        yield outcome
                except WorkerStartError:
                    self._stop_workers()
                    self._jobs = 0
                    continue
                return
            done, left = done + 1, left - arguments[done].size
            yield self._run_here(arguments[done - 1])

    def _needs_workers(self, argument: FileSource | ConvertedFile, seconds_left: float) -> bool:
        if self._pool is not None or not self._jobs:
            return self._pool is not None
        is_bounded_here = argument.size <= _MAX_BYTES_HERE and can_limit_time()
        return not is_bounded_here or seconds_left >= _WORTHWHILE_SECONDS

    def _start_workers(self) -> WorkerPool:
        if self._pool is None:
            self._pool = WorkerPool(self._jobs, self._settings)
            self._pool.resolver = self._here.resolver
        return self._pool

    def _stop_workers(self) -> None:
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def _run_here(self, argument: FileSource | ConvertedFile) -> Outcome:
        if not can_limit_time():
            return self._here.run(argument)
        try:
            with limit_time(self._limits.compute_seconds(argument.size)):
                return self._here.run(argument)
        except OutOfTimeError:
            return Failure(argument.path, self._limits.describe_timeout(argument.size))


def _never() -> bool:
    return False
