from typing import Any

import pytest

from spaniel.core import component as component_package
from spaniel.core.component import component, get_input_sockets, get_output_sockets, is_component, types
from spaniel.core.component.sockets import GREEDY, LAZY, GreedyVariadic, InputSocket, Mandatory, Variadic
from spaniel.errors import ComponentError
from spaniel.pipeline import Pipeline
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


def test_run_parameters_are_inputs_with_type_and_default():
    assert get_input_sockets(Count()) == {
        "text": InputSocket("text", str),
        "times": InputSocket("times", int, 1),
        "marks": InputSocket("marks", str, "!", LAZY),
        "first": InputSocket("first", int, Mandatory, GREEDY),
    }


def test_outputs_are_the_declared_ones():
    assert {name: socket.type for name, socket in get_output_sockets(Count()).items()} == {"n": int, "more": list[str]}


def test_constructor_may_declare_inputs_and_outputs():
    dynamic = Dynamic(["a", "b"])
    assert {name: (socket.type, socket.is_mandatory) for name, socket in get_input_sockets(dynamic).items()} == {
        "fixed": (str, True), "a": (int, True), "b": (int, True),
    }  # fmt: skip
    assert list(get_output_sockets(dynamic)) == ["a", "b"]
    assert list(get_output_sockets(Dynamic([]))) == []


def test_set_input_type_accepts_a_default():
    dynamic = Dynamic(["a"])
    component.set_input_type(dynamic, "c", float, 0.5)
    assert get_input_sockets(dynamic)["c"] == InputSocket("c", float, 0.5)


def test_resolves_string_annotations():
    assert {name: socket.type for name, socket in get_input_sockets(postponed.Later()).items()} == {
        "texts": list[str], "numbers": int, "unknown": "NotThere",
    }  # fmt: skip
    assert get_input_sockets(postponed.Later())["numbers"].variadic == LAZY


def test_unannotated_parameter_accepts_anything():
    @component
    class Loose:
        def run(self, value):
            return {}

    assert get_input_sockets(Loose())["value"].type is Any


def test_decorator_registers_and_returns_the_class():
    assert is_component(Count())
    assert not is_component(Count)
    assert not is_component(object())
    assert component.registry[f"{__name__}.Count"] is Count


def test_rejects_class_without_run():
    with pytest.raises(ComponentError, match=r"Idle must have a 'run\(\)' method"):

        @component
        class Idle:
            pass


def test_run_async_must_be_a_coroutine():
    @component
    class Both:
        def run(self, a: int):
            return {}

        def run_async(self, a: int):
            return {}

    with pytest.raises(ComponentError, match="must be a coroutine"):
        Both()


def test_run_async_error_lists_differing_parameters():
    @component
    class Both:
        def __init__(self, size: int):
            self.size = size

        def run(self, a: int, b: int = 1, *, c: str):
            return {}

        async def run_async(self, a: str, b: int = 2, d: str = "", e: str = ""):
            return {}

    with pytest.raises(ComponentError) as error:
        Both(3)

    assert str(error.value) == (
        "Parameters of 'run' and 'run_async' methods must be the same in Both:\n"
        "Different number of parameters: 4 in run, 5 in run_async\n"
        "Parameter 'a': type mismatch: <class 'int'> in run, <class 'str'> in run_async\n"
        "Parameter 'b': default value mismatch: 1 in run, 2 in run_async\n"
        "Parameter 'c': name mismatch: c in run, d in run_async\n"
        "Parameter 'c': default value mismatch: <class 'inspect._empty'> in run,  in run_async\n"
        "Parameter 'c': kind (POSITIONAL, KEYWORD, etc.) mismatch: KEYWORD_ONLY in run, POSITIONAL_OR_KEYWORD in run_async"
    )


def test_run_async_must_have_the_same_outputs():
    @component
    class Both:
        @component.output_types(n=int)
        def run(self):
            return {}

        @component.output_types(n=str)
        async def run_async(self):
            return {}

    with pytest.raises(ComponentError, match="Output type specifications"):
        Both()


def test_repr_shows_sockets_and_name_in_a_pipeline():
    counting = Count()
    sockets = "Inputs:\n  - text: str\n  - times: int\n  - marks: str\n  - first: int\nOutputs:\n  - n: int\n  - more: list[str]"
    assert repr(counting) == f"{object.__repr__(counting)}\n{sockets}"
    pipeline = Pipeline().add_component("counting", counting)
    assert repr(counting) == f"{object.__repr__(counting)}\ncounting\n{sockets}"
    assert counting.__haystack_added_to_pipeline__ is pipeline


def test_keeps_the_repr_of_a_component():
    @component
    class Plain:
        def run(self):
            return {}

        def __repr__(self):
            return "plain"

    assert repr(Plain()) == "plain"


def test_finds_sockets_by_haystack_attributes():
    counting = Count()
    inputs = counting.__haystack_input__
    assert inputs.text == inputs.get("text") == InputSocket("text", str)
    assert "text" in inputs
    assert inputs.get("other") is None
    assert inputs == counting.__haystack_input__ != counting.__haystack_output__
    assert inputs.marks.is_variadic
    assert inputs.marks.is_lazy_variadic
    assert inputs.first.is_greedy
    assert not inputs.text.is_variadic
    assert not counting.__haystack_supports_async__


def test_rejects_output_types_on_other_methods():
    with pytest.raises(ComponentError, match="not on 'walk'"):

        @component.output_types(n=int)
        def walk():
            return {}


def test_rejects_outputs_declared_twice():
    with pytest.raises(ComponentError, match="Cannot call `set_output_types` on Count"):
        component.set_output_types(Count(), n=int)


def test_rejects_set_input_type_without_kwargs():
    with pytest.raises(ComponentError, match="of Count doesn't have a kwargs parameter"):
        component.set_input_type(Count(), "other", int)


def test_rejects_overriding_a_run_parameter():
    with pytest.raises(ComponentError, match="cannot override the parameters of the 'run' method"):
        component.set_input_type(Dynamic([]), "fixed", int)
    component.set_input_type(Dynamic([]), "fixed", str)  # the same says nothing new


def test_rejects_variadic_input_without_item_type():
    @component
    class Bare:
        def run(self, values: Variadic):
            return {}

    with pytest.raises(ComponentError, match="'values' must have a type argument"):
        get_input_sockets(Bare())


def test_haystack_path_exports_the_same_names():
    shared = [name for name in types.__all__ if not name.startswith("HAYSTACK_")]
    assert all(getattr(types, name) is getattr(component_package, name) for name in shared)
