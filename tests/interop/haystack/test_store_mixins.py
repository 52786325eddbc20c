"""Haystack's own tests of stores, on the stores that run inside a process."""

import pytest

from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.local import LocalDocumentStore
from spaniel.interop.haystack import as_haystack_store
from tests.interop.haystack.mixins import test_classes_over


class Stores:
    @pytest.fixture(params=["memory", "local"])
    def document_store(self, request, tmp_path):
        if request.param == "memory":
            yield as_haystack_store(InMemoryDocumentStore())
            return
        with LocalDocumentStore(tmp_path / "kb") as store:
            yield as_haystack_store(store)


globals().update(test_classes_over(Stores, recreates_index=False))


def test_there_are_many_of_them():
    assert sum(name.startswith("Test") for name in globals()) >= 20
