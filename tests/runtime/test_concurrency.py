import asyncio
import contextvars
import threading
import time

import pytest

from spaniel.runtime import Call, Gather, execute, execute_async
from tests.runtime.recorder import Recorder

VARIABLE = contextvars.ContextVar("VARIABLE", default="default")


def one(receiver, value):
    return (yield Call(receiver, Recorder.ask, {"value": value}))


def gathered(receiver, values, limit):
    return (yield Gather((one(receiver, value) for value in values), limit))


@pytest.mark.parametrize("count", [0, 1, 2, 7])
@pytest.mark.parametrize("limit", [1, 3, 20])
def test_results_are_in_the_order_of_the_programs(run, count, limit):
    assert run(gathered(Recorder(), range(count), limit)) == list(range(count))


def test_results_keep_their_order_if_the_last_finishes_first(run):
    class Slower(Recorder):
        def ask(self, value):
            time.sleep(value)
            return value

        async def ask_async(self, value):
            await asyncio.sleep(value)
            return value

    assert run(gathered(Slower(), [0.05, 0.02, 0], 3)) == [0.05, 0.02, 0]


@pytest.mark.parametrize("limit", [1, 3])
def test_limit_bounds_running_programs(run, limit):
    recorder = Recorder(seconds=0.002)
    run(gathered(recorder, range(20), limit))
    assert recorder.most == limit


def test_programs_are_drawn_on_demand(run):
    recorder, ahead = Recorder(seconds=0.002), []

    def programs():
        for value in range(20):
            ahead.append(value - recorder.finished)
            yield one(recorder, value)

    def gathering():
        yield Gather(programs(), 3)

    run(gathering())
    assert max(ahead) == 3


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_starts_no_program_after_a_failure(run, limit):
    recorder = Recorder(lambda value: 1 / value)
    with pytest.raises(ZeroDivisionError):
        run(gathered(recorder, [1, 0, *range(1, 100)], limit))
    assert len(recorder.calls) <= 1 + 2 * limit


def test_raises_the_first_error(run):
    class Failing(Recorder):
        def ask(self, value):
            time.sleep(value)
            raise ValueError(str(value))

        async def ask_async(self, value):
            await asyncio.sleep(value)
            raise ValueError(str(value))

    with pytest.raises(ValueError, match=r"0\.01"):
        run(gathered(Failing(), [0.2, 0.01], 2))


def test_iterator_errors_are_raised_in_the_program(run):
    recorder = Recorder()

    def programs():
        yield one(recorder, 1)
        yield one(recorder, 2)
        yield one(recorder, 3)
        raise ValueError("bad document")

    def gathering():
        try:
            yield Gather(programs(), 2)
        except ValueError as error:
            return str(error)

    assert run(gathering()) == "bad document"


def test_none_waits_for_a_running_program(run):
    finished = []

    def noting(receiver, value):
        yield Call(receiver, Recorder.ask, {"value": value})
        finished.append(value)

    def programs(receiver):
        yield noting(receiver, 1)
        yield noting(receiver, 2)
        seen = len(finished)
        while seen < 2:
            yield None
            assert len(finished) > seen
            seen = len(finished)
        yield noting(receiver, 3)

    def gathering():
        return (yield Gather(programs(Recorder(seconds=0.01)), 5))

    assert run(gathering()) == [None] * 3
    assert finished[-1] == 3


def test_none_without_running_programs_is_skipped(run):
    def gathering():
        return (yield Gather(iter([None, one(Recorder(), 1), None, None]), 3))

    assert run(gathering()) == [1]


def test_programs_have_the_context_variables_of_the_caller(run):
    class Reader:
        def ask(self, value):
            seen = VARIABLE.get()
            VARIABLE.set(value)
            return seen

    VARIABLE.set("set")
    assert run(gathered(Reader(), ["a", "b", "c"], 2)) == ["set"] * 3
    assert VARIABLE.get() == "set"


def test_gathered_programs_have_the_target(run):
    class Question:
        def call_on(self, target):
            return Call(target, Recorder.ask, {"value": "question"})

    def asking():
        return (yield Question())

    def gathering():
        return (yield Gather([asking(), asking()], 2))

    assert run(gathering(), Recorder()) == ["question"] * 2


def test_threads_run_in_parallel_and_end_with_the_call():
    before = threading.active_count()
    recorder = Recorder(seconds=0.05)
    execute(gathered(recorder, range(4), 4))
    assert recorder.most == 4
    assert threading.active_count() == before


def test_running_threads_are_awaited_after_an_error():
    class Failing(Recorder):
        def ask(self, value):
            super().ask(value)
            time.sleep(value)
            self.calls.append(f"{value} ended")
            if not value:
                raise ValueError

    recorder = Failing()
    with pytest.raises(ValueError):
        execute(gathered(recorder, [0.1, 0], 2))
    assert "0.1 ended" in recorder.calls


async def test_running_tasks_are_cancelled_after_an_error():
    def mixed(recorder, failing):
        yield Gather([one(recorder, 1), one(recorder, 2), one(failing, 0)], 3)

    recorder = Recorder(seconds=3)
    with pytest.raises(ZeroDivisionError):
        await asyncio.wait_for(execute_async(mixed(recorder, Recorder(lambda value: 1 / value))), 1)
    assert recorder.cancelled == [1, 2]
    assert len(asyncio.all_tasks()) == 1
