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


def test_answers_are_sent_back_in_their_order(run):
    recorder = Recorder(lambda value: value * 2)
    assert run(program(recorder, 1, 2, 3)) == [2, 4, 6]
    assert recorder.calls == [1, 2, 3]


def test_a_program_without_requests_has_a_result(run):
    assert run(program(None)) == []


def test_an_error_is_raised_where_the_request_stands(run):
    def fail(value):
        raise ValueError(f"no {value}")

    def forgiving():
        try:
            yield ask(Recorder(fail), 1)
        except ValueError as error:
            return str(error)

    assert run(forgiving()) == "no 1"


def test_an_error_that_is_not_handled_comes_out(run):
    with pytest.raises(ZeroDivisionError):
        run(program(Recorder(lambda value: 1 / value), 0))


def test_clean_up_after_an_error_may_ask(run):
    recorder = Recorder(lambda value: 1 / value)

    def careful():
        try:
            yield ask(recorder, 0)
        finally:
            yield ask(recorder, 1)

    with pytest.raises(ZeroDivisionError):
        run(careful())
    assert recorder.calls == [0, 1]


def test_clean_up_after_an_interrupt_may_ask(run):
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


def test_a_request_that_names_no_receiver_goes_to_the_target(run):
    class Question:
        def call_on(self, target):
            return ask(target, "question")

    def asking():
        return (yield Question())

    recorder = Recorder()
    assert run(asking(), recorder) == "question"


def test_the_method_of_the_receiver_is_called_not_that_of_the_class_it_is_named_by(run):
    class Other(Recorder):
        def _end(self, value):
            return "other"

    assert run(program(Other(), 1)) == ["other"]


def test_a_sleep_takes_its_time(run):
    def sleeping():
        yield Sleep(0.05)

    began = time.monotonic()
    run(sleeping())
    assert time.monotonic() - began >= 0.05


def test_no_reference_cycle_keeps_what_an_error_holds(run):
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


# --- which of the two methods is called ------------------------------------------------------------------------------


def test_the_async_method_is_awaited_in_a_coroutine():
    assert asyncio.run(execute_async(program(OnlyAsync(), 1))) == [1]


def test_a_receiver_without_the_plain_method_says_so_in_plain_code():
    with pytest.raises(AttributeError, match="'OnlyAsync' object has no attribute 'ask'"):
        execute(program(OnlyAsync(), 1))


@pytest.mark.parametrize("in_thread", ["wait", "abandon"])
def test_a_receiver_without_the_async_method_is_called_in_a_thread(in_thread):
    def asking(receiver):
        return (yield ask(receiver, 1, in_thread=in_thread))

    receiver = OnlySync()
    assert asyncio.run(execute_async(asking(receiver))) == 1
    assert receiver.threads != [threading.main_thread()]


def test_a_thread_has_the_context_variables_of_the_caller(run):
    class Reader:
        def ask(self, value):
            return VARIABLE.get()

    VARIABLE.set("set")
    assert run(program(Reader(), 1)) == ["set"]


async def test_a_call_that_must_not_be_made_in_a_thread_is_an_error():
    receiver = OnlySync()

    def asking():
        yield ask(receiver, 1, in_thread="forbid")

    with pytest.raises(TypeError, match="OnlySync does not provide async support: it has no 'ask_async'"):
        await execute_async(asking())
    assert execute(asking()) is None
    assert len(receiver.threads) == 1


# --- what is asked later ---------------------------------------------------------------------------------------------


def test_what_is_asked_later_gives_a_function(run):
    def asking(receiver):
        return (yield Deferred(program(receiver, 1, 2)))

    recorder = Recorder()
    later = run(asking(recorder))
    assert later() == later() == [1, 2]
    assert recorder.calls == [1, 2]


def test_an_error_of_what_is_asked_later_is_raised_by_the_function_alone(run):
    def asking(receiver):
        later = yield Deferred(program(receiver, 0))
        return later

    later = run(asking(Recorder(lambda value: 1 / value)))
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            later()


def test_plain_code_asks_when_the_function_is_called():
    def asking(receiver):
        return (yield Deferred(program(receiver, 1)))

    recorder = Recorder()
    later = execute(asking(recorder))
    assert recorder.calls == []
    later()
    assert recorder.calls == [1]


def test_a_coroutine_asks_at_once():
    def asking(receiver):
        return (yield Deferred(program(receiver, 1)))

    recorder = Recorder()
    asyncio.run(execute_async(asking(recorder)))
    assert recorder.calls == [1]


async def test_a_coroutine_does_not_wait_long_for_what_may_not_be_needed(monkeypatch):
    monkeypatch.setattr("spaniel.runtime.execution.LATER_SECONDS", 0.05)

    def asking(receiver):
        later = yield Deferred(program(receiver, 1))
        return "found", later

    recorder = Recorder(seconds=3)
    found, later = await asyncio.wait_for(execute_async(asking(recorder)), 1)
    assert found == "found"
    assert recorder.cancelled == [1]
    with pytest.raises(TimeoutError):
        later()


async def test_a_cancellation_reaches_what_is_asked_later():
    def asking(receiver):
        return (yield Deferred(program(receiver, 1)))

    recorder = Recorder(seconds=3)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(execute_async(asking(recorder)), 0.05)
    assert recorder.cancelled == [1]


def test_programs_within_programs(run):
    def outer(receiver):
        first = yield from program(receiver, 1)
        [second] = yield Gather([program(receiver, 2)], 1)
        return first + second

    assert run(outer(Recorder())) == [1, 2]
