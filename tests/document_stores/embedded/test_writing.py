import logging
from collections.abc import Iterator

import haystack
import numpy as np
import pytest
from haystack.document_stores.in_memory import InMemoryDocumentStore as HaystackStore

from spaniel import Document
from spaniel.dataclasses import ByteStream, SparseEmbedding
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.errors import DuplicateDocumentError, FilterError
from tests.document_stores.faces import equal, ids_of, named


async def test_a_write_returns_how_many_documents_were_written(store):
    assert await store.write_documents(named("a", "b")) == 2
    assert await store.write_documents([]) == 0
    assert await store.count_documents() == 2


@pytest.mark.parametrize("policy", [DuplicatePolicy.NONE, DuplicatePolicy.FAIL])
async def test_a_write_that_fails_writes_nothing(store, policy):
    await store.write_documents(named("x"))

    with pytest.raises(DuplicateDocumentError, match=r"'x' already exists in the store.*2 documents.*OVERWRITE"):
        await store.write_documents(named("y", "x"), policy)

    assert ids_of(await store.filter_documents()) == ["x"]
    assert await store.bm25_retrieval("y") == []


def test_haystack_keeps_documents_before_the_duplicate():
    theirs = HaystackStore(shared=False)
    theirs.write_documents([haystack.Document(id="x")])
    with pytest.raises(haystack.document_stores.errors.DuplicateDocumentError):
        theirs.write_documents([haystack.Document(id="y"), haystack.Document(id="x")])
    assert list(theirs.storage) == ["x", "y"]


async def test_a_duplicate_within_the_batch_fails_too(store):
    with pytest.raises(DuplicateDocumentError, match="'a' already exists twice in this batch"):
        await store.write_documents(named("a", "b", "a"))
    assert await store.count_documents() == 0


async def test_skipped_documents_are_logged_and_not_counted(store, caplog):
    await store.write_documents([Document(id="a", content="old")])

    with caplog.at_level(logging.WARNING):
        written = await store.write_documents([Document(id="a", content="new"), *named("b", "b")], DuplicatePolicy.SKIP)

    assert written == 1
    assert [document.content for document in await store.filter_documents()] == ["old", "b"]
    assert "'a' already exists" in caplog.text


async def test_an_overwrite_goes_to_the_end_and_the_last_of_a_batch_wins(store):
    await store.write_documents(named("a", "b"))
    batch = [Document(id="a", content="one"), Document(id="c", content="c"), Document(id="a", content="two")]

    assert await store.write_documents(batch, DuplicatePolicy.OVERWRITE) == 3

    found = await store.filter_documents()
    assert [(document.id, document.content) for document in found] == [("b", "b"), ("c", "c"), ("a", "two")]
    assert await store.bm25_retrieval("one") == []


async def test_an_overwrite_can_change_whether_there_is_text(store):
    await store.write_documents([Document(id="a", content="red"), Document(id="b", content=None)])
    batch = [Document(id="a", content=None), Document(id="b", content="red")]
    await store.write_documents(batch, DuplicatePolicy.OVERWRITE)
    assert ids_of(await store.bm25_retrieval("red")) == ["b"]


async def test_any_iterable_of_documents_will_do(store):
    def generated() -> Iterator[Document]:
        yield from named("a", "b")

    assert await store.write_documents(generated()) == 2
    assert await store.write_documents(tuple(named("c"))) == 1
    assert await store.write_documents(iter(named("a")), DuplicatePolicy.OVERWRITE) == 1


def test_a_generator_ends_in_an_error_in_haystack():
    with pytest.raises(TypeError):
        HaystackStore(shared=False).write_documents(haystack.Document(id=id) for id in "ab")


@pytest.mark.parametrize("given", ["text", b"bytes", 5, None, {"id": "a"}, ["text"], [Document(), "text"], [None]])
async def test_anything_but_documents_is_refused(store, given):
    with pytest.raises(ValueError, match="Please provide a list of Documents"):
        await store.write_documents(given)
    assert await store.count_documents() == 0


async def test_the_name_of_a_policy_will_do_and_another_is_refused(store):
    await store.write_documents(named("a"), "fail")
    assert await store.write_documents(named("a"), "skip") == 0
    with pytest.raises(ValueError, match="sometimes"):
        await store.write_documents(named("b"), "sometimes")


async def test_an_error_in_a_generator_writes_nothing(store):
    def broken() -> Iterator[Document]:
        yield from named("a")
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        await store.write_documents(broken())
    assert await store.count_documents() == 0


# --- independence of the store --------------------------------------------------------------------


def full_document() -> Document:
    return Document(
        id="a",
        content="text",
        meta={"tags": ["x"], "deep": {"n": [1]}, "sizes": np.array([1, 2])},
        blob=ByteStream(b"b", meta={"k": ["v"]}),
        embedding=[1.0, 2.0],
        sparse_embedding=SparseEmbedding([1], [0.5]),
    )


def edit(document: Document) -> None:
    document.meta["tags"].append("edited")
    document.meta["deep"]["n"][0] = 99
    document.meta["sizes"][0] = 99
    document.meta["more"] = True
    document.blob.meta["k"].append("edited")
    if document.embedding:
        document.embedding[0] = 99.0
    document.sparse_embedding.indices.append(99)


