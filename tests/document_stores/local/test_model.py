"""Any sequence of calls, with closing and reopening, leaves the store as plain Python and Haystack's store have it."""

import shutil
import tempfile

from hypothesis import settings
from hypothesis.stateful import invariant, rule

from spaniel.document_stores.local import LocalDocumentStore
from tests.document_stores.in_memory.test_model import Stores
from tests.document_stores.local.processes import another_process


class LocalStores(Stores):
    """Beside the store that is written to, one of another process reads."""

    def new_store(self, **options):
        self.folder = tempfile.mkdtemp()
        self.options = options
        store = LocalDocumentStore(self.folder, search="all", **options)
        self.reader = another_process(self.folder, **options)
        return store

    @rule()
    def reopen(self):
        self.ours.close()
        self.ours = LocalDocumentStore(self.folder, **self.options)

    @rule()
    def reopen_the_reader(self):
        self.reader.close()
        self.reader = another_process(self.folder, **self.options)

    @rule()
    def read(self):
        for query in ("apple", "straw pear"):
            found = [(each.id, each.score) for each in self.reader.bm25_retrieval(query)]
            assert found == [(each.id, each.score) for each in self.ours.bm25_retrieval(query)]
        for operator in ("==", "!="):
            filters = {"field": "meta.k", "operator": operator, "value": 1}
            assert self.reader.filter_documents(filters) == self.ours.filter_documents(filters)
        nearest = [each.id for each in self.reader.embedding_retrieval([1.0, 2.0])]
        assert nearest == [each.id for each in self.ours.embedding_retrieval([1.0, 2.0])]

    @invariant()
    def the_reader_sees_every_write(self):
        assert self.reader.filter_documents() == list(self.model.values())

    def teardown(self):
        self.reader.close()
        self.ours.close()
        shutil.rmtree(self.folder)


TestLocalStores = LocalStores.TestCase
TestLocalStores.settings = settings(max_examples=30, stateful_step_count=25, deadline=None)
