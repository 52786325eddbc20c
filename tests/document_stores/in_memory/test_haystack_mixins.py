"""The test classes that Haystack publishes for the authors of stores, run on ours.

They live in the wheel of haystack-ai. Their source is loaded from there with the imports renamed,
so that the documents, policies and errors they use are Spaniel's.
"""

import importlib.util
import inspect
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from spaniel.document_stores.in_memory import InMemoryDocumentStore


def renamed(name: str) -> ModuleType:
    origin = importlib.util.find_spec(f"haystack.testing.{name}").origin
    source = Path(origin).read_text(encoding="utf-8")
    source = re.sub(r"^from haystack\.(?!lazy_imports|testing)", "from spaniel.", source, flags=re.MULTILINE)
    source = source.replace("from haystack.testing.", f"from {__name__}_")
    module = ModuleType(f"{__name__}_{name}")
    sys.modules[module.__name__] = module
    exec(compile(source, origin, "exec"), module.__dict__)  # noqa: S102 (the tests of the pinned wheel)
    return module


def test_classes(module: ModuleType) -> list[type]:
    return [
        cls
        for cls in vars(module).values()
        if inspect.isclass(cls)
        and cls.__module__ == module.__name__
        and any(name.startswith("test_") for name in vars(cls))
    ]


test_classes.__test__ = False
SYNC, ASYNC = renamed("document_store"), renamed("document_store_async")


class Store:
    """The hooks that the classes require."""

    @pytest.fixture
    def document_store(self):
        return InMemoryDocumentStore()

    def test_write_documents(self, document_store):
        """The default policy differs between stores: here a duplicate is an error."""
        document = SYNC.Document(content="a")
        assert document_store.write_documents([document]) == 1
        with pytest.raises(SYNC.DuplicateDocumentError):
            document_store.write_documents([document])

    async def test_write_documents_async(self, document_store):
        document = SYNC.Document(content="a")
        assert await document_store.write_documents_async([document]) == 1
        with pytest.raises(SYNC.DuplicateDocumentError):
            await document_store.write_documents_async([document])


def on_our_store(base: type) -> type:
    fixture = SYNC.FilterableDocsFixtureMixin
    bases = (Store, base) if issubclass(base, fixture) else (Store, base, fixture)
    # Those that recreate an index skip themselves: this store has none to recreate.
    return type(f"Test{base.__name__}", bases, {name: None for name in dir(base) if "_recreate_" in name})


globals().update({f"Test{base.__name__}": on_our_store(base) for base in (*test_classes(SYNC), *test_classes(ASYNC))})


def test_there_are_many_of_them():
    assert sum(name.startswith("Test") for name in globals()) >= 20
