import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaniel import Document, Pipeline, component
from spaniel.dataclasses import ByteStream, SparseEmbedding
from spaniel.errors import PipelineRuntimeError
from spaniel.pipeline.ownership import CopyOnShare, deep_copy

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


def ids_of_containers(value):
    if isinstance(value, (list, dict)):
        yield id(value)
        for item in value.values() if isinstance(value, dict) else value:
            yield from ids_of_containers(item)


@given(JSON)
def test_copy_is_equal_and_shares_no_container(value):
    copied = deep_copy(value)
    assert copied == value
    assert set(ids_of_containers(copied)).isdisjoint(ids_of_containers(value))


def test_copied_document_shares_no_mutable_part():
    document = Document(
        content="a",
        meta={"tags": ["x"]},
        embedding=[0.5],
        sparse_embedding=SparseEmbedding(indices=[1], values=[0.5]),
        blob=ByteStream(data=b"b", meta={"k": []}),
    )
    copied = deep_copy(document)
    assert copied == document
    copied.meta["tags"].append("y")
    copied.embedding.append(1.0)
    copied.sparse_embedding.indices.append(2)
    copied.blob.meta["k"].append(1)
    assert document.meta == {"tags": ["x"]}
    assert document.embedding == [0.5]
    assert document.sparse_embedding.indices == [1]
    assert document.blob.meta == {"k": []}


def test_copies_arrays():
    array = np.zeros(2)
    deep_copy([array])[0][0] = 1.0
    assert array.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("value", [threading.Lock(), open], ids=["lock", "function"])
def test_uncopyable_objects_are_passed_themselves(value):
    assert deep_copy(value) is value


def test_value_with_a_shared_part_is_copied_for_its_second_owner():
    documents = [Document(content="a"), Document(content="b")]
    sharing = CopyOnShare()
    assert sharing.share(documents) is documents
    assert sharing.share([[documents[1]]])[0][0] is not documents[1]


@component
class Source:
    def __init__(self):
        self.given = [Document(content="a", meta={"n": 0})]

    @component.output_types(documents=list[Document])
    def run(self):
        return {"documents": self.given}


@component
class Keep:
    @component.output_types(kept=list[Document])
    def run(self, documents: list[Document]):
        self.seen = documents
        return {"kept": documents}


@component
class Spoil:
    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]):
        for document in documents:
            document.meta["n"] += 1
        documents.append(Document(content="added"))
        return {"documents": documents}


def test_value_with_one_receiver_is_not_copied():
    source, keep = Source(), Keep()
    pipeline = Pipeline().add_components({"source": source, "keep": keep}).connect("source", "keep")
    pipeline.run({})
    assert keep.seen is source.given


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
def test_receivers_of_one_value_are_isolated(names):
    spoiler, keeper = names
    pipeline = Pipeline().add_components({"source": Source(), spoiler: Spoil(), keeper: Keep()})
    pipeline.connect("source", spoiler).connect("source", keeper)
    result = pipeline.run({})
    assert [document.meta["n"] for document in result[keeper]["kept"]] == [0]
    assert result[spoiler]["documents"][0].meta["n"] == 1


def test_included_output_is_isolated_from_its_receiver():
    pipeline = Pipeline().add_components({"source": Source(), "spoil": Spoil()}).connect("source", "spoil")
    result = pipeline.run({}, include_outputs_from={"source"})
    assert [document.meta["n"] for document in result["source"]["documents"]] == [0]


def test_caller_values_are_isolated():
    documents = [Document(content="a", meta={"n": 0})]
    Pipeline().add_component("spoil", Spoil()).run({"documents": documents})
    assert [document.meta["n"] for document in documents] == [0]


def test_flat_inputs_are_isolated_per_component():
    pipeline = Pipeline().add_components({"a": Spoil(), "b": Keep()})
    result = pipeline.run({"documents": [Document(content="a", meta={"n": 0})]})
    assert [document.meta["n"] for document in result["b"]["kept"]] == [0]


