"""Asking again: a server that is busy, or loses a node, answers a little later."""

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from spaniel.document_stores.opensearch.steps import Ask, Pause, Steps
from spaniel.errors import StoreUnavailableError

_FIRST, _LONGEST = 0.05, 5.0  # seconds


@dataclass
class Patience:
    """How long to go on asking.

    :param seconds: for one operation. It is shorter until the server has answered once: a wrong address is told at once.
    """

    seconds: float = 60.0
    before_first_answer: float = 1.0
    reached: bool = field(default=False, init=False)

    def pauses(self) -> Iterator[float]:
        """Yield how long to wait before each new try, until the time is up: ever longer, and each client differently."""
        began, pause = time.monotonic(), _FIRST
        while True:
            limit = self.seconds if self.reached else min(self.seconds, self.before_first_answer)
            left = began + limit - time.monotonic()
            if left <= 0:
                return
            yield min(left, pause * random.uniform(0.5, 1.0))  # noqa: S311 (no secret)
            pause = min(2 * pause, _LONGEST)


def answered(ask: Ask, patience: Patience) -> Steps[Any]:
    """Return the answer to a request, which is made again while the server can't be reached or is busy.

    :raises StoreUnavailableError: it still can't when the patience is over, or the request may not be made twice.
    """
    pauses = patience.pauses()
    while True:
        try:
            answer = yield ask
        except StoreUnavailableError as error:
            pause = next(pauses, None) if ask.repeatable or error.refused else None
            if pause is None:
                raise
            yield Pause(pause)
        else:
            patience.reached = True
            return answer
