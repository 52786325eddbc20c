from typing import Any

import pytest

from spaniel.core import component as component_package
from spaniel.core.component import component, inputs_of, is_component, outputs_of, types
from spaniel.core.component.sockets import GREEDY, LAZY, GreedyVariadic, InputSocket, Mandatory, Variadic
from spaniel.errors import ComponentError
from tests.core.component import postponed


@component
class Count:
    def __init__(self, start: int = 0):
        self.start = start

    @component.output_types(n=int, more=list[str])
    def run(self, text: str, times: int = 1, *, marks: Variadic[str] = "!", first: GreedyVariadic[int]):
        return {"n": self.start}


@component()
class Dynamic:
    def __init__(self, names):
        component.set_input_types(self, **dict.fromkeys(names, int))
        component.set_output_types(self, **dict.fromkeys(names, str))

    def run(self, fixed: str, **kwargs):
        return kwargs


def test_a_parameter_of_run_is_an_input_with_its_type_and_default():
    assert inputs_of(Count()) == {
        "text": InputSocket("text", str),
        "times": InputSocket("times", int, 1),
        "marks": InputSocket("marks", str, "!", LAZY),
        "first": InputSocket("first", int, Mandatory, GREEDY),
    }


def test_outputs_are_those_declared():
    assert {name: socket.type for name, socket in outputs_of(Count()).items()} == {"n": int, "more": list[str]}


def test_inputs_and_outputs_may_depend_on_the_constructor():
    dynamic = Dynamic(["a", "b"])
    assert {name: (socket.type, socket.is_mandatory) for name, socket in inputs_of(dynamic).items()} == {
        "fixed": (str, True), "a": (int, True), "b": (int, True),
    }  # fmt: skip
    assert list(outputs_of(dynamic)) == ["a", "b"]
    assert list(outputs_of(Dynamic([]))) == []


def test_one_input_may_be_added_with_a_default():
    dynamic = Dynamic(["a"])
    component.set_input_type(dynamic, "c", float, 0.5)
    assert inputs_of(dynamic)["c"] == InputSocket("c", float, 0.5)


def test_annotations_that_are_text_are_resolved():
    assert {name: socket.type for name, socket in inputs_of(postponed.Later()).items()} == {
        "texts": list[str], "numbers": int, "unknown": "NotThere",
    }  # fmt: skip
    assert inputs_of(postponed.Later())["numbers"].variadic == LAZY


def test_a_parameter_without_annotation_takes_anything():
    @component
    class Loose:
        def run(self, value):
            return {}

    assert inputs_of(Loose())["value"].type is Any


def test_a_decorated_class_stays_itself_and_is_registered():
    assert is_component(Count())
    assert not is_component(Count)
    assert not is_component(object())
    assert component.registry[f"{__name__}.Count"] is Count


def test_a_class_without_run_is_refused():
    with pytest.raises(ComponentError, match="Idle must have a 'run' method"):

        @component
        class Idle:
            pass


def test_an_async_twin_must_be_a_coroutine():
    with pytest.raises(ComponentError, match="must be a coroutine"):

        @component
        class Twin:
            def run(self, a: int):
                return {}

            def run_async(self, a: int):
                return {}


def test_an_async_twin_must_take_the_same_parameters():
    with pytest.raises(ComponentError, match="differ in their parameters"):

        @component
        class Twin:
            def run(self, a: int):
                return {}

            async def run_async(self, a: str):
                return {}


def test_an_async_twin_must_give_the_same_outputs():
    with pytest.raises(ComponentError, match="differ in their output types"):

        @component
        class Twin:
            @component.output_types(n=int)
            def run(self):
                return {}

            @component.output_types(n=str)
            async def run_async(self):
                return {}


def test_outputs_are_declared_on_run_only():
    with pytest.raises(ComponentError, match="not on 'walk'"):

        @component.output_types(n=int)
        def walk():
            return {}


def test_outputs_are_declared_in_one_way_only():
    with pytest.raises(ComponentError, match="has declared its outputs"):
        component.set_output_types(Count(), n=int)


def test_inputs_can_be_set_only_where_run_takes_any():
    with pytest.raises(ComponentError, match=r"takes \*\*kwargs; Count\.run does not"):
        component.set_input_type(Count(), "other", int)


def test_a_parameter_of_run_cannot_be_set_again():
    with pytest.raises(ComponentError, match="'fixed' is a parameter of run"):
        component.set_input_type(Dynamic([]), "fixed", str)


def test_a_variadic_input_needs_the_type_of_its_items():
    @component
    class Bare:
        def run(self, values: Variadic):
            return {}

    with pytest.raises(ComponentError, match="'values' needs the type of its items"):
        inputs_of(Bare())


def test_haystacks_module_path_leads_to_the_same_names():
    assert all(getattr(types, name) is getattr(component_package, name) for name in types.__all__)