@component
class Tick:
    """Loops until it has run three times, and remembers how long the list of the caller was each
    time.
    """

    def __init__(self):
        self.sizes = []

    @component.output_types(again=int, done=list[int])
    def run(self, notes: list[str], turn: int = 0):
        self.sizes.append(len(notes))
        notes.append("changed")
        return {"again": turn + 1} if turn < 2 else {"done": self.sizes}


@component
class Back:
    @component.output_types(turn=int)
    def run(self, turn: int):
        return {"turn": turn}


def test_loop_component_gets_unchanged_caller_values_each_run():
    pipeline = Pipeline().add_components({"tick": Tick(), "back": Back()})
    pipeline.connect("tick.again", "back.turn").connect("back.turn", "tick.turn")
    assert pipeline.run({"tick": {"notes": []}})["tick"]["done"] == [0, 0, 0]


@component
class Overlapping:
    @component.output_types(every=list[Document], first=list[Document])
    def run(self):
        documents = [Document(content="a", meta={"n": 0})]
        return {"every": documents, "first": documents[:1]}


def test_outputs_that_share_a_document_are_isolated():
    pipeline = Pipeline().add_components({"source": Overlapping(), "a": Spoil(), "b": Keep()})
    pipeline.connect("source.every", "a").connect("source.first", "b")
    assert pipeline.run({})["b"]["kept"][0].meta["n"] == 0


@component
class Embedder:
    """Sets fields of its arguments by the function of a test."""

    def __init__(self, change):
        self.change = change

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]):
        self.change(documents)
        return {"documents": documents}


@component
class AsyncEmbedder(Embedder):
    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]):
        return super().run(documents)

    @component.output_types(documents=list[Document])
    async def run_async(self, documents: list[Document]):
        await asyncio.sleep(0)
        return super().run(documents)


def set_embedding(documents):
    for document in documents:
        document.embedding = [1.0]


def set_in_threads(documents):
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda document: set_embedding([document]), documents))


def set_parts(documents):
    for document in documents:
        document.embedding = [1.0]
        document.blob.mime_type = "text/plain"
        document.sparse_embedding.values = [2.0]


def run_of(pipeline, inputs, is_async):
    return asyncio.run(pipeline.run_async(inputs)) if is_async else pipeline.run(inputs)


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("kind", [Embedder, AsyncEmbedder])
@pytest.mark.parametrize("change", [set_embedding, set_in_threads, set_parts])
def test_component_sets_fields_of_its_arguments_without_warning(is_async, kind, change):
    document = Document(content="a", blob=ByteStream(b"b"), sparse_embedding=SparseEmbedding([1], [1.0]))
    pipeline = Pipeline().add_component("one", kind(change)).add_component("two", kind(change)).connect("one", "two")
    result = run_of(pipeline, {"one": {"documents": [document]}}, is_async)
    assert [found.embedding for found in result["two"]["documents"]] == [[1.0]]
    assert document.embedding is None


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_warns_of_setting_fields_of_a_shared_document(is_async):
    shared = Document(content="kept")
    pipeline = Pipeline().add_component("embedder", Embedder(lambda documents: set_embedding([shared])))
    with pytest.warns(Warning, match="'embedding' of a Document"):
        run_of(pipeline, {"documents": [Document(content="a")]}, is_async)


def test_warns_of_setting_fields_of_a_result():
    result = Pipeline().add_component("embedder", Embedder(set_embedding)).run({"documents": [Document(content="a")]})
    with pytest.warns(Warning, match="'score' of a Document"):
        result["embedder"]["documents"][0].score = 1.0


def test_arguments_of_a_failed_component_are_not_owned():
    kept = []

    def fail(documents):
        kept.extend(documents)
        raise OSError

    with pytest.raises(PipelineRuntimeError):
        Pipeline().add_component("embedder", Embedder(fail)).run({"documents": [Document(content="a")]})
    with pytest.warns(Warning, match="'embedding' of a Document"):
        set_embedding(kept)
