"""Retries: a server that is busy, or loses a node, answers a little later."""

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from spaniel.runtime.requests import Program, Request, Sleep

FIRST_PAUSE, MAX_PAUSE = 0.05, 5.0  # seconds


@dataclass
class RetryPolicy:
    """Bounds on repeating a failed request, with ever longer pauses.

    :param seconds: time for one operation.
    :param before_first_answer: time until the server has answered once; short, so that a wrong address fails fast.
    """

    seconds: float = 60.0
    before_first_answer: float = 1.0
    reached: bool = field(default=False, init=False)
    """True once the server has answered."""

    def pauses(self) -> Iterator[float]:
        """Yield the seconds to wait before each new try, until the time is up.

        Each pause is longer than the one before, and random in part, so that clients do not come back all at once. The
        pauses count as waited: their sum is bounded also for a caller that does not wait.
        """
        began, pause, paused = time.monotonic(), FIRST_PAUSE, 0.0
        while True:
            limit = self.seconds if self.reached else min(self.seconds, self.before_first_answer)
            left = limit - max(time.monotonic() - began, paused)
            if left <= 0:
                return
            current = min(left, pause * random.uniform(0.5, 1.0))  # noqa: S311 (no secret)
            yield current
            paused += current
            pause = min(2 * pause, MAX_PAUSE)


def retry(request: Request, policy: RetryPolicy, is_transient: Callable[[Exception], bool]) -> Program[Any]:
    """Return the answer to a request, which is made again after a pause while its error is transient.

    :param is_transient: tells errors after which the same request may succeed a little later.
    :raises Exception: the last error, when the time is up or it is not transient.
    """
    pauses = policy.pauses()
    while True:
        try:
            answer = yield request
        except Exception as error:
            pause = next(pauses, None) if is_transient(error) else None
            if pause is None:
                raise
            yield Sleep(pause)
        else:
            policy.reached = True
            return answer
