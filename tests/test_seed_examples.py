"""The examples of the reference page that the product grew from, with the import renamed.

Faults of an example that never ran as printed are corrected and noted here; everything else is as
printed.
"""

import haystack
import pytest
import yaml
from haystack.components.preprocessors import DocumentSplitter as HaystackSplitter
from haystack.components.retrievers import SentenceWindowRetriever as HaystackWindowRetriever
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever as HaystackBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore as HaystackStore

from spaniel import Document, Pipeline
from spaniel.components.embedders import MockDocumentEmbedder, MockTextEmbedder
from spaniel.components.preprocessors import DocumentSplitter, HierarchicalDocumentSplitter
from spaniel.components.retrievers import DeepsetOpenSearchRecursiveRetriever, FilterRetriever, SentenceWindowRetriever
from spaniel.components.retrievers.auto_merging_retriever import AutoMergingRetriever
from spaniel.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from spaniel.core.known_types import resolve_serializable_class
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.errors import DeserializationError


def test_auto_merging():
    # create a hierarchical document structure with 3 levels, where the parent document has 3
    # children
    text = "The sun rose early in the morning. It cast a warm glow over the trees. Birds began to sing."
    original_document = Document(content=text)
    builder = HierarchicalDocumentSplitter(block_sizes=[10, 3], split_overlap=0, split_by="word")
    docs = builder.run([original_document])  # the page takes ["documents"] here and once more below

    # store level-1 parent documents and initialize the retriever
    doc_store_parents = InMemoryDocumentStore()
    for doc in docs["documents"]:
        if doc.meta["__children_ids"] and doc.meta["__level"] == 1:  # the page leaves out the underscores
            doc_store_parents.write_documents([doc])
    retriever = AutoMergingRetriever(doc_store_parents, threshold=0.5)

    # we retrieved 2 leaf docs from the same parent, so the parent document should be returned
    leaf_docs = [doc for doc in docs["documents"] if not doc.meta["__children_ids"]]
    found = retriever.run(leaf_docs[4:6])

    [parent] = found["documents"]
    assert parent.content == "warm glow over the trees. Birds began to sing."
    assert len(parent.meta["__children_ids"]) == 3
    assert (parent.meta["__block_size"], parent.meta["__level"]) == (10, 1)
    assert (parent.meta["page_number"], parent.meta["split_id"], parent.meta["split_idx_start"]) == (1, 1, 45)
    assert parent.meta["source_id"] == parent.meta["__parent_id"] == original_document.id


def test_bm25():
    docs = [
        Document(content="Python is a popular programming language"),
        Document(content="python ist eine beliebte Programmiersprache"),
    ]

    doc_store = InMemoryDocumentStore()
    doc_store.write_documents(docs)
    retriever = InMemoryBM25Retriever(doc_store)

    result = retriever.run(query="Programmiersprache")

    [found] = result["documents"]
    assert found.content == "python ist eine beliebte Programmiersprache"
    assert found.score is not None
    assert found.score > 0


async def test_bm25_async():
    doc_store = InMemoryDocumentStore()
    doc_store.write_documents([Document(content="python ist eine beliebte Programmiersprache")])
    result = await InMemoryBM25Retriever(doc_store).run_async(query="Programmiersprache")
    assert len(result["documents"]) == 1


def test_embedding():
    # The page embeds by a model. These embedders make a vector from the text alone, so equal texts
    # are nearest.
    docs = [
        Document(content="Python is a popular programming language"),
        Document(content="python ist eine beliebte Programmiersprache"),
    ]
    doc_embedder = MockDocumentEmbedder()
    docs_with_embeddings = doc_embedder.run(docs)["documents"]

    doc_store = InMemoryDocumentStore()
    doc_store.write_documents(docs_with_embeddings)
    retriever = InMemoryEmbeddingRetriever(doc_store)

    query = "python ist eine beliebte Programmiersprache"
    text_embedder = MockTextEmbedder()
    query_embedding = text_embedder.run(query)["embedding"]

    result = retriever.run(query_embedding=query_embedding)

    assert [document.content for document in result["documents"]] == [docs[1].content, docs[0].content]
    assert result["documents"][0].score == pytest.approx(1.0)
    assert result["documents"][0].embedding is None


def test_filter():
    docs = [
        Document(content="Python is a popular programming language", meta={"lang": "en"}),
        Document(content="python ist eine beliebte Programmiersprache", meta={"lang": "de"}),
    ]

    doc_store = InMemoryDocumentStore()
    doc_store.write_documents(docs)
    retriever = FilterRetriever(doc_store, filters={"field": "lang", "operator": "==", "value": "en"})

    # if passed in the run method, filters override those provided at initialization
    result = retriever.run(filters={"field": "lang", "operator": "==", "value": "de"})

    assert result["documents"] == [docs[1]]
    assert retriever.run()["documents"] == [docs[0]]


WINDOW_TEXT = (
    "This is a text with some words. There is a second sentence. And there is also a third sentence. "
    "It also contains a fourth sentence. And a fifth sentence. And a sixth sentence. And a seventh sentence"
)


