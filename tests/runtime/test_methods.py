import asyncio
import inspect

from spaniel.runtime import Call, Program, async_method, sync_method
from tests.runtime.recorder import Recorder


class Counter:
    """Counts by requests."""

    def __init__(self) -> None:
        self.recorder = Recorder()

    @property
    def _target(self) -> Recorder:
        return self.recorder

    @sync_method
    def count(self, number: int, *, step: int = 1) -> Program[list[int]]:
        """Return the numbers below one."""
        numbers = []
        for value in range(0, number, step):
            answer = yield Call(self.recorder, Recorder.ask, {"value": value})
            numbers.append(answer)
        return numbers

    count_async = async_method(count)

    @sync_method
    def asked(self) -> Program[str]:
        return (yield Question())

    asked_async = async_method(asked)


class Question:
    def call_on(self, target):
        return Call(target, Recorder.ask, {"value": "question"})


def test_both_methods_run_the_program():
    assert Counter().count(3) == [0, 1, 2]
    assert asyncio.run(Counter().count_async(3, step=2)) == [0, 2]


def test_unbound_requests_go_to_the_target_of_the_object():
    assert Counter().asked() == asyncio.run(Counter().asked_async()) == "question"


def test_both_have_the_signature_of_the_program_and_return_its_result():
    assert inspect.iscoroutinefunction(Counter.count_async)
    for method in (Counter.count, Counter.count_async):
        signature = inspect.signature(method)
        assert list(signature.parameters) == ["self", "number", "step"]
        assert signature.return_annotation == list[int] == inspect.get_annotations(method)["return"]


def test_both_are_named_and_described():
    assert Counter.count.__doc__ == "Return the numbers below one."
    assert Counter.count_async.__name__ == "count_async"
    assert Counter.count_async.__qualname__ == "Counter.count_async"
    assert "`count`" in Counter.count_async.__doc__


def test_async_method_has_the_attributes_of_the_method():
    def method(self) -> Program[int]:
        yield from ()
        return 1

    plain = sync_method(method)
    plain.noted = "note"
    assert async_method(plain).noted == "note"
