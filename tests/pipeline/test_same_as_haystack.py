"""Random pipelines have the same outputs in Spaniel and in Haystack."""

import asyncio
import copy
from dataclasses import dataclass
from typing import Any

import haystack
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel import Pipeline
from tests.pipeline.paired_components import INPUTS, MAKE, OURS, OUTPUTS, THEIRS

KINDS = [*MAKE, *["Add", "Branch", "Pair", "Repeat", "Total", "Gather", "First"] * 2]
VALUES = {
    "value": st.integers(0, 9), "amount": st.integers(0, 9), "a": st.integers(0, 9), "b": st.integers(0, 9),
    "values": st.lists(st.integers(0, 9), max_size=3), "more": st.lists(st.integers(0, 9), max_size=3),
    "text": st.sampled_from(["one", "two words"]), "suffix": st.sampled_from(["?", ""]),
}  # fmt: skip


@dataclass
class Plan:
    """A pipeline to build in both libraries, and its inputs."""

    kinds: dict[str, str]
    connections: list[tuple[str, str]]
    data: dict[str, Any]
    include: set[str]

    def build(self, pipeline: Any, declared: Any) -> tuple[Any, list[str]]:
        """Return the pipeline and the outcome of each connection."""
        pipeline.add_components({name: MAKE[kind](declared) for name, kind in self.kinds.items()})
        return pipeline, [
            outcome(lambda ends=ends: pipeline.connect(*ends) and "connected") for ends in self.connections
        ]


@st.composite
def plans(draw: st.DrawFn, *, loops: bool) -> Plan:
    names = list(draw(st.permutations("abcdefg"))[: draw(st.integers(1, 7))])
    kinds = {name: draw(st.sampled_from(KINDS)) for name in names}
    connections = []
    for _ in range(draw(st.integers(0, 16))):
        sender, receiver = draw(st.sampled_from(names)), draw(st.sampled_from(names))
        if loops or names.index(sender) < names.index(receiver):
            connections.append(draw(ends(sender, OUTPUTS[kinds[sender]], receiver, INPUTS[kinds[receiver]])))
    data = {
        name: {key: draw(value_of(kind, key)) for key in INPUTS[kind] if draw(OFTEN)} for name, kind in kinds.items()
    }
    return Plan(
        kinds,
        connections,
        {name: values for name, values in data.items() if values},
        draw(st.sets(st.sampled_from(names))),
    )


OFTEN = st.integers(0, 9).map(bool)


def ends(sender: str, outputs: list[str], receiver: str, inputs: list[str]) -> st.SearchStrategy[tuple[str, str]]:
    """Two ends that may or may not fit, with or without the names of their sockets."""
    return st.tuples(end(sender, outputs), end(receiver, inputs))


def end(name: str, sockets: list[str]) -> st.SearchStrategy[str]:
    return st.sampled_from([name, *(f"{name}.{socket}" for socket in sockets)])


def value_of(kind: str, name: str) -> st.SearchStrategy[Any]:
    return VALUES[name] if kind == "Gather" or name != "values" else st.integers(0, 9)


def outcome(action: Any) -> Any:
    try:
        return without_nones(action())
    except Exception as error:  # noqa: BLE001 (the error types of both libraries are compared)
        return type(error).__name__


def without_nones(outputs: Any) -> Any:
    """Leave out None from lists: where none of several senders sends, Haystack passes [None] in
    place of the default.
    """
    if isinstance(outputs, dict):
        return {name: without_nones(value) for name, value in outputs.items()}
    return [item for item in outputs if item is not None] if isinstance(outputs, list) else outputs


def select_free_inputs(pipeline: Any, data: dict[str, Any]) -> dict[str, Any]:
    """Drop the values of connected inputs, which every run would reject."""
    free = pipeline.inputs()
    kept = {
        name: {key: value for key, value in values.items() if key in free.get(name, {})}
        for name, values in data.items()
    }
    return {name: values for name, values in kept.items() if values}


@settings(max_examples=500, deadline=None)
@given(plan=plans(loops=False))
def test_acyclic_pipelines_have_the_outputs_of_haystack(plan):
    ours, our_connections = plan.build(Pipeline(), OURS)
    theirs, their_connections = plan.build(haystack.Pipeline(), THEIRS)
    assert our_connections == their_connections
    data = select_free_inputs(ours, plan.data)
    expected = outcome(lambda: theirs.run(copy.deepcopy(data), plan.include))
    assert outcome(lambda: ours.run(data, plan.include)) == expected


@settings(max_examples=500, deadline=None)
@given(plan=plans(loops=True))
def test_cyclic_pipelines_have_the_outputs_of_haystack(plan):
    ours, our_connections = plan.build(Pipeline(max_runs_per_component=4), OURS)
    theirs, their_connections = plan.build(haystack.Pipeline(max_runs_per_component=4), THEIRS)
    assert our_connections == their_connections
    data = select_free_inputs(ours, plan.data)
    expected = outcome(lambda: theirs.run(copy.deepcopy(data), plan.include))
    assert outcome(lambda: ours.run(data, plan.include)) == expected


@settings(max_examples=200, deadline=None)
@given(plan=plans(loops=False))
def test_connected_inputs_are_rejected_or_joined_as_in_haystack(plan):
    ours, _ = plan.build(Pipeline(), OURS)
    theirs, _ = plan.build(haystack.Pipeline(), THEIRS)
    expected = outcome(lambda: theirs.run(copy.deepcopy(plan.data), plan.include))
    assert outcome(lambda: ours.run(plan.data, plan.include)) == expected


# With a greedy input the number of runs depends on the first value to arrive, so the result varies.
@settings(max_examples=200, deadline=None)
@given(plan=plans(loops=False).filter(lambda plan: "First" not in plan.kinds.values()))
def test_async_run_has_the_outputs_of_sync_run(plan):
    pipeline, _ = plan.build(Pipeline(), OURS)
    data = select_free_inputs(pipeline, plan.data)
    expected = outcome(lambda: pipeline.run(data, plan.include))
    assert outcome(lambda: asyncio.run(pipeline.run_async(data, plan.include))) == expected


@settings(max_examples=200, deadline=None)
@given(plan=plans(loops=True))
def test_describes_inputs_and_outputs_as_haystack_does(plan):
    ours, _ = plan.build(Pipeline(), OURS)
    theirs, _ = plan.build(haystack.Pipeline(), THEIRS)
    assert [ours.inputs(), ours.inputs(True)] == [theirs.inputs(), theirs.inputs(True)]
    assert [ours.outputs(), ours.outputs(True)] == [theirs.outputs(), theirs.outputs(True)]


@settings(max_examples=200, deadline=None)
@given(plan=plans(loops=True))
def test_serialised_form_is_that_of_haystack(plan):
    ours, _ = plan.build(Pipeline(metadata={"k": 1}), OURS)
    theirs, _ = plan.build(haystack.Pipeline(metadata={"k": 1}), THEIRS)
    assert ours.to_dict() == theirs.to_dict()
    assert ours.dumps() == theirs.dumps()
