import asyncio
import contextvars
import gc
import threading
import time

import pytest

from spaniel.runtime import Call, Deferred, Gather, Sleep, execute, execute_async
from tests.modes import MODES
from tests.runtime.recorder import OnlyAsync, OnlySync, Recorder

VARIABLE = contextvars.ContextVar("VARIABLE", default="default")


def ask(receiver, value, **options):
    return Call(receiver, Recorder.ask, {"value": value}, **options)


def program(receiver, *values):
    answers = []
    for value in values:
        answer = yield ask(receiver, value)
        answers.append(answer)
    return answers


def test_answers_are_sent_in_order(run):
    recorder = Recorder(lambda value: value * 2)
    assert run(program(recorder, 1, 2, 3)) == [2, 4, 6]
    assert recorder.calls == [1, 2, 3]


def test_a_program_without_requests_has_a_result(run):
    assert run(program(None)) == []


def test_errors_are_raised_at_the_request(run):
    def fail(value):
        raise ValueError(f"no {value}")

    def forgiving():
        try:
            yield ask(Recorder(fail), 1)
        except ValueError as error:
            return str(error)

    assert run(forgiving()) == "no 1"


def test_unhandled_errors_propagate(run):
    with pytest.raises(ZeroDivisionError):
        run(program(Recorder(lambda value: 1 / value), 0))


def test_cleanup_after_an_error_may_make_requests(run):
    recorder = Recorder(lambda value: 1 / value)

    def careful():
        try:
            yield ask(recorder, 0)
        finally:
            yield ask(recorder, 1)

    with pytest.raises(ZeroDivisionError):
        run(careful())
    assert recorder.calls == [0, 1]


def test_cleanup_after_an_interrupt_may_make_requests(run):
    def interrupt(value):
        if value == 0:
            raise SystemExit(3)

    recorder = Recorder(interrupt)

    def careful():
        try:
            yield ask(recorder, 0)
        except BaseException:
            yield ask(recorder, 1)
            raise

    with pytest.raises(SystemExit):
        run(careful())
    assert recorder.calls == [0, 1]


def test_unbound_requests_go_to_the_target(run):
    class Question:
        def call_on(self, target):
            return ask(target, "question")

    def asking():
        return (yield Question())

    recorder = Recorder()
    assert run(asking(), recorder) == "question"


def test_calls_the_method_of_the_receiver(run):
    class Other(Recorder):
        def _end(self, value):
            return "other"

    assert run(program(Other(), 1)) == ["other"]


def test_sleep_waits(run):
    def sleeping():
        yield Sleep(0.05)

    began = time.monotonic()
    run(sleeping())
    assert time.monotonic() - began >= 0.05


def test_errors_leave_no_reference_cycle(run):
    class Held:
        pass

    held = []

    def failing():
        kept = Held()
        held.append(__import__("weakref").ref(kept))
        yield ask(Recorder(lambda value: 1 / value), 0)

    gc.collect()
    gc.disable()
    try:
        with pytest.raises(ZeroDivisionError):
            run(failing())
        if run is MODES["sync"]:  # a closed event loop leaves cycles of its own
            assert held[0]() is None
    finally:
        gc.enable()


# --- which of the two methods is called -----------------------------------------------------------


def test_coroutine_awaits_the_async_method():
    assert asyncio.run(execute_async(program(OnlyAsync(), 1))) == [1]


def test_plain_code_requires_the_plain_method():
    with pytest.raises(AttributeError, match="'OnlyAsync' object has no attribute 'ask'"):
        execute(program(OnlyAsync(), 1))


@pytest.mark.parametrize("in_thread", ["wait", "abandon"])
def test_coroutine_calls_plain_method_in_a_thread(in_thread):
    def asking(receiver):
        return (yield ask(receiver, 1, in_thread=in_thread))

    receiver = OnlySync()
    assert asyncio.run(execute_async(asking(receiver))) == 1
    assert receiver.threads != [threading.main_thread()]


def test_thread_has_the_context_variables_of_the_caller(run):
    class Reader:
        def ask(self, value):
            return VARIABLE.get()

    VARIABLE.set("set")
    assert run(program(Reader(), 1)) == ["set"]


async def test_forbidden_thread_is_an_error():
    receiver = OnlySync()

    def asking():
        yield ask(receiver, 1, in_thread="forbid")

    with pytest.raises(TypeError, match="OnlySync does not provide async support: it has no 'ask_async'"):
        await execute_async(asking())
    assert execute(asking()) is None
    assert len(receiver.threads) == 1


# --- deferred programs ----------------------------------------------------------------------------


def test_deferred_program_gives_a_function(run):
    def asking(receiver):
        return (yield Deferred(program(receiver, 1, 2)))

    recorder = Recorder()
    later = run(asking(recorder))
    assert later() == later() == [1, 2]
    assert recorder.calls == [1, 2]


def test_deferred_error_is_raised_by_the_function(run):
    def asking(receiver):
        later = yield Deferred(program(receiver, 0))
        return later

    later = run(asking(Recorder(lambda value: 1 / value)))
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            later()


def test_plain_code_runs_deferred_programs_on_demand():
    def asking(receiver):
        return (yield Deferred(program(receiver, 1)))

    recorder = Recorder()
    later = execute(asking(recorder))
    assert recorder.calls == []
    later()
    assert recorder.calls == [1]


def test_coroutine_runs_deferred_programs_at_once():
    def asking(receiver):
        return (yield Deferred(program(receiver, 1)))

    recorder = Recorder()
    asyncio.run(execute_async(asking(recorder)))
    assert recorder.calls == [1]


async def test_coroutine_bounds_the_wait_for_deferred_programs(monkeypatch):
    monkeypatch.setattr("spaniel.runtime.execution.DEFERRED_SECONDS", 0.05)

    def asking(receiver):
        later = yield Deferred(program(receiver, 1))
        return "found", later

    recorder = Recorder(seconds=3)
    found, later = await asyncio.wait_for(execute_async(asking(recorder)), 1)
    assert found == "found"
    assert recorder.cancelled == [1]
    with pytest.raises(TimeoutError):
        later()


async def test_cancellation_reaches_deferred_programs():
    def asking(receiver):
        return (yield Deferred(program(receiver, 1)))

    recorder = Recorder(seconds=3)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(execute_async(asking(recorder)), 0.05)
    assert recorder.cancelled == [1]


def test_nested_programs(run):
    def outer(receiver):
        first = yield from program(receiver, 1)
        [second] = yield Gather([program(receiver, 2)], 1)
        return first + second

    assert run(outer(Recorder())) == [1, 2]
