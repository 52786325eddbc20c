"""The retrievers of the two reference pages inside pipelines that are written as YAML."""

import pytest

from spaniel import Document, Pipeline
from spaniel.components.preprocessors import DocumentSplitter
from spaniel.components.retrievers import DeepsetOpenSearchRecursiveRetriever, SentenceWindowRetriever
from spaniel.components.retrievers.in_memory import InMemoryBM25Retriever
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.errors import DeserializationError

TYPES = [
    "deepset_cloud_custom_nodes.retrievers.recursive_retriever.DeepsetOpenSearchRecursiveRetriever",
    "retrievers.recursive_retriever.DeepsetOpenSearchRecursiveRetriever",
]
RANKERS = {
    "spaniel.components.rankers.meta_field.MetaFieldRanker": "{meta_field: year, weight: 1.0}",
    "spaniel.components.rankers.lost_in_the_middle.LostInTheMiddleRanker": "{}",
}
STORE = """
        type: spaniel.document_stores.in_memory.document_store.InMemoryDocumentStore
        init_parameters: {index: INDEX}"""
YAML = """
components:
  finder:
    type: spaniel.components.retrievers.in_memory.bm25_retriever.InMemoryBM25Retriever
    init_parameters:
      top_k: 2
      document_store: STORE
  ranker:
    type: RANKER
    init_parameters: PARAMETERS
  recursive:
    type: TYPE
    init_parameters:
      filter_key: name
      relevant_doc_keys: [links]
      document_store: STORE
  others:
    type: spaniel.components.retrievers.filter_retriever.FilterRetriever
    init_parameters:
      filters: {field: meta.kind, operator: ==, value: notice}
      document_store: STORE
  joiner:
    type: spaniel.components.joiners.document_joiner.DocumentJoiner
    init_parameters: {join_mode: concatenate, sort_by_score: false}
connections:
  - {sender: finder.documents, receiver: ranker.documents}
  - {sender: ranker.documents, receiver: recursive.documents}
  - {sender: recursive.documents, receiver: joiner.documents}
  - {sender: others.documents, receiver: joiner.documents}
"""


def page(name: str, year: int, links: list[str], text: str, kind: str = "page") -> Document:
    return Document(id=name, content=text, meta={"name": name, "year": year, "links": links, "kind": kind})


@pytest.fixture
def index(request: pytest.FixtureRequest) -> str:
    """The name of a store with pages that link to each other, and a notice."""
    store = InMemoryDocumentStore(index=request.node.name)
    store.write_documents(
        [
            page("old", 2001, ["far"], "dogs bark"),
            page("new", 2024, ["near", "old"], "dogs dig"),
            page("near", 2010, ["beyond"], "cats"),
            page("far", 2011, [], "birds"),
            page("beyond", 2012, [], "fish"),
            page("notice", 2020, [], "read me", kind="notice"),
        ]
    )
    return request.node.name


def written(type: str, ranker: str, index: str) -> str:
    text = YAML.replace("STORE", STORE).replace("INDEX", f'"{index}"').replace("TYPE", type)
    return text.replace("RANKER", ranker).replace("PARAMETERS", RANKERS[ranker])


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("ranker", RANKERS)
async def test_runs_between_ranker_and_joiner(type: str, ranker: str, index: str) -> None:
    pipeline = Pipeline.loads(written(type, ranker, index))
    assert isinstance(pipeline.get_component("recursive"), DeepsetOpenSearchRecursiveRetriever)
    found = pipeline.run({"query": "dogs"}, include_outputs_from={"ranker", "recursive"})
    ranked = [document.id for document in found["ranker"]["documents"]]
    followed = [document.id for document in found["recursive"]["documents"]]
    assert sorted(ranked) == ["new", "old"]
    assert followed[0] == ranked[0]  # the best of the ranker is the first original
    assert sorted(followed) == ["far", "near", "new", "old"]
    assert sorted(document.id for document in found["joiner"]["documents"]) == sorted(["notice", *followed])
    assert await pipeline.run_async({"query": "dogs"}) == pipeline.run({"query": "dogs"})


@pytest.mark.parametrize("type", TYPES)
def test_depth_and_top_k_are_inputs(type: str, index: str) -> None:
    pipeline = Pipeline.loads(written(type, next(iter(RANKERS)), index))

    def found(**inputs: int) -> list[str]:
        data = {"finder": {"query": "dogs"}, "recursive": inputs}
        return [document.id for document in pipeline.run(data)["joiner"]["documents"]]

    assert "beyond" not in found(depth=1)
    assert "beyond" in found(depth=2)
    assert sorted(found(top_k=1)) == ["new", "notice"]


@pytest.mark.parametrize("type", TYPES)
def test_round_trips_under_its_own_name(type: str, index: str) -> None:
    pipeline = Pipeline.loads(written(type, next(iter(RANKERS)), index))
    text = pipeline.dumps()
    assert f"spaniel.components.{TYPES[1]}" in text
    again = Pipeline.loads(text)
    assert again.to_dict()["components"] == pipeline.to_dict()["components"]
    assert {str(each) for each in again.to_dict()["connections"]} == {
        str(each) for each in pipeline.to_dict()["connections"]
    }
    assert again.run({"query": "dogs"}) == pipeline.run({"query": "dogs"})


@pytest.mark.parametrize("type", TYPES)
def test_empty_parameters_error_names_missing_ones(type: str) -> None:
    text = f"components:\n  DeepsetOpenSearchRecursiveRetriever:\n    type: {type}\n    init_parameters:\n"
    with pytest.raises(DeserializationError) as caught:
        Pipeline.loads(text)
    assert "document_store" in str(caught.value)
    assert "filter_key" in str(caught.value)
    assert "relevant_doc_keys" in str(caught.value)
    assert "'DeepsetOpenSearchRecursiveRetriever'" in str(caught.value)


def test_window_pipeline_of_the_readme_round_trips() -> None:
    text = (
        "This is a text with some words. There is a second sentence. And there is also a third sentence. "
        "It also contains a fourth sentence. And a fifth sentence. And a sixth sentence. And a seventh sentence"
    )
    docs = DocumentSplitter(split_length=10, split_overlap=5, split_by="word").run([Document(content=text)])
    doc_store = InMemoryDocumentStore()
    doc_store.write_documents(docs["documents"])
    rag = Pipeline()
    rag.add_component("bm25_retriever", InMemoryBM25Retriever(doc_store, top_k=1))
    rag.add_component("sentence_window_retriever", SentenceWindowRetriever(document_store=doc_store, window_size=2))
    rag.connect("bm25_retriever", "sentence_window_retriever")

    again = Pipeline.loads(rag.dumps())

    question = {"bm25_retriever": {"query": "third"}}
    assert again == rag
    assert again.run(question) == rag.run(question)
    assert "third sentence" in again.run(question)["sentence_window_retriever"]["context_windows"][0]
