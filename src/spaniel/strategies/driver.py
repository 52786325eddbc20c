"""The two drivers: they run an algorithm over a store, one in plain code, one in a coroutine."""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache, partial
from inspect import signature
from typing import Any, TypeVar

from spaniel.dataclasses import Document
from spaniel.strategies.requests import Call, Strategy, documents_in
from spaniel.tracing import Stage, StoreRequest, current_trace

T = TypeVar("T")


def drive(strategy: Strategy[T], store: object, name: str = "") -> T:
    """Return what an algorithm returns, its requests answered by a store's methods.

    :param strategy: the algorithm with its parameters bound (a `functools.partial` shows them in the trace).
    :param store: a document store.
    :param name: who runs it, for the trace.
    """
    with _stage(strategy, store, name) as stage:
        steps = strategy(record=None if stage is None else stage.record)
        answer: Any = None
        while True:
            try:
                request = steps.send(answer)
            except StopIteration as stop:
                result: T = stop.value
                return _finished(result, stage)
            call = request.call_on(store)
            if call.for_trace:
                answer = _Later(store, call, stage)
                continue
            started = time.perf_counter()
            answer = getattr(store, call.method)(**call.arguments)
            _count(stage, call, answer, started)


async def drive_async(strategy: Strategy[T], store: object, name: str = "") -> T:
    """Return what `drive` returns; a store without async methods is called in a thread."""
    with _stage(strategy, store, name) as stage:
        steps = strategy(record=None if stage is None else stage.record)
        answer: Any = None
        while True:
            try:
                request = steps.send(answer)
            except StopIteration as stop:
                result: T = stop.value
                return _finished(result, stage)
            call = request.call_on(store)
            started = time.perf_counter()
            answer = await call_async(store, call)
            _count(stage, call, answer, started)
            if call.for_trace:
                answer = partial(_same, answer)


class _Later:
    """What is asked only for a trace is asked when the trace is read: most are not."""

    def __init__(self, store: object, call: Call, stage: Stage | None) -> None:
        self._store, self._call, self._stage = store, call, stage

    def __call__(self) -> Any:
        started = time.perf_counter()
        answer = getattr(self._store, self._call.method)(**self._call.arguments)
        _count(self._stage, self._call, answer, started)
        return answer


def _same(answer: T) -> T:
    return answer


async def call_async(store: object, call: Call) -> Any:
    """Return what a store method returns: its async twin awaited, else the method itself run in a thread."""
    twin = getattr(store, f"{call.method}_async", None)
    if twin is not None:
        return await twin(**call.arguments)
    return await asyncio.to_thread(getattr(store, call.method), **call.arguments)


@contextmanager
def _stage(strategy: Strategy[Any], store: object, name: str) -> Iterator[Stage | None]:
    trace = current_trace()
    if trace is None:
        yield None
        return
    with trace.stage(name, _settings(strategy), _kind(strategy), store) as stage:
        for argument in strategy.args if isinstance(strategy, partial) else ():
            if isinstance(argument, (list, tuple)):
                documents = documents_in(argument)
                stage.inputs.append(documents)
                stage.know(documents)
        yield stage


def _settings(strategy: Strategy[Any]) -> dict[str, Any]:
    """Return the named parameters of an algorithm that are not at its defaults."""
    if not isinstance(strategy, partial):
        return {}
    defaults = _defaults(strategy.func)
    return {name: value for name, value in strategy.keywords.items() if name not in defaults or defaults[name] != value}


def _kind(strategy: Strategy[Any]) -> str:
    function = strategy.func if isinstance(strategy, partial) else strategy
    return str(getattr(function, "__name__", ""))


@lru_cache(maxsize=256)
def _defaults(function: Callable[..., Any]) -> dict[str, Any]:
    own = {name: parameter.default for name, parameter in signature(function).parameters.items()}
    inner = getattr(function, "around", None)
    return own if inner is None else {**_defaults(inner), **own}


def _count(stage: Stage | None, call: Call, answer: Any, started: float) -> None:
    if stage is not None:
        documents = documents_in(answer)
        seconds = time.perf_counter() - started
        stage.know(documents)
        stage.requests.append(StoreRequest(call.method, len(documents), seconds, call.for_trace))


def _finished(result: T, stage: Stage | None) -> T:
    if stage is not None:
        stage.results = _documents_of(result)
        stage.know(stage.results)
    return result


def _documents_of(result: object) -> list[Document]:
    if isinstance(result, Mapping):
        result = tuple(result.values())
    if isinstance(result, tuple):  # documents and more
        return [document for value in result for document in documents_in(value)]
    return documents_in(result)
