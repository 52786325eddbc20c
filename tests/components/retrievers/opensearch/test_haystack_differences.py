"""Differences from opensearch-haystack 9.0.0: its behaviour and ours, on the same server. See
docs/parity.md.
"""

import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import haystack
import pytest
from haystack.document_stores.errors import DuplicateDocumentError as TheirDuplicateError
from haystack.document_stores.types import DuplicatePolicy as TheirPolicy
from haystack_integrations.components.retrievers import opensearch as their_retrievers
from haystack_integrations.document_stores.opensearch import OpenSearchDocumentStore as TheirStore
from opensearchpy import OpenSearch

from spaniel import Document
from spaniel.components.retrievers import opensearch as our_retrievers
from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.errors import DuplicateDocumentError, FilterError
from tests.components.retrievers.opensearch.conftest import METHOD, ONE_SHARD

Written = Callable[..., tuple[TheirStore, OpenSearchDocumentStore]]
RED = {"field": "meta.color", "operator": "==", "value": "red"}


@pytest.fixture(scope="module")
def written(opensearch_url: str) -> Iterator[Written]:
    """Writes the same documents with both packages, each into an index of its own."""
    opened: list[tuple[str, Any]] = []

    def write(documents: Sequence[dict[str, Any]] = (), **settings: Any) -> tuple[TheirStore, OpenSearchDocumentStore]:
        stores = []
        for store, document in ((TheirStore, haystack.Document), (OpenSearchDocumentStore, Document)):
            index = f"retrievers-{uuid.uuid4().hex}"
            defaults = {"embedding_dim": 2, "method": METHOD, "settings": ONE_SHARD, "hosts": opensearch_url}
            stores.append(store(index=index, **(defaults | settings)))
            opened.append((index, stores[-1]))
            stores[-1].write_documents([document(**each) for each in documents], refresh=True)
        return stores[0], stores[1]

    yield write
    with OpenSearch(hosts=opensearch_url, timeout=60) as client:
        for index, store in opened:
            store.close()
            client.indices.delete(index=index, ignore=[404])


@pytest.fixture(scope="module")
def colors(written: Written) -> tuple[TheirStore, OpenSearchDocumentStore]:
    return written(
        [
            {"id": "1", "content": "sky", "meta": {"color": "blue", "kind": "air"}, "embedding": [1.0, 0.0]},
            {"id": "2", "content": "apple", "meta": {"color": "red"}, "embedding": [0.5, 0.5]},
            {"id": "3", "content": "red rose", "meta": {"color": "red", "kind": "plant"}, "embedding": [0.0, 1.0]},
        ]
    )


def both(name: str, stores: tuple[TheirStore, OpenSearchDocumentStore], **options: Any) -> tuple[Any, Any]:
    theirs, ours = stores
    return (
        getattr(their_retrievers, name)(document_store=theirs, **options),
        getattr(our_retrievers, name)(document_store=ours, **options),
    )


def ids(result: dict[str, Any]) -> list[str]:
    return [document.id for document in result["documents"]]


def test_more_than_ten_thousand_documents_are_cut_off_there_and_all_here(written):
    theirs, ours = written([{"id": f"{number}", "content": "a"} for number in range(10_001)])
    assert len(theirs.filter_documents()) == 10_000
    assert len(ours.filter_documents()) == 10_001


def test_a_duplicate_keeps_earlier_documents_there_and_nothing_here(written):
    theirs, ours = written([{"id": "2", "content": "a"}])
    with pytest.raises(TheirDuplicateError):
        theirs.write_documents([haystack.Document(id=id) for id in "123"], TheirPolicy.FAIL, refresh=True)
    assert sorted(document.id for document in theirs.filter_documents()) == ["1", "2", "3"]
    with pytest.raises(DuplicateDocumentError):
        ours.write_documents([Document(id=id) for id in "123"], DuplicatePolicy.FAIL, refresh=True)
    assert [document.id for document in ours.filter_documents()] == ["2"]


def test_words_are_looked_for_in_metadata_too_there_and_in_the_text_here(colors):
    theirs, ours = both("OpenSearchBM25Retriever", colors)
    assert sorted(ids(theirs.run(query="red"))) == ["2", "3"]
    assert ids(ours.run(query="red")) == ["3"]


