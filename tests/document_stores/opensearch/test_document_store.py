import inspect
import logging
import os

import pytest

from spaniel import Document
from spaniel.core.secret import Secret
from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.document_stores.opensearch.reading.documents import DocumentReader
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.errors import (
    DocumentsRefusedError,
    DocumentStoreError,
    DuplicateDocumentError,
    FilterError,
    StoreUnavailableError,
)
from tests.document_stores.faces import equal, ids_of, named
from tests.document_stores.opensearch.conftest import METHOD, ONE_SHARD


async def write(store, documents, **options):
    return await store.write_documents(documents, **({"refresh": True} | options))


# --- writing


async def test_documents_survive_a_round_trip(store):
    document = Document(
        id="1", content="a", meta={"n": 1, "tags": ["x"], "at": {"b": [1.5]}}, embedding=[1.0, 0.5, 0.25]
    )
    assert await write(store, [document]) == 1
    assert await store.filter_documents() == [document]


@pytest.mark.parametrize("refresh", ["wait_for", True])
async def test_write_is_visible_when_it_returns(store, refresh):
    await store.write_documents(named("1"), refresh=refresh)
    assert await store.count_documents() == 1


async def test_duplicate_of_a_stored_id_writes_nothing(opened):
    store = opened(chunk_size=2)
    await write(store, named("5"))
    with pytest.raises(DuplicateDocumentError, match="'5'"):
        await write(store, named("1", "2", "3", "4", "5", "6", "7"))
    assert ids_of(await store.filter_documents()) == ["5"]


async def test_duplicate_within_a_call_writes_nothing(opened):
    store = opened(chunk_size=2)
    with pytest.raises(DuplicateDocumentError, match="given twice"):
        await write(store, named("1", "2", "3", "1"))
    assert await store.count_documents() == 0


async def test_skip_preserves_stored_documents(store, caplog):
    await write(store, named("1"))
    with caplog.at_level(logging.WARNING):
        assert await write(store, [Document(id="1", content="new"), Document(id="2")], policy=DuplicatePolicy.SKIP) == 1
    assert [document.content for document in await store.filter_documents()] == ["1", None]
    assert "'1' already exists" in caplog.text


@pytest.mark.parametrize("size", [1, 2, 500])
async def test_overwrite_stores_the_last_duplicate(opened, size):
    store = opened(chunk_size=size)
    documents = [Document(id=id, content=text) for id, text in [("1", "a"), ("2", "b"), ("1", "c"), ("1", "d")]]
    assert await write(store, documents, policy=DuplicatePolicy.OVERWRITE) == 4
    assert [document.content for document in await store.filter_documents()] == ["d", "b"]


async def test_rejected_document_is_named_and_the_others_are_written(store):
    await write(store, [Document(id="number", meta={"n": "a"})])
    with pytest.raises(DocumentsRefusedError) as caught:
        await write(
            store,
            [Document(id="good"), Document(id="bad", meta={"n": {"a": 1}}), Document(id="short", embedding=[1.0])],
        )
    assert set(caught.value.refused) == {"bad", "short"}
    assert caught.value.written == 1
    assert "[n]" in caught.value.refused["bad"]
    assert "Expected: 3" in caught.value.refused["short"]
    assert ids_of(await store.filter_documents()) == ["good", "number"]


async def test_rejects_non_documents_before_writing(opened):
    store = opened(chunk_size=1)
    with pytest.raises(ValueError, match="Item 2"):
        await store.write_documents([*named("1", "2"), "3"])
    assert await store.count_documents() == 0


async def test_rejects_metadata_without_a_json_form(opened):
    store = opened(chunk_size=1)
    with pytest.raises(ValueError, match="'3' can't be written as JSON"):
        await store.write_documents([*named("1", "2"), Document(id="3", meta={"x": object()})])
    assert await store.count_documents() == 0


async def test_progress_is_reported_after_each_request(opened):
    reported = []
    await opened(chunk_size=2, writers=1).write_documents(named("1", "2", "3"), progress=reported.append)
    assert reported == [2, 3]


async def test_writes_documents_of_an_iterator(opened):
    store = opened(chunk_size=10)
    assert await write(store, (document for number in range(105) for document in named(str(number)))) == 105
    assert await store.count_documents() == 105


async def test_routing_selects_the_shard_and_is_not_stored(opened):
    store = opened(settings={**ONE_SHARD, "number_of_shards": 3})
    await write(store, [Document(id="1", meta={"_routing": "a"})])
    assert [document.meta for document in await store.get_documents_by_id(["1"])] == [{}]
    await store.delete_documents(["1"], refresh=True, routing={"1": "a"})
    assert await store.count_documents() == 0


# --- reading


