"""Run programs: generators that yield requests, are sent the answers, and return a result, in plain code or in a coroutine."""

from spaniel.runtime.execution import execute, execute_async
from spaniel.runtime.methods import async_method, sync_method
from spaniel.runtime.requests import Call, Gather, Later, Program, Request, Sleep, offers
from spaniel.runtime.retries import RetryPolicy, retry

__all__ = [
    "Call",
    "Gather",
    "Later",
    "Program",
    "Request",
    "RetryPolicy",
    "Sleep",
    "async_method",
    "execute",
    "execute_async",
    "offers",
    "retry",
    "sync_method",
]
