"""Algorithms over a store: each run is a stage of the open trace, which this file alone writes."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from inspect import signature
from typing import Any, TypeVar

from spaniel.dataclasses import Document
from spaniel.runtime import Call, Deferred, Program
from spaniel.strategies.store_requests import Strategy, StrategyRun, extract_documents
from spaniel.tracing import Stage, StoreRequest, Trace, current_trace

T = TypeVar("T")


def run_stage(strategy: Strategy[T], store: object, name: str = "", *, needs_async: bool = False) -> Program[T]:
    """Return the result of an algorithm, its requests put to a store.

    :param strategy: the algorithm with its parameters bound (a `functools.partial` shows them in the trace).
    :param store: a document store.
    :param name: of the stage, such as the component's.
    :param needs_async: True: in a coroutine, a store without async methods is a TypeError; False: it is called in a thread.
    """
    trace = current_trace()
    stage = None if trace is None else _open(trace, strategy, store, name)
    return _asking(strategy(record=None if stage is None else stage.record), store, stage, needs_async=needs_async)


def _asking(steps: StrategyRun[T], store: object, stage: Stage | None, *, needs_async: bool) -> Program[T]:
    """Run an algorithm; write its requests into a stage, if there is one."""
    answer: Any = None
    error: BaseException | None = None
    try:
        while True:
            try:
                request = steps.send(answer) if error is None else steps.throw(error)
            except StopIteration as stop:
                result: T = stop.value
                if stage is not None:
                    stage.results = _documents_of(result)
                    stage.know(stage.results)
                return result
            answer = error = None
            call = request.call_on(store)
            if needs_async:
                call = replace(call, in_thread="forbid")
            started = 0.0 if stage is None else time.perf_counter()
            try:
                if stage is not None and getattr(request, "for_trace", False):
                    answer = yield Deferred(_for_trace(call, stage))
                    continue
                answer = yield call
            except BaseException as raised:  # noqa: BLE001 (it is the algorithm's to handle or to raise)
                error = raised
            if stage is not None:
                _note(stage, call, started, answer, error)
    finally:
        if stage is not None:
            stage.close()
        error = None  # it refers to this frame, and the frame to it


def _for_trace(call: Call, stage: Stage) -> Program[Any]:
    """Return the answer to a call that only a trace wants; None for a store without the method."""
    started = time.perf_counter()
    try:
        answer = yield call
    except BaseException as error:  # a timeout of what is asked later arrives as a cancellation
        _note(stage, call, started, None, error, for_trace=True)
        raise
    if answer is not None:
        _note(stage, call, started, answer, None, for_trace=True)
    return answer


def _note(
    stage: Stage, call: Call, started: float, answer: Any, error: BaseException | None, *, for_trace: bool = False
) -> None:
    """Write a request into a stage: how long it took, and what came back or why nothing did."""
    seconds = time.perf_counter() - started
    documents = extract_documents(answer)
    failure = None if error is None else f"{type(error).__name__}: {error}"
    stage.know(documents)
    stage.requests.append(StoreRequest(call.method.__name__, len(documents), seconds, for_trace, failure))


def _open(trace: Trace, strategy: Strategy[Any], store: object, name: str) -> Stage:
    stage = trace.stage(name, _settings(strategy), _kind(strategy), store)
    for argument in strategy.args if isinstance(strategy, partial) else ():
        if isinstance(argument, (list, tuple)):
            documents = extract_documents(argument)
            stage.inputs.append(documents)
            stage.know(documents)
    return stage


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


def _documents_of(result: object) -> list[Document]:
    if isinstance(result, Mapping):
        result = tuple(result.values())
    if isinstance(result, tuple):  # documents and more
        return [document for value in result for document in extract_documents(value)]
    return extract_documents(result)
