import itertools
import time

import pytest

from spaniel.runtime import Call, RetryPolicy, Sleep, retry
from tests.runtime.recorder import Recorder


def answers(*script):
    """Return a receiver that gives these answers, or raises these errors."""
    rest = list(script)

    def answer(_):
        current = rest.pop(0)
        if isinstance(current, Exception):
            raise current
        return current

    return Recorder(answer)


def asking(receiver, policy, is_transient=lambda error: isinstance(error, OSError)):
    return retry(Call(receiver, Recorder.ask, {"value": 1}), policy, is_transient)


def test_repeats_requests_after_transient_errors(run):
    policy = RetryPolicy()
    assert run(asking(answers(OSError(), OSError(), "here"), policy)) == "here"
    assert policy.reached


def test_pauses_before_each_retry(run):
    began = time.monotonic()
    run(asking(answers(OSError(), OSError(), "here"), RetryPolicy()))
    assert time.monotonic() - began >= 0.025 + 0.05


def test_raises_the_last_error_at_the_limit(run):
    receiver = answers(*[OSError(str(number)) for number in range(50)])
    with pytest.raises(OSError, match=r"^[1-9]"):
        run(asking(receiver, RetryPolicy(seconds=0.1)))
    assert len(receiver.calls) < 10


def test_raises_other_errors_at_once(run):
    receiver = answers(ValueError("wrong"), "here")
    with pytest.raises(ValueError, match="wrong"):
        run(asking(receiver, RetryPolicy()))
    assert len(receiver.calls) == 1


def test_unreached_server_has_a_shorter_limit(run):
    policy = RetryPolicy(seconds=1000, before_first_answer=0.1)
    with pytest.raises(OSError):
        run(asking(answers(*[OSError() for _ in range(50)]), policy))
    assert not policy.reached


def test_pauses_grow_to_a_maximum_with_jitter(monkeypatch):
    policy = RetryPolicy(seconds=100)
    policy.reached = True
    pauses = list(policy.pauses())
    assert pauses[0] <= 0.05
    assert max(pauses) <= 5
    assert any(pause > 2.5 for pause in pauses)
    assert pauses[:5] != list(itertools.islice(policy.pauses(), 5))


def test_pauses_end_for_a_caller_that_does_not_wait():
    policy = RetryPolicy(seconds=60)
    policy.reached = True
    pauses = list(policy.pauses())
    assert sum(pauses) == pytest.approx(60)
    assert len(pauses) < 40


def test_zero_seconds_disables_retries():
    assert list(RetryPolicy(seconds=0).pauses()) == []


def test_pauses_are_requests_of_the_program():
    program = asking(None, RetryPolicy())
    assert isinstance(next(program), Call)
    assert isinstance(program.throw(OSError()), Sleep)
