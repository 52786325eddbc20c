import inspect
import logging
from itertools import pairwise

import pytest

from spaniel import Document, Pipeline, component
from spaniel.components.preprocessors import DocumentSplitter
from spaniel.components.retrievers import SentenceWindowRetriever
from spaniel.components.retrievers.in_memory import InMemoryBM25Retriever
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.errors import PipelineComponentsBlockedError, PipelineMaxComponentRuns, PipelineRuntimeError
from tests.pipeline.paired_components import OURS


def chain(*instances):
    pipeline = Pipeline()
    names = "abcdefg"[: len(instances)]
    pipeline.add_components(dict(zip(names, instances, strict=True)))
    return pipeline.connect_many([(sender, receiver) for sender, receiver in pairwise(names)])


def test_window_retriever_extends_hits():
    text = "This is a text with some words. There is a second sentence. And there is also a third sentence. "
    store = InMemoryDocumentStore()
    store.write_documents(DocumentSplitter(split_length=10, split_overlap=5).run([Document(content=text)])["documents"])
    pipeline = Pipeline()
    pipeline.add_component("bm25_retriever", InMemoryBM25Retriever(store, top_k=1))
    pipeline.add_component("sentence_window_retriever", SentenceWindowRetriever(document_store=store, window_size=2))
    pipeline.connect("bm25_retriever", "sentence_window_retriever")
    result = pipeline.run({"bm25_retriever": {"query": "third"}})
    assert result["sentence_window_retriever"]["context_windows"] == [text]


def test_accepts_inputs_by_component_or_by_name():
    pipeline = chain(OURS.Shout(), OURS.Shout())
    expected = {"b": {"text": "HI!?"}}
    assert pipeline.run({"a": {"text": "hi"}, "b": {"suffix": "?"}}) == expected
    assert chain(OURS.Shout(), OURS.Words()).run({"text": "one two"}) == {"b": {"words": ["ONE", "TWO!"]}}


def test_accepts_mapping_values_by_name():
    @component
    class Filtered:
        @component.output_types(filters=dict[str, str])
        def run(self, filters: dict[str, str]):
            return {"filters": filters}

    assert Pipeline().add_component("a", Filtered()).run({"filters": {"k": "v"}}) == {"a": {"filters": {"k": "v"}}}


def test_warns_of_unmatched_input_names(caplog):
    assert chain(OURS.Constant()).run({"nothing": 1}) == {"a": {"value": 4, "text": "four"}}
    assert "'nothing' was not matched" in caplog.text


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"x": {"value": 1}}, r"Component named 'x' not found in the pipeline\. It has \['a', 'b'\]"),
        ({"a": {"valeu": 1}}, r"Input 'valeu' not found in component 'a'; it has \['amount', 'value'\]"),
        ({"a": {"amount": 1}}, "Missing mandatory input 'value' for component 'a'"),
        ({"a": {"value": 1}, "b": {"value": 2}}, "Component 'b' cannot accept multiple inputs to 'value'"),
    ],
)
def test_rejects_invalid_inputs_before_the_run(data, message):
    pipeline = Pipeline().add_components({"a": OURS.Add(), "b": OURS.Add()}).connect("a", "b.value")
    with pytest.raises(ValueError, match=message):
        pipeline.run(data)
    with pytest.raises(ValueError, match=message):
        pipeline.validate_input(data)


def test_returns_outputs_of_included_components():
    result = chain(OURS.Add(), OURS.Fragile()).run({"a": {"value": 1}}, include_outputs_from={"a"})
    assert result == {"a": {"value": 2}, "b": {"value": 2}}


def test_error_names_component_type_input_and_cause():
    with pytest.raises(PipelineRuntimeError) as caught:
        chain(OURS.Add(), OURS.Fragile()).run({"a": {"value": 9}})
    assert str(caught.value).splitlines() == [
        "A component of the pipeline failed.",
        "Component name: 'b'",
        "Component type: 'Fragile'",
        "Error: KeyError: '10 is refused'",
        "Input: value=10",
    ]
    assert caught.value.component_name == "b"
    assert caught.value.component_type is OURS.Fragile
    assert isinstance(caught.value.__cause__, KeyError)


