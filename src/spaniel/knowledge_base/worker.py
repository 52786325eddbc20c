"""The process that executes steps of files for an indexing run.

It is started as a program of its own, so it needs neither a fork of the caller, whose threads may
hold locks, nor an import of the caller's main module, which may lack a guard.
"""

import os
import pickle
import queue
import signal
import sys
import threading
from typing import BinaryIO, NamedTuple

from spaniel.components.preprocessors import SectionSplitter
from spaniel.knowledge_base.file_limits import MEMORY_EXCEEDED, FileLimits, limit_memory, limit_processor_time
from spaniel.knowledge_base.file_steps import ConvertedFile, Failure, FileSource, FileSteps
from spaniel.text.link_resolver import LinkResolver

PROGRAM = """import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
from spaniel.knowledge_base.worker import serve
serve()
"""


class Settings(NamedTuple):
    """The first message to a worker."""

    max_words: int
    limits: FileLimits


class Request(NamedTuple):
    """The next step of a file; `resolver` replaces that of earlier requests."""

    argument: FileSource | ConvertedFile
    resolver: LinkResolver | None


def serve() -> None:
    """Answer the requests on standard input until it is closed."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # the output of libraries must not mix with the answers
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run handles Ctrl-C
    settings: Settings = pickle.load(requests)  # noqa: S301 (from the run)
    steps = FileSteps(SectionSplitter(settings.max_words), packs=True)
    limit_memory(settings.limits.max_memory)
    received: queue.SimpleQueue[Request] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(requests, received), daemon=True).start()
    _send(answers, None)
    while True:
        request = received.get()
        if request.resolver is not None:
            steps.resolver = request.resolver
        limit_processor_time(settings.limits.compute_seconds(request.argument.size))
        result = steps.run(request.argument)
        try:
            _send(answers, result)
        except MemoryError:
            _send(answers, Failure(request.argument.path, settings.limits.describe_memory()))


def _receive(requests: BinaryIO, received: "queue.SimpleQueue[Request]") -> None:
    """Receive requests, and end this process with its run, even in the middle of a step."""
    code = 0
    try:
        while True:
            received.put(pickle.load(requests))  # noqa: S301 (from the run)
    except MemoryError:
        code = MEMORY_EXCEEDED
    finally:
        os._exit(code)


def _send(answers: BinaryIO, message: object) -> None:
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    answers.write(data)
    answers.flush()
