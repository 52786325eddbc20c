"""The types of the public API for a user's type checker: this file is checked by mypy, never run."""

from collections.abc import Sequence
from typing import assert_type

import spaniel
from spaniel import Document, component
from spaniel.components.preprocessors import DocumentSplitter, RecursiveDocumentSplitter, SectionSplitter
from spaniel.components.retrievers import (
    AutoMergingRetriever,
    ContextBudget,
    MultiRetriever,
    RecursiveRetriever,
    SentenceWindowRetriever,
    StructuredRetriever,
)
from spaniel.components.retrievers.in_memory import InMemoryBM25Retriever
from spaniel.core.errors import PipelineUnmarshalError
from spaniel.core.pipeline.async_pipeline import AsyncPipeline
from spaniel.core.super_component import SuperComponent
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.types import DocumentStore
from spaniel.knowledge_base import Result, SearchResults


def retrievers(store: InMemoryDocumentStore) -> None:
    found = InMemoryBM25Retriever(store).run(query="a")
    assert_type(found, dict[str, list[Document]])
    AutoMergingRetriever(store, threshold=0.5).run(found["documents"])
    RecursiveRetriever(store, filter_key="anchor", relevant_doc_keys=["links"]).run(documents=None)
    SectionSplitter(max_words=50).run([Document(content="a")])


def unknown_options(store: InMemoryDocumentStore) -> None:
    # strict mypy reports an ignore that is not needed, so each line must be an error without its
    # own
    AutoMergingRetriever(store, rule="shares")  # type: ignore[arg-type]
    ContextBudget(store, 100, order="best")  # type: ignore[arg-type]
    DocumentSplitter(split_by="chapter")  # type: ignore[arg-type]
    MultiRetriever(retrievers={}, join_mode="rrf")  # type: ignore[arg-type]
    RecursiveDocumentSplitter(split_unit="page")  # type: ignore[arg-type]
    RecursiveRetriever(store, "anchor", ["links"], direction="up")  # type: ignore[arg-type]
    SentenceWindowRetriever(store, over="section")  # type: ignore[arg-type]
    StructuredRetriever(store, search="magic")  # type: ignore[arg-type]


def any_store_will_do(store: InMemoryDocumentStore) -> DocumentStore:
    return store


def knowledge_base() -> None:
    results = spaniel.open("kb").search("a")
    assert_type(results, SearchResults)
    sequence: Sequence[Result] = results
    for result in sequence:
        assert_type(result.score, float | None)


def tracing() -> None:
    with spaniel.trace() as t:
        pass
    t.show()


def haystack_paths(pipeline: spaniel.Pipeline) -> tuple[AsyncPipeline, spaniel.SuperComponent]:
    assert_type(PipelineUnmarshalError("a"), spaniel.DeserializationError)
    return pipeline, SuperComponent(pipeline)


@component
class Shout:
    @component.output_types(text=str)
    def run(self, text: str) -> dict[str, str]:
        return {"text": text.upper()}


def components_keep_their_type() -> None:
    assert_type(Shout().run("a"), dict[str, str])
