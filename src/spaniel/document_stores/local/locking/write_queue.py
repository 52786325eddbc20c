"""The queues of writers: one writer at a time, in the order of the calls, in a store and inside a transaction."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from contextvars import ContextVar
from typing import TYPE_CHECKING

from spaniel.errors import DocumentStoreError, StoreLockedError

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future
    from typing import Any

    from spaniel.document_stores.local.transaction import Transaction

MIN_SLICE = 0.05
"""Seconds between two looks at who holds a queue, for a waiting writer with a smaller timeout."""
_claims: ContextVar[tuple[Claim, ...]] = ContextVar("spaniel_write_claims", default=())
"""The claims that the current context acts under, outermost first, of all stores."""


class Claim:
    """The token of a writer: it waits in a queue, then holds it, then has ended.

    Work that is started while a claim is held (tasks, `asyncio.to_thread`) inherits it with the context.

    :param queue: the queue to hold.
    :param is_block: a caller's code runs while the claim is held, as in ``with store.transaction():``.
    """

    def __init__(self, queue: WriteQueue, *, is_block: bool) -> None:
        self.queue = queue
        self.is_block = is_block
        self.loop = _running_loop() if is_block else None
        self.members = WriteQueue(queue.owner, self)
        self.transaction: Transaction | None = None
        self.is_abandoned = False
        self._has_ended = False
        self.grant: Callable[[], object] = lambda: None

    @property
    def open_transaction(self) -> Transaction | None:
        """The transaction that is open under this claim, or around it."""
        outer = self.queue.outer
        return self.transaction or (None if outer is None else outer.open_transaction)

    @property
    def has_ended(self) -> bool:
        """Whether nothing can be written under this claim any more."""
        outer = self.queue.outer
        return self._has_ended or (outer is not None and outer.has_ended)

    def refuse_members(self) -> None:
        """Refuse what is written under this claim from now on."""
        self._has_ended = True

    def end(self) -> None:
        """End the claim, and let the next one hold the queue."""
        self._has_ended = True
        self.queue.release(self)

    def enter_context(self) -> None:
        """Let the current context act under this claim."""
        _claims.set((*_claims.get(), self))

    def leave_context(self) -> None:
        """Take the claim out of the current context."""
        _claims.set(tuple(claim for claim in _claims.get() if claim is not self))


class WriteQueue:
    """First come, first served: one claim holds the queue, the others wait.

    :param owner: the store whose writers wait here.
    :param outer: the transaction whose members wait here; None: all writers of the store.
    """

    def __init__(self, owner: object, outer: Claim | None = None) -> None:
        self.owner = owner
        self.outer = outer
        self.small: Future[Any] | None = None
        """The last small write of a coroutine: reads that begin after its call wait for it."""
        self._mutex = threading.Lock()
        self._holder: Claim | None = None
        self._waiting: deque[Claim] = deque()

    def enter(self, claim: Claim, grant: Callable[[], object]) -> bool:
        """Return whether a claim holds the queue now; else `grant` is called when it does.

        :raises DocumentStoreError: the transaction has ended.
        """
        with self._mutex:
            if self.outer is not None and self.outer.has_ended:
                raise ended_error()
            if self._holder is None:
                self._holder = claim
                return True
            claim.grant = grant
            self._waiting.append(claim)
            return False

    def acquire(self, claim: Claim, timeout: float) -> None:
        """Hold the queue, and block this thread until then.

        :param timeout: seconds to wait for a transaction; a write that runs is waited for without limit.
        :raises StoreLockedError: a transaction is not over after that time, or it is one of this thread's event loop, which
            can't go on while this thread waits.
        """
        granted = threading.Event()
        with self._mutex:
            loop = _running_loop()
            before = [self._holder, *self._waiting]
            if loop is not None and any(each is not None and each.loop is loop for each in before):
                raise StoreLockedError(
                    "Another task of this event loop has a transaction open on this store, and a synchronous write would "
                    "block the loop that has to end it. Await the async method, or write inside that transaction.",
                    "another task of this process",
                )
        if self.enter(claim, granted.set):
            return
        try:
            while not granted.wait(max(timeout, MIN_SLICE)):
                self.refuse_behind_block(claim, timeout)
        except BaseException:
            self.withdraw(claim)
            raise

    async def acquire_async(self, claim: Claim, seconds: float) -> None:
        """Hold the queue, without blocking the event loop meanwhile.

        :raises StoreLockedError: a transaction is not over after so long.
        """
        loop = asyncio.get_running_loop()
        granted = asyncio.Event()
        if self.enter(claim, lambda: loop.call_soon_threadsafe(granted.set)):
            return
        waiting = asyncio.ensure_future(granted.wait())
        try:
            while not (await asyncio.wait({waiting}, timeout=max(seconds, MIN_SLICE)))[0]:
                self.refuse_behind_block(claim, seconds)
        except BaseException:
            self.withdraw(claim)
            raise
        finally:
            waiting.cancel()

    def refuse_behind_block(self, claim: Claim, timeout: float) -> None:
        """Take a claim back that waits behind a transaction, and raise; one behind a plain write goes on waiting."""
        with self._mutex:
            if self._holder is claim or claim not in self._waiting or not self._is_blocked_before(claim):
                return
            self._waiting.remove(claim)
        raise StoreLockedError(
            f"Another task or thread of this process has a transaction open on this store, which did not end for {timeout:g} "
            "seconds. Work that belongs to a transaction must be started inside it; else wait until it is over, or open the "
            "store with timeout=SECONDS.",
            "another transaction of this process",
        )

    def _is_blocked_before(self, claim: Claim) -> bool:
        for each in (self._holder, *self._waiting):
            if each is claim:
                return False
            if each is not None and each.is_block:
                return True
        return False

    def waits_for_block(self) -> bool:
        """Return whether a transaction is open or waits here, so that the end of what waits behind it is open, too."""
        with self._mutex:
            return any(each is not None and each.is_block for each in (self._holder, *self._waiting))

    def acquire_within(self, claim: Claim, seconds: float) -> bool:
        """Return whether the queue is held, after waiting so long at most."""
        granted = threading.Event()
        if self.enter(claim, granted.set) or granted.wait(seconds):
            return True
        self.withdraw(claim)
        return False

    def drop(self, claim: Claim) -> bool:
        """Return whether a claim was waiting; it waits no longer."""
        with self._mutex:
            if claim not in self._waiting:
                return False
            self._waiting.remove(claim)
            return True

    def withdraw(self, claim: Claim) -> None:
        """Give a claim up, whether it waits or holds the queue."""
        if not self.drop(claim):
            self.release(claim)

    def release(self, claim: Claim) -> None:
        """Let the next claim hold the queue, if this one does."""
        with self._mutex:
            if self._holder is not claim:
                return
            self._holder = following = self._waiting.popleft() if self._waiting else None
        if following is not None:
            following.grant()

    def holder(self) -> Claim | None:
        """Return the claim that holds the queue."""
        return self._holder


def current_claim(owner: object) -> Claim | None:
    """Return the claim of a store that the current context acts under; None: it belongs to no writer.

    :raises DocumentStoreError: it was started inside a transaction that has ended.
    """
    claims = _claims.get()
    if not claims:
        return None
    for claim in reversed(claims):
        if claim.queue.owner is owner:
            if not claim.has_ended:
                return claim
            if claim.is_block:
                raise ended_error()
    return None


def without_claims() -> None:
    """Let the current context act under no claim."""
    _claims.set(())


def ended_error() -> DocumentStoreError:
    """Return the error for work that outlives the transaction it was started in."""
    return DocumentStoreError(
        "This task or thread was started inside a transaction that has ended. Await it before the transaction ends, or start "
        "it outside."
    )


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
