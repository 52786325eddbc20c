"""Any sequence of calls leaves the store as plain Python and Haystack's store have it."""

import copy
import math

import haystack
import pytest
from haystack.document_stores.errors import DuplicateDocumentError as HaystackDuplicate
from haystack.document_stores.in_memory import InMemoryDocumentStore as HaystackStore
from haystack.document_stores.types import DuplicatePolicy as HaystackPolicy
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from spaniel import Document
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.errors import DuplicateDocumentError
from spaniel.filters import document_matches_filter

WORDS = ["apple", "pear", "straw", "Apple", "東京"]
IDS = st.sampled_from("abcdef")
KEYS = st.sampled_from(["k", "l"])
SCALARS = st.sampled_from([None, 0, 1, True, 1.5, "x", "y", "2024-05-01"])
ROWS = st.fixed_dictionaries(
    {
        "id": IDS,
        "content": st.none() | st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join),
        "meta": st.dictionaries(KEYS, SCALARS | st.lists(SCALARS, max_size=2), max_size=2),
        "embedding": st.none() | st.lists(st.integers(-2, 2).map(float), min_size=2, max_size=2),
    }
)
BATCHES = st.lists(ROWS, max_size=4)
FILTERS = st.recursive(
    st.one_of(
        st.builds(
            lambda key, operator, value: {"field": f"meta.{key}", "operator": operator, "value": value},
            KEYS,
            st.sampled_from(["==", "!="]),
            SCALARS,
        ),
        st.builds(
            lambda key, values: {"field": f"meta.{key}", "operator": "in", "value": values},
            KEYS,
            st.lists(SCALARS, max_size=2),
        ),
        st.builds(lambda ids: {"field": "id", "operator": "in", "value": ids}, st.lists(IDS, max_size=3)),
    ),
    lambda inner: st.builds(
        lambda operator, conditions: {"operator": operator, "conditions": conditions},
        st.sampled_from(["AND", "OR", "NOT"]),
        st.lists(inner, max_size=2),
    ),
    max_leaves=4,
)


