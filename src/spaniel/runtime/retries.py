"""Retries of requests to a server that is temporarily unavailable."""

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from spaniel.runtime.requests import Answer, Program, Request, Sleep

FIRST_PAUSE, MAX_PAUSE = 0.05, 5.0  # seconds


@dataclass
class RetryPolicy:
    """Limits on repeating a failed request, with exponential backoff.

    :param seconds: limit for an operation.
    :param before_first_answer: limit until the first answer of the server; short, so that a wrong
        address fails fast.
    """

    seconds: float = 60.0
    before_first_answer: float = 1.0
    reached: bool = field(default=False, init=False)
    """True after the first answer of the server."""

    def pauses(self) -> Iterator[float]:
        """Yield the seconds to wait before each retry, with jitter, until the limit."""
        began, pause, paused = time.monotonic(), FIRST_PAUSE, 0.0
        while True:
            limit = self.seconds if self.reached else min(self.seconds, self.before_first_answer)
            left = limit - max(time.monotonic() - began, paused)  # bounded also for a caller that does not wait
            if left <= 0:
                return
            current = min(left, pause * random.uniform(0.5, 1.0))  # noqa: S311 (no secret)
            yield current
            paused += current
            pause = min(2 * pause, MAX_PAUSE)


def retry(request: Request, policy: RetryPolicy, is_transient: Callable[[Exception], bool]) -> Program[Answer]:
    """Return the answer to a request, which is repeated after transient errors.

    :param is_transient: True for errors after which the same request may succeed.
    :raises Exception: the last error, at the limit or if it is not transient.
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
