"""Queues of writers, per store and per transaction: they write in the order of their calls."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from spaniel.errors import DocumentStoreError, StoreLockedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

    from spaniel.document_stores.local.transaction import Transaction

MIN_WAIT = 0.05
"""Seconds between checks of the holder, for a waiting writer with a smaller timeout."""
_claims: ContextVar[tuple[Claim, ...]] = ContextVar("spaniel_write_claims", default=())
"""The claims that the current context acts under, outermost first, of all stores."""


class Claim:
    """The token of a writer: it waits in a queue, then holds it, then ends.

    Tasks and `asyncio.to_thread` calls that start under a claim inherit it with the context. A
    block is a claim for a caller's code, as in ``with store.transaction():``.
    """

    def __init__(self, queue: WriteQueue, *, is_block: bool) -> None:
        self.queue = queue
        self.is_block = is_block
        self.loop = _running_loop() if is_block else None
        self.members = WriteQueue(queue.owner, self)
        self.transaction: Transaction | None = None
        self.is_cancelled = False
        self._has_ended = False
        self.grant: Callable[[], object] = lambda: None

    @property
    def open_transaction(self) -> Transaction | None:
        """The transaction that is open under this claim, or around it."""
        outer = self.queue.outer
        return self.transaction or (None if outer is None else outer.open_transaction)

    @property
    def has_ended(self) -> bool:
        """True if writes under this claim are rejected."""
        outer = self.queue.outer
        return self._has_ended or (outer is not None and outer.has_ended)

    def reject_members(self) -> None:
        """Reject all later writes under this claim."""
        self._has_ended = True

    def end(self) -> None:
        """End the claim, and grant the queue to the next."""
        self._has_ended = True
        self.queue.release(self)

    @contextmanager
    def in_context(self) -> Iterator[None]:
        """Make the current context act under this claim for a block."""
        self.enter_context()
        try:
            yield
        finally:
            _claims.set(tuple(claim for claim in _claims.get() if claim is not self))

    def enter_context(self) -> None:
        """Make the current context act under this claim."""
        _claims.set((*_claims.get(), self))


class WriteQueue:
    """A fair lock of a store, or of the transaction `outer`: a claim holds it, others wait."""

    def __init__(self, owner: object, outer: Claim | None = None) -> None:
        self.owner = owner
        self.outer = outer
        self.last_small: Future[Any] | None = None
        """The last small write of a coroutine: reads that begin after its call wait for it."""
        self._mutex = threading.Lock()
        self.holder: Claim | None = None
        self._waiting: deque[Claim] = deque()

    def enter(self, claim: Claim, grant: Callable[[], object]) -> bool:
        """Return if a claim holds the queue now; otherwise `grant` is called when it does."""
        with self._mutex:
            if self.outer is not None and self.outer.has_ended:
                raise make_ended_error()
            if self.holder is None:
                self.holder = claim
                return True
            claim.grant = grant
            self._waiting.append(claim)
            return False

    def acquire(self, claim: Claim, timeout: float) -> None:
        """Block until a claim holds the queue; `timeout` limits only the wait for a transaction."""
        granted = threading.Event()
        with self._mutex:
            loop = _running_loop()
            if loop is not None and any(each.loop is loop for each in self._list_claims()):
                raise StoreLockedError(
                    "Another task of this event loop has a transaction open on this store, and a synchronous write would "
                    "block the loop that has to end it. Await the async method, or write inside that transaction.",
                    "another task of this process",
                )
        if self.enter(claim, granted.set):
            return
        try:
            while not granted.wait(max(timeout, MIN_WAIT)):
                self.fail_behind_block(claim, timeout)
        except BaseException:
            self.withdraw(claim)
            raise

    async def acquire_async(self, claim: Claim, timeout: float) -> None:  # noqa: ASYNC109 (a queue position has to be withdrawn)
        """Wait until a claim holds the queue, without blocking the event loop."""
        loop = asyncio.get_running_loop()
        granted = asyncio.Event()
        if self.enter(claim, lambda: loop.call_soon_threadsafe(granted.set)):
            return
        waiting = asyncio.ensure_future(granted.wait())
        try:
            while not (await asyncio.wait({waiting}, timeout=max(timeout, MIN_WAIT)))[0]:
                self.fail_behind_block(claim, timeout)
        except BaseException:
            self.withdraw(claim)
            raise
        finally:
            waiting.cancel()

    def fail_behind_block(self, claim: Claim, timeout: float) -> None:
        """Withdraw a claim that waits behind a transaction, and raise; do nothing otherwise."""
        with self._mutex:
            if self.holder is claim or claim not in self._waiting or not self._has_block_before(claim):
                return
            self._waiting.remove(claim)
        raise StoreLockedError(
            "Another task or thread of this process has a transaction open on this store, which did not end for "
            f"{timeout:g} seconds. Write inside that transaction, wait until it ends, or open the store with timeout=SECONDS.",
            "another transaction of this process",
        )

    def _list_claims(self) -> list[Claim]:
        return [each for each in (self.holder, *self._waiting) if each is not None]

    def _has_block_before(self, claim: Claim) -> bool:
        for each in self._list_claims():
            if each is claim:
                return False
            if each.is_block:
                return True
        return False

    def has_block(self) -> bool:
        """Return if a transaction is open or waits, so that later writes may wait for long."""
        with self._mutex:
            return any(each.is_block for each in self._list_claims())

    def try_acquire(self, claim: Claim, timeout: float) -> bool:
        """Return if a claim holds the queue, after waiting up to `timeout` seconds."""
        granted = threading.Event()
        if self.enter(claim, granted.set) or granted.wait(timeout):
            return True
        self.withdraw(claim)
        return False

    def drop(self, claim: Claim) -> bool:
        """Remove a claim if it is waiting, and return if it was."""
        with self._mutex:
            if claim not in self._waiting:
                return False
            self._waiting.remove(claim)
            return True

    def withdraw(self, claim: Claim) -> None:
        """Remove a claim if it is waiting, or release the queue if it holds it."""
        if not self.drop(claim):
            self.release(claim)

    def release(self, claim: Claim) -> None:
        """Grant the queue to the next claim, if this claim holds it."""
        with self._mutex:
            if self.holder is not claim:
                return
            self.holder = following = self._waiting.popleft() if self._waiting else None
        if following is not None:
            following.grant()


def current_claim(owner: object) -> Claim | None:
    """Return the claim of a store that the current context acts under, if any."""
    claims = _claims.get()
    if not claims:
        return None
    for claim in reversed(claims):
        if claim.queue.owner is owner:
            if not claim.has_ended:
                return claim
            if claim.is_block:
                raise make_ended_error()
    return None


def clear_claims() -> None:
    """Make the current context act under no claim."""
    _claims.set(())


def make_ended_error() -> DocumentStoreError:
    """Return the error for work that outlives the transaction it was started in."""
    return DocumentStoreError(
        "This task or thread was started inside a transaction that has ended. Await it before the end, or start it outside."
    )


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
