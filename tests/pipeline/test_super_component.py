import asyncio
import subprocess
import sys

import haystack
import pytest
from hypothesis import assume, given, settings

import spaniel.core.pipeline
import spaniel.core.super_component
from spaniel import Pipeline, component
from spaniel.errors import DeserializationError, PipelineRuntimeError
from spaniel.pipeline import SuperComponent, super_component
from tests.pipeline.paired_components import OURS, THEIRS
from tests.pipeline.test_same_as_haystack import outcome, plans, select_free_inputs


def inner():
    pipeline = Pipeline().add_components({"a": OURS.Add(1), "b": OURS.Fragile(), "c": OURS.Add(100)})
    return pipeline.connect("a", "b")


@super_component
class Increase:
    """Adds one."""

    def __init__(self, limit: int = 3):
        self.limit = limit
        self.pipeline = Pipeline().add_components({"add": OURS.Add(1), "branch": OURS.Branch(limit)})
        self.pipeline.connect("add", "branch")
        self.input_mapping = {"number": ["add.value"]}
        self.output_mapping = {"branch.above": "more", "branch.below": "less"}

    def twice(self, number):
        return self.run(number=self.run(number=number)["less"])


def test_inputs_and_outputs_have_mapped_names():
    wrapped = SuperComponent(
        inner(), {"n": ["a.value", "c.value"]}, {"a.value": "one", "b.value": "same", "c.value": "far"}
    )
    assert wrapped.run(n=1) == {"one": 2, "same": 2, "far": 101}
    assert asyncio.run(wrapped.run_async(n=1)) == wrapped.run(n=1)


def test_omitted_input_has_the_default_of_the_inner_component():
    wrapped = SuperComponent(inner(), {"n": ["a.value", "c.value"], "by": ["a.amount"]}, {"a.value": "one"})
    outer = Pipeline().add_component("w", wrapped)
    assert outer.inputs()["w"]["n"]["is_mandatory"]
    assert not outer.inputs()["w"]["by"]["is_mandatory"]
    assert outer.run({"n": 1}) == {"w": {"one": 2}}
    assert outer.run({"n": 1, "by": 5}) == {"w": {"one": 6}}


def test_rejects_duplicate_output_names_without_mapping():
    with pytest.raises(ValueError, match=r"Several outputs have the name \['value'\]"):
        SuperComponent(inner())


@pytest.mark.parametrize(
    ("input_mapping", "output_mapping", "error", "message"),
    [
        ({"n": ["x.value"]}, {"a.value": "v"}, ValueError, r"'x\.value' is not a free input.*a\.value, a\.amount"),
        ({"n": ["b.value"]}, {"a.value": "v"}, ValueError, r"'b\.value' is not a free input"),
        ({"n": ["a"]}, {"a.value": "v"}, ValueError, r"'a' must name a component and a socket"),
        ({"n": "a.value"}, {"a.value": "v"}, TypeError, "list of 'component.socket'"),
        (["n"], {"a.value": "v"}, TypeError, "input_mapping must be a dictionary"),
        ({}, {"a.other": "v"}, ValueError, r"'a\.other' is not a free output"),
        ({}, {"a.value": 3}, TypeError, "output_mapping must be a dictionary"),
    ],
)
def test_rejects_invalid_mappings(input_mapping, output_mapping, error, message):
    with pytest.raises(error, match=message):
        SuperComponent(inner(), input_mapping, output_mapping)


def test_rejects_input_for_sockets_without_common_type():
    pipeline = Pipeline().add_components({"a": OURS.Add(), "b": OURS.Shout()})
    with pytest.raises(TypeError, match="'n' can't feed all its sockets: int and str have no common values"):
        SuperComponent(pipeline, {"n": ["a.value", "b.text"]})


def test_rejects_missing_pipeline():
    with pytest.raises(ValueError, match="must be a Pipeline"):
        SuperComponent(None)


def test_inner_failure_names_both_components():
    outer = Pipeline().add_component(
        "w", SuperComponent(inner(), {"n": ["a.value"], "m": ["c.value"]}, {"b.value": "v"})
    )
    with pytest.raises(PipelineRuntimeError, match="Component name: 'b'") as caught:
        outer.run({"n": 4, "m": 1})
    assert caught.value.__notes__ == ["It runs inside the component 'w'."]


