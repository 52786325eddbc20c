"""An index that is deleted, changed or shared while a store is open."""

import asyncio

import pytest

from spaniel import Document
from spaniel.document_stores.opensearch import OpenSearchDocumentStore
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.errors import DocumentsRefusedError, DocumentStoreError, StoreRequestError, StoreUnavailableError
from tests.document_stores.opensearch.conftest import METHOD, ONE_SHARD

pytestmark = pytest.mark.server

OVERWRITE = DuplicatePolicy.OVERWRITE


def vector(n):
    return Document(id=str(n), content=f"apple {n}", embedding=[1.0, n, 0.0], meta={"day": "2024-05-01"})


async def test_deleted_index_is_recreated_with_the_stores_mapping(store, client, opensearch_index):
    await store.write_documents([vector(1)], refresh=True)
    client.indices.delete(index=opensearch_index)
    await store.write_documents([vector(2)], refresh=True)
    properties = client.indices.get_mapping(index=opensearch_index)[opensearch_index]["mappings"]["properties"]
    assert properties["embedding"]["type"] == "knn_vector"
    assert [document.id for document in await store.embedding_retrieval([1.0, 2.0, 0.0])] == ["2"]
    assert [document.id for document in await store.bm25_retrieval("apple")] == ["2"]


async def test_deleted_index_without_create_index_raises(opened, client, opensearch_index):
    await opened().write_documents([vector(1)], refresh=True)
    store = opened(create_index=False)
    assert await store.count_documents() == 1
    client.indices.delete(index=opensearch_index)
    for write in (
        store.write_documents([vector(2)]),
        store.delete_by_filter({"field": "day", "operator": "!=", "value": None}),
        store.update_by_filter({"field": "day", "operator": "!=", "value": None}, {"a": 1}),
    ):
        with pytest.raises(DocumentStoreError, match="does not exist"):
            await write
    assert not client.indices.exists(index=opensearch_index)


async def test_deletion_during_a_write_raises(opened, client, opensearch_index):
    store = opened(chunk_size=10, writers=1)

    def documents():
        for n in range(40):
            if n == 25:
                client.indices.delete(index=opensearch_index)
            yield vector(n)

    with pytest.raises(DocumentStoreError, match="was deleted while it was written"):
        await store.write_documents(documents(), OVERWRITE)
    client.indices.delete(index=opensearch_index)
    assert await store.write_documents(map(vector, range(40)), OVERWRITE, refresh=True) == 40
    assert len(await store.embedding_retrieval([1.0, 2.0, 0.0])) == 10


async def test_text_field_added_later_is_searched(opened, client, new_index):
    index = new_index({"properties": {"id": {"type": "keyword"}}})
    store = opened(index=index.name)
    with pytest.raises(DocumentStoreError, match="has no text field 'content'"):
        await store.bm25_retrieval("apple")
    index.write({"a": {"id": "a", "content": "red apple"}})
    await asyncio.sleep(1.1)  # a mapping is not read again sooner
    assert [document.id for document in await store.bm25_retrieval("apple")] == ["a"]


@pytest.fixture
def pair(client, new_index):
    """Two indices, and an alias of both."""
    indices = [new_index(), new_index()]
    for n, index in enumerate(indices):
        index.write({str(n): {"id": str(n), "content": f"apple {n}"}})
    alias = f"{indices[0].name}-alias"
    client.indices.put_alias(index=",".join(index.name for index in indices), name=alias)
    return alias, f"{indices[0].name},{indices[1].name}"


@pytest.mark.parametrize("name", [0, 1], ids=["an alias", "two names"])
async def test_several_indices_are_read_only(opened, pair, name):
    store = opened(index=pair[name])
    assert [document.id for document in await store.filter_documents()] == ["0", "1"]
    assert len(await store.bm25_retrieval("apple")) == 2
    everything = {"field": "id", "operator": "!=", "value": None}
    for write in (
        store.write_documents([vector(1)], OVERWRITE),
        store.delete_documents(["0"]),
        store.delete_all_documents(),
        store.delete_by_filter(everything),
        store.update_by_filter(everything, {"a": 1}),
    ):
        with pytest.raises(DocumentStoreError, match=r"stands for 2 indices .* Write to one of them"):
            await write
    assert await store.count_documents() == 2