def test_sentence_window():
    splitter = DocumentSplitter(split_length=10, split_overlap=5, split_by="word")
    doc = Document(content=WINDOW_TEXT)
    docs = splitter.run([doc])
    doc_store = InMemoryDocumentStore()
    doc_store.write_documents(docs["documents"])

    rag = Pipeline()
    rag.add_component("bm25_retriever", InMemoryBM25Retriever(doc_store, top_k=1))
    rag.add_component("sentence_window_retriever", SentenceWindowRetriever(document_store=doc_store, window_size=2))
    rag.connect("bm25_retriever", "sentence_window_retriever")

    found = rag.run({"bm25_retriever": {"query": "third"}})["sentence_window_retriever"]

    # The page prints a list of lists and the window around chunk 3, as scores were then. The
    # documents are a flat list, and the best hit is chunk 2 by now; in Haystack too.
    expected = haystacks_window()
    assert found["context_windows"] == expected["context_windows"]
    assert found["context_windows"][0] in WINDOW_TEXT
    assert [document.content for document in found["context_documents"]] == [
        document.content for document in expected["context_documents"]
    ]
    assert [document.meta["split_id"] for document in found["context_documents"]] == [0, 1, 2, 3, 4]


def haystacks_window() -> dict[str, list[haystack.Document]]:
    docs = HaystackSplitter(split_length=10, split_overlap=5, split_by="word").run(
        [haystack.Document(content=WINDOW_TEXT)]
    )
    doc_store = HaystackStore()
    doc_store.write_documents(docs["documents"])
    hits = HaystackBM25Retriever(doc_store, top_k=1).run("third")["documents"]
    return HaystackWindowRetriever(document_store=doc_store, window_size=2).run(hits)


def test_the_window_that_the_page_prints():
    docs = DocumentSplitter(split_length=10, split_overlap=5, split_by="word").run([Document(content=WINDOW_TEXT)])[
        "documents"
    ]
    doc_store = InMemoryDocumentStore()
    doc_store.write_documents(docs)
    found = SentenceWindowRetriever(document_store=doc_store, window_size=2).run([docs[3]])
    window = (
        "some words. There is a second sentence. And there is also a third sentence. It also contains a fourth sentence. "
        "And a fifth sentence. And a sixth sentence. And a "
    )
    assert found["context_windows"] == [window]
    places = [(document.meta["split_id"], document.meta["split_idx_start"]) for document in found["context_documents"]]
    assert places == [(1, 20), (2, 43), (3, 73), (4, 99), (5, 132)]


# --- the second page: a retriever in YAML ---------------------------------------------------------

SNIPPET = """
components:
  DeepsetOpenSearchRecursiveRetriever:
    type: {type}
    init_parameters:
"""
TYPES = [
    "retrievers.recursive_retriever.DeepsetOpenSearchRecursiveRetriever",
    "deepset_cloud_custom_nodes.retrievers.recursive_retriever.DeepsetOpenSearchRecursiveRetriever",
]


@pytest.mark.parametrize("type", TYPES)
def test_the_recursive_retriever_of_the_second_page_loads(type: str):
    part = yaml.safe_load(SNIPPET.format(type=type))["components"]["DeepsetOpenSearchRecursiveRetriever"]
    part["init_parameters"] = {  # the page leaves them to the reader
        "filter_key": "name",
        "relevant_doc_keys": ["links"],
        "document_store": InMemoryDocumentStore().to_dict(),
    }
    retriever = resolve_serializable_class(part["type"]).from_dict(part)
    assert isinstance(retriever, DeepsetOpenSearchRecursiveRetriever)
    defaults = (retriever.top_k, retriever.depth, retriever.sampling_strategy, retriever.force_keep_original_documents)
    assert defaults == (10, 1, None, False)


@pytest.mark.parametrize("type", TYPES)
def test_its_snippet_as_printed_names_the_parameters_that_it_lacks(type: str):
    part = yaml.safe_load(SNIPPET.format(type=type))["components"]["DeepsetOpenSearchRecursiveRetriever"]
    with pytest.raises(DeserializationError, match=r"document_store.*filter_key.*relevant_doc_keys"):
        resolve_serializable_class(part["type"]).from_dict(part)


@pytest.mark.parametrize("type", TYPES)
def test_a_pipeline_in_yaml_with_it_loads_and_runs(type: str):
    a, b = (Document(content=name, meta={"name": name, "links": ["b"]}) for name in "ab")
    store = InMemoryDocumentStore(index=f"seed-{type}")
    store.write_documents([a, b])
    data = yaml.safe_load(SNIPPET.format(type=type))
    data["components"]["DeepsetOpenSearchRecursiveRetriever"]["init_parameters"] = {
        "filter_key": "name",
        "relevant_doc_keys": ["links"],
        "document_store": store.to_dict(),
    }
    data["connections"] = []
    pipeline = Pipeline.loads(yaml.safe_dump(data))
    found = pipeline.run({"DeepsetOpenSearchRecursiveRetriever": {"documents": [a]}})
    assert found["DeepsetOpenSearchRecursiveRetriever"]["documents"] == [a, b]
