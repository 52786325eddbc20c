"""The requests that a program may yield.

A program is a generator: it yields requests, is sent their answers (their errors are thrown into it), and returns its
result. `execute` and `execute_async` run it, so it is written once for both and holds neither ``await`` nor threads.

    def first_line(path):
        text = yield Call(reader, Reader.read, {"path": path})
        return text.splitlines()[0]

Clean-up belongs in ``finally`` or ``except BaseException``, and may yield requests too: also after a cancellation, for at
most `spaniel.runtime.execution.CLEANUP_SECONDS`, after which the cancellation goes on whatever the program does.
"""

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

T_co = TypeVar("T_co", covariant=True)


@dataclass(slots=True)  # to make a frozen one takes twice as long
class Call:
    """A call of a method: in a coroutine of its async counterpart, whose name ends in ``_async``.

    :param receiver: the object that has the methods; one of the two is enough.
    :param method: the method as a function of its class or protocol, such as ``DocumentStore.filter_documents``. The
        receiver's own is called: it may be of another class, or a wrapper.
    :param arguments: by name.
    :param in_thread: in a coroutine, a receiver without the async method is called in a thread, which can't be stopped.
        ``wait``: a cancelled caller waits for its end, since the call may write. ``abandon``: the call only reads, so its
        answer can be dropped. ``forbid``: a TypeError instead of a thread.
    :param optional: the answer is None where the receiver has no method that can be called, instead of an AttributeError.
    """

    receiver: Any
    method: Callable[..., Any]
    arguments: Mapping[str, Any]
    in_thread: Literal["wait", "abandon", "forbid"] = "wait"
    optional: bool = False

    @property
    def name(self) -> str:
        """The name of the method."""
        return self.method.__name__


def has_method(receiver: object, method: Callable[..., Any]) -> bool:
    """Return whether an object has a method, or its async counterpart."""
    return hasattr(receiver, method.__name__) or hasattr(receiver, f"{method.__name__}_async")


@dataclass(frozen=True, slots=True)
class Sleep:
    """Time to wait, in seconds."""

    seconds: float


@dataclass(slots=True)
class Gather:
    """Several programs side by side: threads in plain code, tasks in a coroutine. The answer is the list of their results.

    When one fails, no other is begun; those that run are cancelled (tasks) or awaited (threads), and the first error is
    raised. Threads and tasks have a copy of the caller's context variables.

    :param programs: drawn one by one, at most one ahead of those that run, so an iterator may prepare each when it is its
        turn. A None among them means: draw on when one of those that run has finished. So an iterator can decide by the
        results so far what to begin next, as the pipeline's schedule does.
    :param limit: the number that run at the same time at most; with 1 they run in turn, in the caller's thread.
    :param threads: False: in turn in plain code, for programs that must not run in several threads.
    """

    programs: "Iterable[Program[Any] | None]"
    limit: int
    threads: bool = True


@dataclass(slots=True)
class Deferred:
    """A program whose result may be needed later, or never. The answer is a function that returns the result.

    In plain code the program runs when the function is called; in a coroutine at once, since the function can't wait, and for
    at most `spaniel.runtime.execution.LATER_SECONDS`. Either way its error is raised by the function, never in the program
    that asked.
    """

    program: "Program[Any]"


class Unbound(Protocol):
    """A request that names no receiver: `execute` is given it as `target`."""

    def call_on(self, target: Any, /) -> Call:
        """Return the call that answers the request."""
        ...


Request: TypeAlias = Call | Sleep | Gather | Deferred | Unbound
Program: TypeAlias = Generator[Request, Any, T_co]
"""A running program: yields requests, is sent their answers, returns its result."""