def test_scaling_does_nothing_there_and_scales_here(colors):
    theirs, ours = both("OpenSearchBM25Retriever", colors)
    [plain], [scaled] = (theirs.run(query="sky", scale_score=scale)["documents"] for scale in (False, True))
    assert plain.score == scaled.score
    [plain], [scaled] = (ours.run(query="sky", scale_score=scale)["documents"] for scale in (False, True))
    assert plain.score < scaled.score < 1


def test_a_filter_is_put_to_the_neighbours_by_default_there_and_to_the_search_here(colors):
    theirs, ours = both("OpenSearchEmbeddingRetriever", colors, top_k=1, filters=RED)
    assert ids(theirs.run(query_embedding=[1.0, 0.1])) == []
    assert ids(ours.run(query_embedding=[1.0, 0.1])) == ["2"]


def test_a_top_k_of_none_means_the_constructor_s_for_vectors_there_and_none_here(colors):
    theirs, ours = both("OpenSearchEmbeddingRetriever", colors, top_k=2)
    assert len(ids(theirs.run(query_embedding=[1.0, 0.1], top_k=0))) == 2
    assert ids(ours.run(query_embedding=[1.0, 0.1], top_k=0)) == []


def test_a_malformed_filter_is_a_failure_to_be_ignored_there_and_an_error_here(colors):
    theirs, ours = both("OpenSearchBM25Retriever", colors, raise_on_failure=False)
    assert theirs.run(query="sky", filters={"field": "meta.color"}) == {"documents": []}
    with pytest.raises(FilterError):
        ours.run(query="sky", filters={"field": "meta.color"})


def test_a_query_of_ones_own_without_a_filter_is_refused_there_and_runs_here(colors):
    query = {"query": {"bool": {"must": [{"match": {"content": "$query"}}, "$filters"]}}}
    theirs, ours = both("OpenSearchBM25Retriever", colors, custom_query=query)
    with pytest.raises(Exception, match="query malformed"):
        theirs.run(query="sky")
    assert ids(ours.run(query="sky")) == ["1"]


def test_fuzzy_metadata_finds_everything_there_and_similar_values_here(colors):
    theirs, ours = both("OpenSearchMetadataRetriever", colors, metadata_fields=["color"])
    assert theirs.run(query="blue")["metadata"] == [{"color": "blue"}, {"color": "red"}]
    assert ours.run(query="blue")["metadata"] == [{"color": "blue"}]


def test_strict_metadata_needs_every_field_there_and_any_here(colors):
    theirs, ours = both("OpenSearchMetadataRetriever", colors, metadata_fields=["color", "kind"], mode="strict")
    assert theirs.run(query="red")["metadata"] == [{"color": "red", "kind": "plant"}]
    assert ours.run(query="red")["metadata"] == [{"color": "red"}, {"color": "red", "kind": "plant"}]


def test_metadata_is_scored_by_the_first_field_there_and_by_all_here(colors):
    theirs, ours = both(
        "OpenSearchMetadataRetriever", colors, metadata_fields=["kind", "color"], exact_match_weight=0.0
    )
    assert {"color": "red", "kind": "plant"} in theirs.run(query="red")["metadata"][1:]
    assert ours.run(query="plant")["metadata"][0] == {"kind": "plant", "color": "red"}


def test_metadata_is_cut_before_doubles_go_there_and_after_here(written):
    stores = written([{"id": f"{n}", "meta": {"topic": "dogs" if n < 5 else "doge"}} for n in range(6)])
    theirs, ours = both("OpenSearchMetadataRetriever", stores, metadata_fields=["topic"], top_k=2)
    assert theirs.run(query="dogs")["metadata"] == [{"topic": "dogs"}]
    assert ours.run(query="dogs")["metadata"] == [{"topic": "dogs"}, {"topic": "doge"}]


def test_a_star_in_a_query_of_metadata_stands_for_anything_there_and_for_itself_here(colors):
    theirs, ours = both("OpenSearchMetadataRetriever", colors, metadata_fields=["color"], mode="strict")
    assert theirs.run(query="b*e")["metadata"] == [{"color": "blue"}]
    assert ours.run(query="b*e")["metadata"] == []
