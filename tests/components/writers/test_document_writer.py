import asyncio
from typing import Any

import pytest
from haystack.components.writers import DocumentWriter as ReferenceWriter
from haystack.document_stores.types import DuplicatePolicy as ReferencePolicy

from spaniel import Document
from spaniel.components.writers import DocumentWriter
from spaniel.core import known_types
from spaniel.core.serialization import allow_deserialization_module, default_from_dict, default_to_dict
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.errors import DeserializationError
from tests.modes import COMPONENT_MODES

DOCUMENTS = [Document(content="a"), Document(content="b")]


class SyncStore:
    """Writes all but the first document, and remembers how it was called."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.calls: list[Any] = []

    def write_documents(self, documents, policy):
        self.calls.append(("sync", documents, policy))
        return len(documents) - 1

    def to_dict(self):
        return default_to_dict(self, name=self.name)

    @classmethod
    def from_dict(cls, data):
        return default_from_dict(cls, data)


class AsyncStore(SyncStore):
    async def write_documents_async(self, documents, policy):
        self.calls.append(("async", documents, policy))
        return len(documents) - 1

    def close(self):
        self.calls.append("closed")

    async def close_async(self):
        self.calls.append("closed async")


@pytest.fixture
def this_module_allowed():
    allow_deserialization_module(__name__)
    yield
    known_types._allowed_modules.discard(__name__)


def run(writer: DocumentWriter, colour: str, **parameters):
    return COMPONENT_MODES[colour](writer, DOCUMENTS, **parameters)


@pytest.mark.parametrize("colour", COMPONENT_MODES)
def test_returns_the_number_of_documents_reported_by_the_store(colour):
    store = AsyncStore()

    assert run(DocumentWriter(store), colour) == {"documents_written": 1}
    assert store.calls == [(colour, DOCUMENTS, DuplicatePolicy.NONE)]


@pytest.mark.parametrize("colour", COMPONENT_MODES)
def test_policy_of_a_run_overrides_the_constructors(colour):
    store = AsyncStore()
    writer = DocumentWriter(store, policy=DuplicatePolicy.SKIP)

    run(writer, colour)
    run(writer, colour, policy=DuplicatePolicy.NONE)
    run(writer, colour, policy=DuplicatePolicy.FAIL)

    assert [call[2] for call in store.calls] == [DuplicatePolicy.SKIP, DuplicatePolicy.NONE, DuplicatePolicy.FAIL]


def test_async_run_rejects_stores_without_async_writes():
    store = SyncStore()

    with pytest.raises(TypeError, match="SyncStore does not provide async support"):
        run(DocumentWriter(store), "async")

    assert store.calls == []


def test_closing_the_writer_closes_a_store_that_can_be_closed():
    store = AsyncStore()

    DocumentWriter(store).close()
    asyncio.run(DocumentWriter(store).close_async())

    assert store.calls == ["closed", "closed async"]


def test_closing_leaves_a_store_that_can_not_be_closed_alone():
    DocumentWriter(SyncStore()).close()
    asyncio.run(DocumentWriter(SyncStore()).close_async())


@pytest.mark.parametrize("name", ["NONE", "SKIP", "OVERWRITE", "FAIL"])
def test_the_serialised_form_is_the_reference_s(name):
    expected = ReferenceWriter(SyncStore("s"), policy=ReferencePolicy[name]).to_dict()

    written = DocumentWriter(SyncStore("s"), policy=DuplicatePolicy[name]).to_dict()

    assert written == {**expected, "type": expected["type"].replace("haystack.", "spaniel.", 1)}
    assert written["init_parameters"]["policy"] == name


def test_a_writer_comes_back_with_its_store_and_policy(this_module_allowed):
    written = DocumentWriter(SyncStore("s"), policy=DuplicatePolicy.SKIP).to_dict()
    before = str(written)

    writer = DocumentWriter.from_dict(written)

    assert (writer.document_store.name, writer.policy) == ("s", DuplicatePolicy.SKIP)
    assert str(written) == before


def test_a_writer_without_a_policy_in_its_data_has_none(this_module_allowed):
    written = DocumentWriter(SyncStore()).to_dict()
    del written["init_parameters"]["policy"]

    assert DocumentWriter.from_dict(written).policy is DuplicatePolicy.NONE


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"policy": "skip"}, r"no duplicate policy 'skip'; there are \['NONE', 'SKIP', 'OVERWRITE', 'FAIL'\]"),
        ({"policy": None}, "no duplicate policy None"),
        ({"document_store": {"type": "os.Store", "init_parameters": {}}}, r"document_store.*os\.Store"),
    ],
)
def test_rejects_data_with_unknown_names(changes, message):
    written = DocumentWriter(SyncStore()).to_dict()
    written["init_parameters"] |= changes

    with pytest.raises(DeserializationError, match=message):
        DocumentWriter.from_dict(written)


def test_rejects_data_without_a_store():
    written = DocumentWriter(SyncStore()).to_dict()
    del written["init_parameters"]["document_store"]

    with pytest.raises(DeserializationError, match="document_store"):
        DocumentWriter.from_dict(written)