async def test_documents_of_several_pages_are_ordered_by_id(opened):
    store = opened(settings={**ONE_SHARD, "number_of_shards": 3})
    ids = [f"{number:05}" for number in range(4500)]
    await write(store, named(*reversed(ids)))
    assert ids_of(await store.filter_documents()) == ids
    assert await store.count_documents() == 4500
    assert ids_of(await store.get_documents_by_id([*ids[:2500], "none"])) == ids[:2500]


async def test_gets_documents_by_key(store):
    await write(store, [Document(id="1", meta={"k": "a"}), Document(id="2", meta={"k": ["b", "c"]}), Document(id="3")])
    assert ids_of(await store.get_documents_by_key("k", ["a", "c"])) == ["1", "2"]
    assert ids_of(await store.get_documents_by_keys({"meta.k": ["a"], "id": ["3"]})) == ["1", "3"]
    assert ids_of(await store.get_documents_by_key("k", ["a", "c"], equal("id", "2"))) == ["2"]


async def test_embeddings_are_returned_only_on_request(opened):
    store = opened(return_embedding=False)
    await write(store, [Document(id="1", embedding=[1.0, 0.0, 0.0])])
    assert (await store.filter_documents())[0].embedding is None
    assert (await store.embedding_retrieval([1, 0, 0], return_embedding=True))[0].embedding == [1.0, 0.0, 0.0]


# --- searching


async def test_bm25_retrieval(store):
    await write(store, [Document(id="1", content="red apple"), Document(id="2", content="blue sky")])
    [found] = await store.bm25_retrieval("an apple")
    assert (found.id, found.score > 0) == ("1", True)


async def test_bm25_searches_only_the_text(store):
    await write(store, [Document(id="1", content="red", meta={"fruit": "apple"})])
    assert await store.bm25_retrieval("apple") == []


async def test_filter_restricts_a_search(store):
    await write(store, [Document(id=id, content="apple", meta={"n": n}) for id, n in [("1", 1), ("2", 2)]])
    assert ids_of(await store.bm25_retrieval("apple", equal("n", 2))) == ["2"]


async def test_fuzziness_tolerates_typing_errors(store):
    await write(store, [Document(id="1", content="apple")])
    assert ids_of(await store.bm25_retrieval("aple", fuzziness="AUTO")) == ["1"]
    assert await store.bm25_retrieval("aple") == []


async def test_query_with_too_many_clauses_is_repeated_without_fuzziness(store, caplog):
    similar = [Document(id=f"s{number}", content=f"abc{number:04}") for number in range(1200)]
    await write(store, similar)
    with caplog.at_level(logging.WARNING):
        found = await store.bm25_retrieval(" ".join(f"abc{number:04}" for number in range(40)), fuzziness=2, top_k=50)
    assert len(found) >= 40


async def test_all_terms_must_match(store):
    await write(store, [Document(id="1", content="red apple"), Document(id="2", content="apple")])
    assert ids_of(await store.bm25_retrieval("red apple", all_terms_must_match=True)) == ["1"]


async def test_custom_query_gets_query_and_filter(store):
    await write(store, [Document(id=id, meta={"title": "apple", "n": n}) for id, n in [("1", 1), ("2", 2)]])
    body = {"query": {"bool": {"must": {"match": {"title": "$query"}}, "filter": "$filters"}}}
    assert ids_of(await store.bm25_retrieval("apple", equal("n", 2), custom_query=body)) == ["2"]
    assert len(await store.bm25_retrieval("apple", custom_query=body)) == 2


async def test_scores_are_scaled(store):
    await write(store, named("apple"))
    [found] = await store.bm25_retrieval("apple", scale_score=True)
    assert 0.5 < found.score < 1


async def test_embedding_retrieval_with_filter(store):
    vectors = {"1": [1.0, 0.0, 0.0], "2": [0.9, 0.1, 0.0], "3": [0.0, 1.0, 0.0]}
    await write(store, [Document(id=id, embedding=vector, meta={"n": int(id)}) for id, vector in vectors.items()])
    assert ids_of(await store.embedding_retrieval([1, 0, 0], top_k=2)) == ["1", "2"]
    assert ids_of(await store.embedding_retrieval([1, 0, 0], equal("n", 3), top_k=1)) == ["3"]
    assert await store.embedding_retrieval([1, 0, 0], equal("n", 3), top_k=1, efficient_filtering=False) == []


async def test_hybrid_retrieval(store):
    await write(store, [Document(id="1", content="apple"), Document(id="2", embedding=[1.0, 0.0, 0.0])])
    words, near = await store.hybrid_retrieval({"query": "apple"}, {"query_embedding": [1, 0, 0], "top_k": 1})
    assert (ids_of(words), ids_of(near)) == (["1"], ["2"])