async def test_data_stream_is_rejected(opened, client, opensearch_index):
    template = {"index_patterns": [f"{opensearch_index}-stream"], "data_stream": {}}
    client.indices.put_index_template(name=opensearch_index, body=template)
    client.indices.create_data_stream(name=f"{opensearch_index}-stream")
    try:
        with pytest.raises(DocumentStoreError, match="is a data stream"):
            await opened(index=f"{opensearch_index}-stream").write_documents([vector(1)], OVERWRITE)
    finally:
        client.indices.delete_data_stream(name=f"{opensearch_index}-stream")
        client.indices.delete_index_template(name=opensearch_index)


BLOCKS = {
    "write": "index.blocks.write to null",
    "read_only": "index.blocks.read_only to null",
    "read_only_allow_delete": "The disks of the cluster are too full",
}


@pytest.mark.parametrize("block", BLOCKS)
async def test_block_ends_a_call_and_is_named(opened, client, opensearch_index, block):
    store = opened(chunk_size=10, patience=0.5)
    await store.write_documents([vector(1000)], refresh=True)
    client.indices.put_settings(index=opensearch_index, body={f"index.blocks.{block}": True})
    taken = 0

    def documents():
        nonlocal taken
        for taken in range(5000):
            yield vector(taken)

    try:
        began = asyncio.get_running_loop().time()
        with pytest.raises((StoreUnavailableError, StoreRequestError), match=BLOCKS[block]) as caught:
            await store.write_documents(documents(), OVERWRITE)
        assert "0 documents were written before" in str(caught.value)
        assert taken < 200
        with pytest.raises(StoreUnavailableError, match=BLOCKS[block]):
            await store.delete_documents(["1000"])
        with pytest.raises(DocumentStoreError, match=BLOCKS[block]) as caught:
            await store.delete_by_filter({"field": "id", "operator": "==", "value": "1000"})
        assert "{" not in str(caught.value)
        assert asyncio.get_running_loop().time() - began < 30
    finally:
        client.indices.put_settings(index=opensearch_index, body={f"index.blocks.{block}": None})
    assert await store.count_documents() == 1


async def test_blocked_deletion_raises(store, client, opensearch_index):
    await store.write_documents([vector(1)], refresh=True)
    client.indices.delete(index=opensearch_index)
    with pytest.raises(DocumentsRefusedError, match="not deleted"):
        await store.delete_documents(["1"])


def test_index_without_vectors_needs_no_plugin(opensearch_url, opensearch_index, client):
    with OpenSearchDocumentStore(hosts=opensearch_url, index=opensearch_index, embedding_dim=None) as store:
        store.write_documents([vector(1)], refresh=True)
        assert store.bm25_retrieval("apple")[0].id == "1"
        store.return_embedding = True
        assert store.filter_documents()[0].embedding == [1.0, 1.0, 0.0]
        with pytest.raises(DocumentStoreError, match="has no vectors to search"):
            store.embedding_retrieval([1.0, 1.0, 0.0])
        assert type(store).from_dict(store.to_dict()).embedding_dim is None
    settings = client.indices.get_settings(index=opensearch_index)[opensearch_index]["settings"]["index"]
    assert "knn" not in settings


async def test_content_field_of_another_name(opened, client, opensearch_index):
    store = opened(content_field="body", method=METHOD, settings=ONE_SHARD, search="leaves")
    documents = [
        Document(id="a", content="red apple", meta={"content": "meta", "body": "heavy"}),
        Document(id="p", content="a parent of apples", meta={"__children_ids": ["a"]}),
        Document(id="b"),
    ]
    await store.write_documents(documents, refresh=True)
    assert client.get(index=opensearch_index, id="a")["_source"]["body"] == "red apple"
    assert await store.filter_documents() == sorted(documents, key=lambda document: document.id)
    assert [document.id for document in await store.bm25_retrieval("apple")] == ["a"]
    for field, value, found in [
        ("content", None, ["b"]),
        ("meta.body", "heavy", ["a"]),
        ("meta.content", "meta", ["a"]),
    ]:
        each = {"field": field, "operator": "==", "value": value}
        assert [document.id for document in await store.filter_documents(each)] == found
    assert await store.query_terms("Red Apple") == ["red", "apple"]
    assert {term.term for term in (await store.explain_bm25("red apple", ["a"]))["a"]} == {"red", "apple"}
    assert await store.search_statistics() == {"documents": 1}


@pytest.mark.parametrize("name", ["", "a.b", "id", "meta", "__kept", 5])
def test_rejects_reserved_content_fields(name):
    with pytest.raises(ValueError, match="content_field must be"):
        OpenSearchDocumentStore(content_field=name)