async def test_edits_after_a_write_do_not_reach_the_store(store):
    document = full_document()
    await store.write_documents([document])
    edit(document)
    assert await store.filter_documents() == [full_document()]


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("filter_documents", ()),
        ("filter_documents", (equal("meta.deep.n", [1]),)),
        ("get_documents_by_id", (["a"],)),
        ("get_documents_by_key", ("tags", ["x"])),
        ("bm25_retrieval", ("text",)),
        ("embedding_retrieval", ([1.0, 1.0],)),
        ("embedding_retrieval", ([1.0, 1.0], None, 10, False, True)),
    ],
)
async def test_edits_of_a_result_do_not_reach_the_store(store, method, arguments):
    await store.write_documents([full_document()])
    for document in await getattr(store, method)(*arguments):
        edit(document)
    assert await store.filter_documents() == [full_document()]


async def test_an_update_shares_nothing_with_the_caller_or_between_documents(store):
    written, change = named("a", "b"), {"tags": ["x"]}
    await store.write_documents(written)
    await store.update_by_filter(equal("id", "a") | {"operator": "!=", "value": None}, change)
    change["tags"].append("edited")
    first, second = await store.filter_documents()
    first.meta["tags"].append("edited")

    assert [document.meta for document in written] == [{}, {}]
    assert second.meta == {"tags": ["x"]}
    assert [document.meta for document in await store.filter_documents()] == [{"tags": ["x"]}] * 2


def test_haystack_shares_its_documents_with_the_caller():
    theirs, document = HaystackStore(shared=False), haystack.Document(id="a", meta={"tags": ["x"]})
    theirs.write_documents([document])
    document.meta["tags"].append("written")
    theirs.filter_documents()[0].meta["tags"].append("found")
    theirs.update_by_filter(equal("id", "a"), {"year": 1})
    assert theirs.filter_documents()[0].meta == {"tags": ["x", "written", "found"], "year": 1}
    assert document.meta["year"] == 1


# --- update, delete -------------------------------------------------------------------------------


async def test_an_update_merges_metadata_and_leaves_id_place_and_search_alone(store):
    await store.write_documents([*named("a", meta={"year": 1, "kept": True}), *named("b", meta={"year": 2})])

    assert await store.update_by_filter(equal("meta.year", 1), {"year": 3, "new": None}) == 1

    first = (await store.filter_documents())[0]
    assert (first.id, first.meta) == ("a", {"year": 3, "kept": True, "new": None})
    assert ids_of(await store.filter_documents(equal("meta.year", 3))) == ["a"]
    assert await store.filter_documents(equal("meta.year", 1)) == []
    assert ids_of(await store.bm25_retrieval("a")) == ["a"]


async def test_a_document_that_was_updated_and_deleted_is_under_neither_value(store):
    for value in ("old", "new"):
        assert await store.filter_documents(equal("meta.k", value)) == []  # so there is an index of the key
    await store.write_documents(named("a", meta={"k": "old"}))
    await store.update_by_filter(equal("meta.k", "old"), {"k": "new"})
    await store.delete_documents(["a"])
    for value in ("old", "new"):
        assert await store.filter_documents(equal("meta.k", value)) == []


async def test_an_update_without_a_dict_changes_nothing(store):
    await store.write_documents(named("a"))
    with pytest.raises(ValueError, match="`meta` must be a dict"):
        await store.update_by_filter(equal("id", "a"), ["year"])
    assert (await store.filter_documents())[0].meta == {}


async def test_deleting_returns_nothing_and_passes_over_unknown_ids(store):
    await store.write_documents(named("a", "b", "c"))
    assert await store.delete_documents(["a", "unknown", "c", "a"]) is None
    assert ids_of(await store.filter_documents()) == ["b"]
    assert await store.bm25_retrieval("a c") == []


async def test_a_single_id_is_not_taken_for_a_list_of_its_characters(store):
    await store.write_documents(named("a", "b"))
    with pytest.raises(ValueError, match=r"\['ab'\]"):
        await store.delete_documents("ab")
    assert await store.count_documents() == 2


async def test_deleting_by_filter_returns_how_many(store):
    await store.write_documents([*named("a", "b", meta={"old": True}), *named("c")])
    assert await store.delete_by_filter(equal("meta.old", True)) == 2
    assert ids_of(await store.filter_documents()) == ["c"]


def test_haystack_deletes_by_filter_only_without_async():
    assert hasattr(HaystackStore, "delete_by_filter")
    assert not hasattr(HaystackStore, "delete_by_filter_async")


async def test_an_empty_filter_never_deletes_or_changes_everything(store):
    await store.write_documents(named("a"))
    for call in (store.delete_by_filter({}), store.update_by_filter({}, {"x": 1})):
        with pytest.raises(FilterError, match="'operator' key missing"):
            await call
    assert await store.filter_documents() == named("a")


async def test_a_store_that_was_emptied_can_be_filled_again(store):
    await store.write_documents(named("a", "b", embedding=[1.0, 2.0]))
    await store.delete_all_documents()
    assert await store.count_documents() == 0
    assert await store.bm25_retrieval("a") == []
    assert await store.embedding_retrieval([1.0, 2.0]) == []
    assert await store.write_documents(named("a", embedding=[1.0, 2.0, 3.0])) == 1
    assert ids_of(await store.embedding_retrieval([1.0, 2.0, 3.0])) == ["a"]
