import copy
import pickle

import pytest

from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.local import LocalDocumentStore
from spaniel.document_stores.opensearch import OpenSearchDocumentStore


def open_store(kind, folder):
    if kind is LocalDocumentStore:
        return LocalDocumentStore(folder)
    return kind(index="docs")


@pytest.mark.parametrize("duplicate", [pickle.dumps, copy.copy, copy.deepcopy])
@pytest.mark.parametrize("kind", [InMemoryDocumentStore, LocalDocumentStore, OpenSearchDocumentStore])
def test_rejects_pickling_and_copying(kind, duplicate, tmp_path):
    store = open_store(kind, tmp_path)
    with pytest.raises(TypeError, match=rf"{kind.__name__} can't be pickled or copied.*path or URL.*from_dict"):
        duplicate(store)


def test_a_store_keeps_its_search_scope_under_another_name_than_the_parameter():
    store = InMemoryDocumentStore(search="leaves")
    assert store.search_scope == "leaves"
    assert store.to_dict()["init_parameters"]["search"] == "leaves"
