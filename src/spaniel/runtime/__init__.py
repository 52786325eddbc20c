"""Programs: generators that yield requests, executed in plain code or in a coroutine."""

from spaniel.runtime.execution import execute, execute_async
from spaniel.runtime.methods import async_method, sync_method
from spaniel.runtime.requests import Call, Deferred, Gather, Program, Request, Sleep, has_method
from spaniel.runtime.retries import RetryPolicy, retry

__all__ = [
    "Call",
    "Deferred",
    "Gather",
    "Program",
    "Request",
    "RetryPolicy",
    "Sleep",
    "async_method",
    "execute",
    "execute_async",
    "has_method",
    "retry",
    "sync_method",
]