def test_error_summarizes_long_inputs():
    @component
    class Refuse:
        @component.output_types(n=int)
        def run(self, documents: list[Document], query: str):
            raise OSError("no")

    pipeline = Pipeline().add_component("a", Refuse())
    with pytest.raises(
        PipelineRuntimeError, match=r"documents=list of 2 Document, query='x{79}\.\.\. \(202 characters\)"
    ):
        pipeline.run({"documents": [Document(content="a"), Document(content="b")], "query": "x" * 200})


def test_rejects_non_mapping_outputs():
    @component
    class Wrong:
        @component.output_types(n=int)
        def run(self):
            return [1]

    with pytest.raises(PipelineRuntimeError, match=r"'a' of type Wrong returned an invalid output.*list"):
        Pipeline().add_component("a", Wrong()).run({})


def test_conversion_error_names_both_sockets():
    with pytest.raises(PipelineRuntimeError, match=r"'a\.words' \(list\[str\]\).*'b\.text' \(str\).*list of 2 items"):
        Pipeline().add_components({"a": OURS.Words(), "b": OURS.Shout()}).connect("a", "b.text").run(
            {"a": {"text": "one two"}}
        )


def test_warns_of_undeclared_outputs_and_returns_them(caplog):
    @component
    class More:
        @component.output_types(n=int)
        def run(self):
            return {"n": 1, "m": 2}

    assert Pipeline().add_component("a", More()).run({}) == {"a": {"n": 1, "m": 2}}
    assert "['m']" in caplog.text


def test_endless_loop_stops_at_the_limit():
    pipeline = Pipeline(max_runs_per_component=3)
    pipeline.add_components({"first": OURS.First(), "add": OURS.Add()})
    pipeline.connect("first", "add.value").connect("add", "first")
    with pytest.raises(PipelineMaxComponentRuns, match="3 reached for component"):
        pipeline.run({"first": {"value": 1}})


def test_blocked_error_lists_missing_inputs():
    pipeline = Pipeline().add_components({"a": OURS.Fragile(), "b": OURS.Fragile()})
    pipeline.connect("a", "b").connect("b", "a")
    with pytest.raises(PipelineComponentsBlockedError, match=r"'a' \(Fragile\) waits for 'value' from b"):
        pipeline.run({})


def test_warns_of_a_run_without_outputs(caplog):
    pipeline = Pipeline().add_components({"branch": OURS.Branch(5), "pair": OURS.Pair()})
    pipeline.connect("branch.above", "pair.a")
    with caplog.at_level(logging.WARNING):
        assert pipeline.run({"branch": {"value": 9}}) == {"pair": {"value": 37, "first": 9}}
        assert not caplog.records
    pipeline = Pipeline().add_components({"branch": OURS.Repeat(["x"]), "join": OURS.Pair(), "other": OURS.Branch(5)})
    pipeline.connect("branch.x", "other").connect("other.above", "join.a").connect("other.below", "join.b")
    assert pipeline.run({"branch": {"value": 9}})["join"] == {"value": 37, "first": 9}
    assert pipeline.run({"branch": {"value": 1}}) == {}
    assert "'join' (Pair) waits for 'a' from other" in caplog.text


def test_warms_up_before_a_run_and_closes_on_demand():
    calls = []

    @component
    class Heavy:
        def warm_up(self):
            calls.append("warm_up")

        def close(self):
            calls.append("close")

        @component.output_types(n=int)
        def run(self):
            calls.append("run")
            return {"n": 1}

    pipeline = Pipeline().add_component("a", Heavy())
    pipeline.run({})
    pipeline.close()
    assert calls == ["warm_up", "run", "close"]


def test_empty_pipeline_has_no_outputs():
    assert Pipeline().run({}) == {}


def test_runs_in_several_threads_at_once():
    from concurrent.futures import ThreadPoolExecutor

    pipeline = chain(OURS.Add(), OURS.Fragile())
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda n: pipeline.run({"a": {"value": 5 * n}}), range(50)))
    assert [result["b"]["value"] for result in results] == [5 * n + 1 for n in range(50)]


def test_streams_and_breakpoints_are_missing():
    import haystack

    assert hasattr(haystack.Pipeline, "stream")
    assert not hasattr(Pipeline, "stream")
    assert "break_point" in inspect.signature(haystack.Pipeline.run).parameters
    assert "break_point" not in inspect.signature(Pipeline.run).parameters
