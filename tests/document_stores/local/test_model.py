"""Any sequence of calls, with closing and reopening, leaves the store as plain Python and
Haystack's store have it.
"""

import contextlib
import copy
import shutil
import tempfile

import haystack
from haystack.document_stores.in_memory import InMemoryDocumentStore as HaystackStore
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from spaniel.document_stores.local import LocalDocumentStore
from tests.document_stores.in_memory.test_model import BATCHES, FILTERS, IDS, KEYS, ROWS, SCALARS, Stores
from tests.document_stores.local.processes import another_process


@st.composite
def make_trees(draw) -> list[dict]:
    """The documents of a tree, parents before their children, most with the joined text of these."""
    ids = draw(st.lists(IDS, min_size=2, max_size=6, unique=True))
    parents = [None, *(draw(st.integers(0, number - 1)) for number in range(1, len(ids)))]
    rows = [draw(ROWS) | {"id": id, "embedding": None} for id in ids]
    common = draw(st.dictionaries(KEYS, SCALARS | st.lists(SCALARS, max_size=2), max_size=2))
    for number in reversed(range(len(ids))):
        children = [child for child in range(number + 1, len(ids)) if parents[child] == number]
        row, parent = rows[number], parents[number]
        if children and draw(st.integers(0, 5)):
            row["content"] = "".join(rows[child]["content"] or "" for child in children)
        row["meta"] = {
            "path": "p",
            **row["meta"],
            **(common if draw(st.booleans()) else {}),
            "__parent_id": None if parent is None else ids[parent],
            "__children_ids": [ids[child] for child in children],
        }
    return rows


CALLS = st.one_of(
    st.tuples(st.just("write_tree"), make_trees(), st.sampled_from(["overwrite", "skip"])),
    st.tuples(st.just("write"), BATCHES, st.sampled_from(["overwrite", "skip"])),
    st.tuples(st.just("write_or_fail"), BATCHES),
    st.tuples(st.just("delete"), st.lists(IDS, max_size=3)),
    st.tuples(st.just("update"), FILTERS, st.dictionaries(KEYS, SCALARS, max_size=2)),
    st.tuples(st.just("delete_matching"), FILTERS),
    st.tuples(st.just("clear")),
    st.tuples(st.just("filter"), FILTERS),
)
GROUPS = st.lists(CALLS | st.tuples(st.lists(CALLS, max_size=3), st.booleans()), max_size=5)


class RollBackError(Exception):
    """Ends a transaction that is to be rolled back."""


class LocalStores(Stores):
    """Beside the store that is written to, one of another process reads."""

    def new_store(self, **options):
        self.folder = tempfile.mkdtemp()
        self.options = options
        store = LocalDocumentStore(self.folder, search="all", **options)
        self.reader = another_process(self.folder, **options)
        return store

    @rule(tree=make_trees(), policy=st.sampled_from(["overwrite", "skip"]))
    def write_tree(self, tree, policy):
        self.write(tree, policy)

    @rule(calls=GROUPS, is_rolled_back=st.booleans())
    def transaction(self, calls, is_rolled_back):
        before, theirs = copy.deepcopy(self.model), self.theirs
        with contextlib.suppress(RollBackError), self.ours.transaction():
            for name, *arguments in calls:
                if isinstance(name, str):
                    getattr(self, name)(*arguments)
                else:
                    self.transaction(name, *arguments)
                assert self.ours.filter_documents() == list(self.model.values())
            if is_rolled_back:
                self.model = before
                self.theirs = HaystackStore(
                    bm25_algorithm=theirs.bm25_algorithm,
                    embedding_similarity_function=theirs.embedding_similarity_function,
                    shared=False,
                )
                kept = [haystack.Document(**each.to_dict(flatten=False)) for each in before.values()]
                self.theirs.write_documents(kept)
                raise RollBackError

    @rule()
    def rebuild(self):
        self.ours.rebuild()

    @rule()
    def compact(self):
        self.ours.compact()

    @invariant()
    def has_no_problems(self):
        assert self.ours.check() == []

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
