"""The types of the public API for a user's type checker: this file is checked by mypy, never run."""

from collections.abc import Sequence
from typing import assert_type

import spaniel
from spaniel import Document, component
from spaniel.components.preprocessors import SectionSplitter
from spaniel.components.retrievers import AutoMergingRetriever, RecursiveRetriever
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