class Stores(RuleBasedStateMachine):
    """Ours, Haystack's, and a dict of the documents in their order."""

    @initialize(
        variant=st.sampled_from(["BM25Okapi", "BM25L", "BM25Plus"]),
        similarity=st.sampled_from(["dot_product", "cosine"]),
    )
    def open(self, variant, similarity):
        options = {"bm25_algorithm": variant, "embedding_similarity_function": similarity}
        self.ours, self.theirs = self.new_store(**options), HaystackStore(**options, shared=False)
        self.model: dict[str, Document] = {}

    def new_store(self, **options):
        return InMemoryDocumentStore(**options)

    @rule(batch=BATCHES, policy=st.sampled_from(["overwrite", "skip"]))
    def write(self, batch, policy):
        ours = self.ours.write_documents([Document(**row) for row in batch], DuplicatePolicy(policy))
        theirs = self.theirs.write_documents(
            [haystack.Document(**copy.deepcopy(row)) for row in batch], HaystackPolicy(policy)
        )
        assert ours == theirs
        for row in batch:
            if policy == "overwrite":
                self.model.pop(row["id"], None)
            self.model.setdefault(row["id"], Document(**copy.deepcopy(row)))

    @rule(batch=BATCHES)
    def write_or_fail(self, batch):
        ids = [row["id"] for row in batch]
        if len({*ids, *self.model}) == len(ids) + len(self.model):
            self.write(batch, "overwrite")
            return
        with pytest.raises(DuplicateDocumentError):
            self.ours.write_documents([Document(**row) for row in batch])
        with pytest.raises(HaystackDuplicate):
            self._fails_in_haystack(batch)

    def _fails_in_haystack(self, batch):
        kept = HaystackStore(shared=False)
        kept.write_documents([haystack.Document(id=id) for id in self.model])
        kept.write_documents([haystack.Document(**row) for row in batch])

    @rule(ids=st.lists(st.sampled_from("abcdefg"), max_size=3))
    def delete(self, ids):
        self.ours.delete_documents(ids)
        self.theirs.delete_documents(ids)
        for id in ids:
            self.model.pop(id, None)

    @rule(filters=FILTERS, meta=st.dictionaries(KEYS, SCALARS | st.lists(SCALARS, max_size=2), max_size=2))
    def update(self, filters, meta):
        found = [document for document in self.model.values() if document_matches_filter(filters, document)]
        assert self.ours.update_by_filter(filters, meta) == len(found)
        assert self.theirs.update_by_filter(filters, copy.deepcopy(meta)) == len(found)
        for document in found:
            document.meta.update(copy.deepcopy(meta))

    @rule(filters=FILTERS)
    def delete_matching(self, filters):
        found = [id for id, document in self.model.items() if document_matches_filter(filters, document)]
        assert self.ours.delete_by_filter(filters) == self.theirs.delete_by_filter(filters) == len(found)
        for id in found:
            del self.model[id]

    @rule()
    def clear(self):
        self.ours.delete_all_documents()
        self.theirs.delete_all_documents()
        self.model.clear()

    @rule(filters=FILTERS)
    def filter(self, filters):
        expected = [document for document in self.model.values() if document_matches_filter(filters, document)]
        assert self.ours.filter_documents(filters) == expected
        assert [document.id for document in self.theirs.filter_documents(filters)] == [each.id for each in expected]
        assert self.ours.count_documents_by_filter(filters) == len(expected)

    @rule(ids=st.lists(IDS, max_size=3))
    def fetch(self, ids):
        assert self.ours.get_documents_by_id(ids) == [each for id, each in self.model.items() if id in ids]

    @rule(key=KEYS, values=st.lists(SCALARS, max_size=2))
    def fetch_by_key(self, key, values):
        conditions = [
            {"field": key, "operator": operator, "value": value}
            for value in values
            for operator in ("==", "contains")
            if not (operator == "contains" and isinstance(value, str))
        ]
        element = [value for value in values if isinstance(value, str)]
        expected = [
            each
            for each in self.model.values()
            if document_matches_filter({"operator": "OR", "conditions": conditions}, each)
            or (isinstance(each.meta.get(key), list) and any(item in element for item in each.meta[key]))
        ]
        assert self.ours.get_documents_by_key(key, values) == expected

    @rule(query=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join), filters=st.none() | FILTERS)
    def search_words(self, query, filters):
        found = self.ours.bm25_retrieval(query, filters=filters, top_k=3)
        terms = set(self.ours.query_terms(query))
        expected = [
            document
            for document in self.theirs.bm25_retrieval(query, filters=filters, top_k=99)
            if terms & set(self.ours.query_terms(document.content or ""))
        ]
        assert_alike(found, expected[:3], expected)

    @rule(query=st.lists(st.integers(-2, 2).map(float), min_size=2, max_size=2), filters=st.none() | FILTERS)
    def search_vectors(self, query, filters):
        found = self.ours.embedding_retrieval(query, filters=filters, top_k=3)
        expected = self.theirs.embedding_retrieval(query, filters=filters, top_k=99)
        assert_alike(found, expected[:3], expected)

    @invariant()
    def holds_the_same_documents(self):
        assert self.ours.filter_documents() == list(self.model.values())
        assert list(self.theirs.storage) == list(self.model)
        assert self.ours.count_documents() == len(self.model)
        texts = [document.content for document in self.model.values() if document.content is not None]
        assert self.ours.search_statistics()["documents"] == len(texts)


def assert_alike(found, expected, everything):
    scores = {document.id: document.score for document in everything}
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        assert math.isclose(ours.score, scores[ours.id], abs_tol=1e-9)
        assert ours.id == theirs.id or math.isclose(scores[ours.id], scores[theirs.id], abs_tol=1e-9)


TestStores = Stores.TestCase
TestStores.settings = settings(max_examples=150, stateful_step_count=25, deadline=None)
