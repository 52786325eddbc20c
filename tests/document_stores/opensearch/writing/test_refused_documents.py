"""Documents that a server does not take: named by id, and all others are written."""

import pytest

from spaniel import Document
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.errors import DocumentsRefusedError

pytestmark = pytest.mark.server


async def refused(store, documents, policy=DuplicatePolicy.OVERWRITE):
    with pytest.raises(DocumentsRefusedError) as caught:
        await store.write_documents(documents, policy, refresh=True)
    return caught.value


@pytest.mark.parametrize(
    ("id", "reason"), [("x" * 513, "513 bytes"), ("é" * 257, "514 bytes"), ("", "must not be empty")]
)
@pytest.mark.parametrize("policy", list(DuplicatePolicy))
async def test_invalid_id_is_named_and_the_others_are_written(store, id, reason, policy):
    bad = Document(id="z")
    vars(bad)["id"] = id  # an empty one given at once is replaced by that of the content
    error = await refused(store, [Document(id="a"), bad, Document(id="b")], policy)
    assert list(error.refused) == [id]
    assert reason in error.refused[id]
    assert error.written == 2
    assert [document.id for document in await store.filter_documents()] == ["a", "b"]


async def test_accepts_the_longest_id(store):
    assert await store.write_documents([Document(id="é" * 256)], refresh=True) == 1
    assert len(await store.get_documents_by_id(["é" * 256])) == 1


async def test_deletes_invalid_ids(store):
    await store.write_documents([Document(id="a")], refresh=True)
    await store.delete_documents(["", "x" * 600, "a"], refresh=True)
    assert await store.count_documents() == 0


async def test_valid_documents_of_a_rejected_chunk_are_written(store):
    documents = [Document(id=f"{n:04}") for n in range(500)]
    documents[250] = Document(id="x" * 600)
    error = await refused(store, documents)
    assert (error.written, await store.count_documents()) == (499, 499)