@pytest.mark.parametrize(
    "rules",
    [
        {"content": {"type": "text", "fields": {"keyword": {"type": "keyword"}}}},
        {"content": {"type": "match_only_text"}},
        {"content": {"type": "search_as_you_type"}},
        {"content": {"type": "keyword", "fields": {"words": {"type": "text"}}}},
        {"text": {"type": "text"}, "content": {"type": "alias", "path": "text"}},
    ],
)
async def test_text_in_foreign_mappings_is_searched(opened, new_index, rules):
    index = new_index({"properties": {"id": {"type": "keyword"}} | rules})
    index.write({id: {"id": id, "text" if "text" in rules else "content": f"{id} apple"} for id in ("red", "green")})
    store = opened(index=index.name)
    assert [document.id for document in await store.bm25_retrieval("red")] == ["red"]
    assert await store.query_terms("red apple") == ["red", "apple"]
    assert [term.term for term in (await store.explain_bm25("red", ["red"]))["red"]] == ["red"]


async def test_foreign_parents_are_not_searched_with_leaves(opened):
    whole = opened(search="all")
    tree = [
        Document(id="root", content="apple and pear", embedding=[1.0, 0.0, 0.0], meta={"__children_ids": ["a", "b"]}),
        Document(
            id="a", content="apple", embedding=[1.0, 0.0, 0.0], meta={"__parent_id": "root", "__children_ids": []}
        ),
        Document(id="b", content="pear", embedding=[0.0, 1.0, 0.0], meta={"__parent_id": "root", "__children_ids": []}),
    ]
    await whole.write_documents(tree, refresh=True)
    store = opened(search="leaves")
    assert [document.id for document in await store.bm25_retrieval("apple")] == ["a"]
    assert {document.id for document in await store.embedding_retrieval([1.0, 0.0, 0.0])} == {"a", "b"}
    first, second = await store.hybrid_retrieval({"query": "apple"}, {"query_embedding": [1.0, 0.0, 0.0]})
    assert {document.id for document in (*first, *second)} == {"a", "b"}
    assert await store.search_statistics() == {"documents": 2}
    assert await store.count_documents() == 3


async def test_hidden_parents_are_recognised(opened, new_index):
    index = new_index({"dynamic": False, "properties": {"id": {"type": "keyword"}, "content": {"type": "text"}}})
    index.write(
        {
            "p": {"id": "p", "content": "apple and pear", "__children_ids": ["a"]},
            "a": {"id": "a", "content": "apple", "__children_ids": []},
            "b": {"id": "b", "content": "apple"},
        }
    )
    store = opened(index=index.name, search="leaves")
    assert {document.id for document in await store.bm25_retrieval("apple")} == {"a", "b"}
    only = {"field": "id", "operator": "!=", "value": "b"}
    assert {document.id for document in await store.bm25_retrieval("apple", filters=only)} == {"a"}


async def test_search_returns_more_than_a_page(opened):
    store = opened(chunk_size=5000)
    count = 12_000
    await store.write_documents(
        (Document(id=f"{n:05}", content="apple " * (1 + n % 3)) for n in range(count)), refresh=True
    )
    found = await store.bm25_retrieval("apple", top_k=50_000)
    assert len({document.id for document in found}) == count
    assert [document.score for document in found] == sorted((document.score for document in found), reverse=True)
    assert len(await store.bm25_retrieval("apple", top_k=11_000)) == 11_000
    with pytest.raises(ValueError, match="at most 10,000 nearest"):
        await store.embedding_retrieval([1.0, 0.0, 0.0], top_k=10_001)


async def test_overlong_query_uses_its_rarest_terms(store, caplog):
    common = [Document(id=f"{n:03}", content=" ".join(f"w{each}" for each in range(1500))) for n in range(3)]
    await store.write_documents([*common, Document(id="rare", content="w1 unique")], refresh=True)
    query = " ".join([*(f"w{each}" for each in range(3000)), "unique"])
    found = await store.bm25_retrieval(query)
    assert found[0].id
    assert "rare" in {document.id for document in found}
    assert "the 1000 rarest of those" in caplog.text


@pytest.mark.parametrize("batch", [0, -1])
def test_rejects_an_empty_batch_size(opensearch_url, opensearch_index, batch):
    with (
        OpenSearchDocumentStore(hosts=opensearch_url, index=opensearch_index) as store,
        pytest.raises(ValueError, match="batch"),
    ):
        next(store.iterate(batch=batch))
