"""The requests that a program may yield.

A program is a generator: it yields requests, is sent their answers (their errors are thrown into
it), and returns its result. `execute` and `execute_async` run it, so it is written once for both
and contains neither ``await`` nor threads.

    def first_line(path):
        text = yield Call(reader, Reader.read, {"path": path})
        return text.splitlines()[0]

Clean-up belongs in ``finally`` or ``except BaseException``, and may yield requests. After a
cancellation it has `spaniel.runtime.execution.CLEANUP_SECONDS`; then the cancellation proceeds.
"""

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

T_co = TypeVar("T_co", covariant=True)

Answer: TypeAlias = Any
"""The answer to a request: the result of a method or of programs, which the request alone knows."""


@dataclass(slots=True)  # a frozen dataclass takes twice as long to create
class Call:
    """A call of a method; in a coroutine, of its async counterpart, with the suffix ``_async``.

    :param receiver: an object with either method.
    :param method: the method as a function of its class or protocol, such as
        ``DocumentStore.filter_documents``. The receiver's method of this name is called.
    :param arguments: keyword arguments.
    :param in_thread: in a coroutine, a receiver without the async method is called in a thread,
        which can't be stopped. ``wait``: a cancelled caller waits for its end, since the call may
        write. ``abandon``: the call only reads, so a cancelled caller does not wait. ``forbid``: a
        TypeError.
    :param optional: the answer is None if the receiver lacks the method, instead of an
        AttributeError.
    """

    receiver: object
    method: Callable[..., Answer]
    arguments: Mapping[str, Any]
    in_thread: Literal["wait", "abandon", "forbid"] = "wait"
    optional: bool = False


def has_method(receiver: object, method: Callable[..., Answer]) -> bool:
    """Return True if an object has a method or its async counterpart."""
    return hasattr(receiver, method.__name__) or hasattr(receiver, f"{method.__name__}_async")


@dataclass(frozen=True, slots=True)
class Sleep:
    """A pause in seconds."""

    seconds: float


@dataclass(slots=True)
class Gather:
    """Several programs in parallel: threads in plain code, tasks in a coroutine; the answer is the
    list of their results.

    After the first error no program is started; running tasks are cancelled, threads awaited, and
    the error is raised. Threads and tasks have a copy of the caller's context variables.

    :param programs: drawn on demand, at most one ahead of the running ones, so an iterator may
        prepare each program late. A None means: draw again when a running program has finished, so
        an iterator can choose the next program by the results so far, as the schedule of a pipeline
        does.
    :param limit: maximum number of running programs; with 1 they run in sequence, in the caller's
        thread.
    :param threads: False: in plain code the programs run in sequence.
    """

    programs: "Iterable[Program[Any] | None]"
    limit: int
    threads: bool = True


@dataclass(slots=True)
class Deferred:
    """A program whose result may never be needed. The answer is a function that returns the result
    or raises its error.

    In plain code the program runs on the first call of the function; in a coroutine at once, since
    the function can't wait, within `spaniel.runtime.execution.DEFERRED_SECONDS`.
    """

    program: "Program[Any]"


class UnboundRequest(Protocol):
    """A request without a receiver, which is the `target` of `execute`."""

    def call_on(self, target: Any, /) -> Call:
        """Return the call that answers the request."""


Request: TypeAlias = Call | Sleep | Gather | Deferred | UnboundRequest
Program: TypeAlias = Generator[Request, Answer, T_co]
"""A running program: yields requests, is sent their answers, returns its result."""
