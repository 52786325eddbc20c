import haystack
from haystack.core.pipeline.descriptions import find_pipeline_inputs as haystack_inputs
from haystack.core.pipeline.descriptions import find_pipeline_outputs as haystack_outputs

from spaniel.core.pipeline.descriptions import find_pipeline_inputs, find_pipeline_outputs
from spaniel.pipeline import Pipeline
from tests.pipeline.paired_components import MAKE, OURS, THEIRS


def wired(pipeline, of):
    for name, kind in {"a": "Add", "b": "Add", "pair": "Pair", "sum": "Total", "words": "Words"}.items():
        pipeline.add_component(name, MAKE[kind](of))
    for sender, receiver in [("a", "b.value"), ("b", "pair.a"), ("pair.value", "sum.values")]:
        pipeline.connect(sender, receiver)
    return pipeline.graph


def named(sockets):
    return {component: [socket.name for socket in each] for component, each in sockets.items()}


def test_free_sockets_are_those_of_haystack():
    ours, theirs = wired(Pipeline(), OURS), wired(haystack.Pipeline(), THEIRS)
    for every in (False, True):
        assert named(find_pipeline_inputs(ours, every)) == named(haystack_inputs(theirs, every))
        assert named(find_pipeline_outputs(ours, every)) == named(haystack_outputs(theirs, every))
