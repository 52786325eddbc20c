"""Interrupts between two files."""

import signal
import threading
from collections.abc import Iterator

import pytest

from spaniel.knowledge_base.interrupts import defer_interrupt


@pytest.fixture(autouse=True)
def as_from_a_terminal() -> Iterator[None]:
    """A background job, such as a test run may be, ignores SIGINT."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_interrupt_is_held_back_and_handlers_come_back(number: signal.Signals) -> None:
    before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
    with defer_interrupt() as came:
        assert not came()
        signal.raise_signal(number)
        assert came()
        assert [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)] == before
    assert [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)] == before


def test_the_second_interrupt_takes_effect() -> None:
    with pytest.raises(KeyboardInterrupt), defer_interrupt():  # noqa: PT012
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)


def test_an_interrupt_that_the_process_ignores_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with defer_interrupt() as came:
            signal.raise_signal(signal.SIGINT)
            assert not came()
    finally:
        signal.signal(signal.SIGINT, before)


def test_another_thread_holds_nothing_back() -> None:
    seen: list[bool] = []

    def work() -> None:
        with defer_interrupt() as came:
            seen.append(came())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [False]
