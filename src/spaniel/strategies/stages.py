"""The run of a strategy over a store: a stage of the open trace, written by this module alone."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from inspect import signature
from typing import TypeVar

from spaniel.dataclasses import Document
from spaniel.json_types import JsonObject
from spaniel.runtime import Call, Deferred, Program
from spaniel.strategies.store_requests import Strategy, StrategyRun, extract_documents
from spaniel.tracing import Stage, StoreRequest, Trace, current_trace

T = TypeVar("T")
Function = TypeVar("Function", bound=Callable[..., object])


def run_stage(strategy: Strategy[T], store: object, name: str = "", *, needs_async: bool = False) -> Program[T]:
    """Run a strategy, with its requests bound to a store, and return its result.

    :param strategy: the algorithm with bound parameters; a trace shows a `functools.partial`'s.
    :param store: a document store.
    :param name: the name of the stage, such as the component's.
    :param needs_async: True: in a coroutine, a store without async methods raises a TypeError;
        False: it is called in a thread.
    """
    trace = current_trace()
    stage = None if trace is None else _open(trace, strategy, store, name)
    return _run(strategy(record=None if stage is None else stage.record), store, stage, needs_async=needs_async)


def extends(inner: Callable[..., object]) -> Callable[[Function], Function]:
    """Mark a strategy that runs another: a trace shows it by the other's name and defaults."""

    def mark(strategy: Function) -> Function:
        strategy.inner = inner  # type: ignore[attr-defined]  # functions may have attributes
        return strategy

    return mark


def _run(run: StrategyRun[T], store: object, stage: Stage | None, *, needs_async: bool) -> Program[T]:
    answer: object = None
    error: BaseException | None = None
    try:
        while True:
            try:
                request = run.send(answer) if error is None else run.throw(error)
            except StopIteration as stop:
                result: T = stop.value
                if stage is not None:
                    stage.results = _documents_of(result)
                    stage.add_documents(stage.results)
                return result
            answer = error = None
            call = request.call_on(store)
            if needs_async:
                call = replace(call, in_thread="forbid")
            started = 0.0 if stage is None else time.perf_counter()
            try:
                if stage is not None and getattr(request, "for_trace", False):
                    answer = yield Deferred(_call_for_trace(call, stage))
                    continue
                answer = yield call
            except BaseException as raised:  # noqa: BLE001 (the strategy handles or raises it)
                error = raised
            if stage is not None:
                _add_request(stage, call, started, answer, error)
    finally:
        if stage is not None:
            stage.close()
        error = None  # it refers to this frame, and the frame to it


def _call_for_trace(call: Call, stage: Stage) -> Program[object]:
    """Return the answer to a call; None for a store without the method."""
    started = time.perf_counter()
    try:
        answer: object = yield call
    except BaseException as error:  # a timeout of a later call arrives as a cancellation
        _add_request(stage, call, started, None, error, for_trace=True)
        raise
    if answer is not None:
        _add_request(stage, call, started, answer, None, for_trace=True)
    return answer


def _add_request(
    stage: Stage, call: Call, started: float, answer: object, error: BaseException | None, *, for_trace: bool = False
) -> None:
    seconds = time.perf_counter() - started
    documents = extract_documents(answer)
    failure = None if error is None else f"{type(error).__name__}: {error}"
    stage.add_documents(documents)
    stage.requests.append(StoreRequest(call.method.__name__, len(documents), seconds, for_trace, failure))


def _open(trace: Trace, strategy: Strategy[object], store: object, name: str) -> Stage:
    bound = strategy if isinstance(strategy, partial) else partial(strategy)
    kind = str(getattr(getattr(bound.func, "inner", bound.func), "__name__", ""))
    defaults = _find_defaults(bound.func) if bound.keywords else {}
    settings = {key: value for key, value in bound.keywords.items() if key not in defaults or defaults[key] != value}
    stage = trace.stage(name, settings, kind, store)
    for argument in bound.args:
        if isinstance(argument, (list, tuple)):
            documents = extract_documents(argument)
            stage.inputs.append(documents)
            stage.add_documents(documents)
    return stage


@lru_cache(maxsize=256)
def _find_defaults(function: Callable[..., object]) -> JsonObject:
    own = {name: parameter.default for name, parameter in signature(function).parameters.items()}
    inner = getattr(function, "inner", None)
    return own if inner is None else {**_find_defaults(inner), **own}


def _documents_of(result: object) -> list[Document]:
    if isinstance(result, Mapping):
        result = tuple(result.values())
    if isinstance(result, tuple):  # documents and more
        return [document for value in result for document in extract_documents(value)]
    return extract_documents(result)
