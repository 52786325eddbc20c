"""A cancelled coroutine: its requests are cancelled, its programs clean up, and nothing is left
running.
"""

import asyncio
import logging
import time

import pytest

from spaniel.runtime import Call, Gather, Sleep, execute_async
from tests.runtime.recorder import OnlySync, Recorder


def ask(receiver, value, **options):
    return Call(receiver, Recorder.ask, {"value": value}, **options)


def one(receiver, value, **options):
    return (yield ask(receiver, value, **options))


async def cancelled(program, after=0.05):
    """Run a program, cancel it; return how long it took. No task may be left."""
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(execute_async(program), after)
    assert len(asyncio.all_tasks()) == 1
    return time.monotonic() - began


async def test_cancels_slow_requests_at_once():
    def gathering():
        yield Gather([one(recorder, 1), one(recorder, 2)], 2)

    recorder = Recorder(seconds=3)
    assert await cancelled(gathering()) < 1
    assert sorted(recorder.cancelled) == [1, 2]


async def test_cancels_a_sleep_at_once():
    def sleeping():
        yield Sleep(3)

    assert await cancelled(sleeping()) < 1


async def test_starts_no_program_after_cancellation():
    def gathering():
        yield Gather((one(recorder, value) for value in range(100)), 2)

    recorder = Recorder(seconds=3)
    await cancelled(gathering())
    assert recorder.calls == [0, 1]


async def test_cleanup_may_make_requests_before_the_cancellation():
    recorder = Recorder()

    def careful():
        try:
            yield Sleep(3)
        finally:
            yield ask(recorder, "undo")
            yield Sleep(0.01)
            yield ask(recorder, "undone")

    await cancelled(careful())
    assert recorder.calls == ["undo", "undone"]


async def test_gathered_programs_clean_up_before_their_parent():
    recorder, slow = Recorder(), Recorder(seconds=3)

    def careful(value):
        try:
            yield ask(slow, value)
        except BaseException:
            yield ask(recorder, f"undo {value}")
            raise

    def gathering():
        try:
            yield Gather([careful(1), careful(2)], 2)
        except BaseException:
            yield ask(recorder, "undo all")
            raise

    await cancelled(gathering())
    assert recorder.calls == ["undo 1", "undo 2", "undo all"]


async def test_program_cannot_suppress_a_cancellation():
    def stubborn():
        try:
            yield Sleep(3)
        except asyncio.CancelledError:
            return "done"

    await cancelled(stubborn())


async def test_cleanup_has_a_time_limit(monkeypatch, caplog):
    monkeypatch.setattr("spaniel.runtime.execution.CLEANUP_SECONDS", 0.05)

    def endless():
        try:
            yield Sleep(3)
        finally:
            yield Sleep(3)

    with caplog.at_level(logging.WARNING, "spaniel"):
        assert await cancelled(endless()) < 1
    assert "clean-up of a cancelled call failed" in caplog.text


async def test_cleanup_error_is_logged(caplog):
    def careful():
        try:
            yield Sleep(3)
        finally:
            yield ask(Recorder(lambda value: 1 / value), 0)

    with caplog.at_level(logging.WARNING, "spaniel"):
        await cancelled(careful())
    assert "ZeroDivisionError" in caplog.text


async def test_second_cancellation_ends_the_cleanup():
    recorder = Recorder()

    def careful():
        try:
            yield Sleep(3)
        finally:
            yield ask(recorder, "undo")
            yield Sleep(3)
            yield ask(recorder, "undone")

    task = asyncio.create_task(execute_async(careful()))
    for _ in range(2):
        await asyncio.sleep(0.05)
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 1)
    assert recorder.calls == ["undo"]


async def test_waits_for_writing_threads():
    receiver = OnlySync(seconds=0.2)
    assert await cancelled(one(receiver, 1)) >= 0.2
    assert receiver.finished == 1


async def test_waits_for_writing_threads_after_repeated_cancellation():
    receiver = OnlySync(seconds=0.2)
    task = asyncio.create_task(execute_async(one(receiver, 1)))
    for _ in range(3):
        await asyncio.sleep(0.02)
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert receiver.finished == 1


async def test_abandons_reading_threads():
    receiver = OnlySync(seconds=0.5)
    assert await cancelled(one(receiver, 1, in_thread="abandon")) < 0.4
    assert receiver.finished == 0


async def test_caller_timeout_remains_a_timeout():
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await execute_async(one(Recorder(seconds=3), 1))
