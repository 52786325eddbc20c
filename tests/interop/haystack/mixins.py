"""The test classes that Haystack publishes for the authors of stores, as they are, over a store of
ours.
"""

import inspect

import pytest
from haystack.dataclasses import Document
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.testing import document_store, document_store_async


def test_classes_over(base: type, *, recreates_index: bool) -> dict[str, type]:
    """Return a test class for each of Haystack's, by name.

    :param base: has the fixture ``document_store``, and overrides the tests that the classes leave
        to each store.
    :param recreates_index: True if the stores can recreate an index; else those tests would be
        skipped.
    """
    return {
        f"Test{cls.__name__}": _over(base, cls, recreates_index)
        for module in (document_store, document_store_async)
        for cls in vars(module).values()
        if inspect.isclass(cls)
        and cls.__module__ == module.__name__
        and any(name.startswith("test_") for name in vars(cls))
    }


test_classes_over.__test__ = False


def _over(base: type, cls: type, recreates_index: bool) -> type:
    documents = document_store.FilterableDocsFixtureMixin
    bases = (base, cls) if issubclass(cls, documents) else (base, cls, documents)
    left_out = () if recreates_index else (name for name in dir(cls) if "_recreate_" in name)
    own = {name: test for name, test in DUPLICATES_FAIL.items() if hasattr(cls, name)}
    return type(f"Test{cls.__name__}", bases, {**own, **dict.fromkeys(left_out)})


def _a_duplicate_fails(self, document_store):
    document = Document(content="a")
    assert document_store.write_documents([document]) == 1
    with pytest.raises(DuplicateDocumentError):
        document_store.write_documents([document])


async def _a_duplicate_fails_async(self, document_store):
    document = Document(content="a")
    assert await document_store.write_documents_async([document]) == 1
    with pytest.raises(DuplicateDocumentError):
        await document_store.write_documents_async([document])


DUPLICATES_FAIL = {"test_write_documents": _a_duplicate_fails, "test_write_documents_async": _a_duplicate_fails_async}
"""Store-specific expectations: the default policy of our stores is that a duplicate is an error."""