def test_super_component_round_trips_in_the_form_of_haystack():
    def build(package, wrapper, declared):
        pipeline = package.Pipeline().add_component("add", declared.Add(1))
        return package.Pipeline().add_component("w", wrapper(pipeline, {"n": ["add.value"]}))

    pipeline = build(spaniel, SuperComponent, OURS)
    text = build(haystack, haystack.SuperComponent, THEIRS).dumps()
    assert pipeline.dumps() == text.replace("type: haystack.", "type: spaniel.")
    assert Pipeline.loads(pipeline.dumps()) == pipeline
    assert Pipeline.loads(pipeline.dumps()).run({"n": 1}) == {"w": {"value": 2}}


def test_reads_data_of_older_haystack_versions():
    data = SuperComponent(Pipeline().add_component("add", OURS.Add(1))).to_dict()
    data["init_parameters"]["is_pipeline_async"] = False
    assert SuperComponent.from_dict(data).run(value=1) == {"value": 2}


def test_rejects_data_without_pipeline():
    with pytest.raises(DeserializationError, match="needs the init parameter 'pipeline'"):
        SuperComponent.from_dict({"type": "x", "init_parameters": {}})


@settings(max_examples=100, deadline=None)
@given(plan=plans(loops=False))
def test_super_component_has_the_outputs_of_haystack(plan):
    ours, _ = plan.build(Pipeline(), OURS)
    theirs, _ = plan.build(haystack.Pipeline(), THEIRS)
    data = select_free_inputs(ours, plan.data)
    inputs = {f"{name}_{key}": [f"{name}.{key}"] for name, values in data.items() for key in values}
    outputs = {f"{name}.{key}": f"{name}_{key}" for name, sockets in ours.outputs().items() for key in sockets}
    values = {f"{name}_{key}": value for name, given_ in data.items() for key, value in given_.items()}
    assume(outputs)
    wrapped = outcome(lambda: haystack.SuperComponent(theirs, inputs, outputs).run(**values))
    assert outcome(lambda: SuperComponent(ours, inputs, outputs).run(**values)) == wrapped


def test_decorated_class_is_a_component_with_its_methods_and_parameters():
    pipeline = Pipeline().add_component("up", Increase(limit=5))
    assert pipeline.run({"number": 1}) == {"up": {"less": 2}}
    assert Increase(9).twice(1) == {"less": 3}
    assert (Increase.__name__, Increase.__doc__) == ("Increase", "Adds one.")
    assert Pipeline.loads(pipeline.dumps()) == pipeline


def test_decorated_class_must_set_a_pipeline():
    @super_component
    class Empty:
        def __init__(self):
            pass

    with pytest.raises(ValueError, match=r"must set self\.pipeline"):
        Empty()


def test_decorated_class_may_call_its_base():
    class Base:
        def __init__(self):
            self.pipeline = Pipeline().add_component("add", OURS.Add(1))

    @super_component
    class Derived(Base):
        def __init__(self):
            super().__init__()

    assert Derived().run(value=1) == {"value": 2}


def test_inner_components_are_warmed_up_and_closed():
    calls = []

    @component
    class Heavy:
        def warm_up(self):
            calls.append("warm_up")

        def close(self):
            calls.append("close")

        @component.output_types(n=int)
        def run(self):
            return {"n": 1}

    outer = Pipeline().add_component("w", SuperComponent(Pipeline().add_component("heavy", Heavy())))
    outer.warm_up()
    outer.close()
    assert calls == ["warm_up", "close"]


def test_draws_the_inner_pipeline(tmp_path, capsys):
    wrapped = SuperComponent(Pipeline().add_component("add", OURS.Add()))
    wrapped.draw(tmp_path / "p.mmd")
    wrapped.show()
    assert (tmp_path / "p.mmd").read_text(encoding="utf-8") == capsys.readouterr().out


def test_haystack_paths_export_the_same_classes():
    assert spaniel.core.pipeline.Pipeline is Pipeline
    assert spaniel.core.super_component.SuperComponent is SuperComponent
    assert spaniel.core.super_component.super_component is super_component


def test_resolves_serialised_name_of_super_component_in_a_fresh_process():
    code = (
        "from spaniel.core.known_types import resolve_serializable_class\n"
        "print(resolve_serializable_class('spaniel.core.super_component.super_component.SuperComponent').__name__)"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout.strip() == "SuperComponent"