async def test_scores_are_explained_by_terms(store):
    await write(store, [Document(id="1", content="red red apple"), Document(id="2", content="apple")])
    [best, _] = await store.bm25_retrieval("red apple")
    terms = (await store.explain_bm25("red apple", ["1"]))["1"]
    assert {(term.term, term.frequency, term.documents) for term in terms} == {("red", 2, 1), ("apple", 1, 2)}
    assert sum(term.score for term in terms) == pytest.approx(best.score)


async def test_parents_are_not_searched(opened):
    store = opened(search="leaves")
    parent = Document(id="p", content="apple", embedding=[1.0, 0.0, 0.0], meta={"__children_ids": ["c"]})
    await write(store, [parent, Document(id="c", content="apple pie", embedding=[1.0, 0.0, 0.0])])
    assert ids_of(await store.bm25_retrieval("apple")) == ["c"]
    assert ids_of(await store.embedding_retrieval([1, 0, 0])) == ["c"]
    assert await store.get_documents_by_id(["p"]) == [parent]


@pytest.mark.parametrize("top_k", [-1, True, 1.5])
async def test_rejects_invalid_counts(store, top_k):
    with pytest.raises(ValueError, match="top_k"):
        await store.bm25_retrieval("apple", top_k=top_k)


async def test_top_k_of_zero_returns_nothing(store):
    await write(store, named("apple"))
    assert await store.bm25_retrieval("apple", top_k=0) == []


# --- changing


async def test_documents_are_deleted_by_id(store):
    await write(store, named("1", "2"))
    await store.delete_documents(["1", "none"], refresh=True)
    assert ids_of(await store.filter_documents()) == ["2"]


async def test_documents_are_changed_and_deleted_by_filter(store):
    await write(store, [Document(id=str(n), content="a", meta={"n": n}) for n in range(4)])
    some = {"field": "n", "operator": ">=", "value": 2}
    assert await store.update_by_filter(some, {"n": 7, "new": ["x"]}) == 2
    assert await store.count_documents_by_filter(equal("n", 7)) == 2
    assert (await store.filter_documents(equal("new", "x")))[0].meta == {"n": 7, "new": ["x"]}
    assert await store.delete_by_filter(equal("n", 7)) == 2
    assert ids_of(await store.filter_documents()) == ["0", "1"]


@pytest.mark.parametrize("method", ["delete_by_filter", "update_by_filter"])
async def test_empty_filter_changes_nothing(store, method):
    await write(store, named("1"))
    with pytest.raises(FilterError):
        await getattr(store, method)({}, *([{"n": 1}] if method == "update_by_filter" else []))
    assert await store.count_documents() == 1


async def test_own_fields_are_not_changed_by_filter(store):
    await write(store, [Document(id="1", meta={"n": 1})])
    with pytest.raises(ValueError, match="content"):
        await store.update_by_filter(equal("n", 1), {"content": "x"})


@pytest.mark.parametrize("again", [True, False])
async def test_all_documents_are_deleted(store, again):
    await write(store, named("1", "2"))
    await store.delete_all_documents(recreate_index=again)
    assert await store.count_documents() == 0
    await write(store, [Document(id="1", content="x", embedding=[1.0, 0.0, 0.0])])
    assert len(await store.embedding_retrieval([1, 0, 0])) == 1


# --- metadata


async def test_metadata_is_described(store):
    await write(store, [Document(id=str(n), meta={"n": n, "even": n % 2 == 0, "word": f"w{n}"}) for n in range(3)])
    info = await store.get_metadata_fields_info()
    assert {name: kind["type"] for name, kind in info.items() if name != "n"} == {"even": "boolean", "word": "keyword"}
    assert await store.get_metadata_field_min_max("meta.n") == {"min": 0, "max": 2}
    assert await store.get_metadata_field_min_max("word") == {"min": "w0", "max": "w2"}
    assert await store.get_metadata_field_min_max("none") == {"min": None, "max": None}
    assert await store.count_unique_metadata_by_filter({}, ["even", "meta.word", "none"]) == {
        "even": 2,
        "word": 3,
        "none": 0,
    }
    assert await store.get_metadata_field_unique_values("word", "W", from_=1, size=1) == (["w1"], 3)
    assert await store.get_metadata_field_unique_values("even") == ([False, True], 2)
    assert await store.get_metadata_field_unique_values("n", filters=equal("even", False)) == ([1], 1)


# --- the index


async def test_missing_index_without_create_index_raises(opened):
    store = opened(create_index=False)
    with pytest.raises(DocumentStoreError, match="create_index"):
        await store.write_documents(named("1"))
    await store.create_index()
    assert await write(store, named("1")) == 1


async def test_existing_index_is_used_unchanged(opened):
    await write(opened(embedding_dim=2), [Document(id="1", embedding=[1.0, 0.0])])
    store = opened(embedding_dim=3)
    with pytest.raises(DocumentsRefusedError, match="Expected: 2"):
        await write(store, [Document(id="2", embedding=[1.0, 0.0, 0.0])])
    assert await store.count_documents() == 1


async def test_lists_of_objects_are_mapped_as_nested(opened):
    store = opened(nested_fields="*")
    await write(
        store,
        [Document(id="1", meta={"refs": [{"a": 1, "b": 2}]}), Document(id="2", meta={"refs": [{"a": 1}, {"b": 2}]})],
    )
    assert (await store.get_metadata_fields_info())["refs"]["type"] == "nested"


async def test_index_without_text_raises(opened, opensearch_index):
    store = opened(mappings={"properties": {"content": {"type": "keyword"}}})
    with pytest.raises(DocumentStoreError, match="custom_query"):
        await store.bm25_retrieval("apple")


async def test_invalid_index_name_raises(opensearch_url):
    with (
        OpenSearchDocumentStore(hosts=opensearch_url, index="Upper Case") as store,
        pytest.raises(DocumentStoreError, match="Upper Case"),
    ):
        store.write_documents(named("1"))


# --- the connection


def test_unreachable_server_fails_fast():
    with (
        OpenSearchDocumentStore(hosts="http://user:topsecret@127.0.0.1:9") as store,
        pytest.raises(StoreUnavailableError) as caught,
    ):
        store.count_documents()
    assert "127.0.0.1:9" in str(caught.value)
    assert "topsecret" not in str(caught.value)


def test_constructor_sends_no_request():
    assert "nowhere" in repr(OpenSearchDocumentStore(hosts="http://me:topsecret@nowhere:1"))
    assert "topsecret" not in repr(OpenSearchDocumentStore(hosts="http://me:topsecret@nowhere:1"))


def test_settings_survive_serialisation(monkeypatch):
    store = OpenSearchDocumentStore(
        hosts="http://a:9200", index="i", embedding_dim=3, method=METHOD, search="leaves", ca_certs="ca.pem"
    )
    data = store.to_dict()
    assert OpenSearchDocumentStore.from_dict(data).to_dict() == data
    assert data["init_parameters"]["http_auth"][0]["env_vars"] == ["OPENSEARCH_USERNAME"]
    assert data["init_parameters"]["ca_certs"] == "ca.pem"


@pytest.mark.parametrize("auth", [("me", "topsecret"), "me:topsecret", ["me", "topsecret"]])
def test_credentials_are_not_serialised(auth):
    assert "topsecret" not in str(OpenSearchDocumentStore(http_auth=auth).to_dict())


def test_incomplete_credentials_raise(monkeypatch):
    monkeypatch.setitem(os.environ, "SPANIEL_TEST_NAME", "me")
    auth = (Secret.from_env_var("SPANIEL_TEST_NAME"), Secret.from_env_var("SPANIEL_TEST_NONE", strict=False))
    with pytest.raises(DocumentStoreError, match="password"):
        OpenSearchDocumentStore(http_auth=auth).count_documents()


def test_auth_object_is_passed_to_the_client(opensearch_url, opensearch_index):
    signed = []

    def sign(method, url, body, headers=None):
        signed.append(method)
        return {}

    with OpenSearchDocumentStore(hosts=opensearch_url, index=opensearch_index, method=METHOD, http_auth=sign) as store:
        store.count_documents()
    assert "GET" in signed


@pytest.mark.parametrize(
    "option", [{"search": "some"}, {"search_type": "other"}, {"chunk_size": 0}, {"embedding_dim": -1}]
)
def test_rejects_unknown_options(option):
    with pytest.raises(ValueError, match=next(iter(option))):
        OpenSearchDocumentStore(**option)


async def test_dead_connections_are_closed():
    store = OpenSearchDocumentStore(hosts=["http://127.0.0.1:9", "http://127.0.0.1:10"], patience=0.2)
    with pytest.raises(StoreUnavailableError):
        await store.count_documents_async()
    connections = store._connection.async_client.transport.connection_pool.orig_connections
    await store.close_async()
    assert [connection.session for connection in connections] == [None, None]


def test_delegated_methods_have_the_signature_and_documentation_of_their_part():
    plain, counterpart = OpenSearchDocumentStore.filter_documents, OpenSearchDocumentStore.filter_documents_async
    assert inspect.signature(plain) == inspect.signature(counterpart)
    assert str(inspect.signature(plain)).startswith("(self, filters:")
    assert plain.__doc__ == DocumentReader.filter_documents.__doc__
    assert counterpart.__name__ == "filter_documents_async"
