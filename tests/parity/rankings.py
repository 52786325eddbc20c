"""Two stores with the same documents, Haystack's and ours, and whether they rank alike.

Haystack scores all documents for every query. A score is a sum over the query's words, so its
scorer is asked for one word at a time, of the documents that hold it; words that share no document
are asked for together. A test checks this detour.
"""

import math
import unicodedata
from functools import cached_property

import haystack
from haystack.document_stores.in_memory import InMemoryDocumentStore as HaystackStore
from haystack.document_stores.types import DuplicatePolicy as HaystackPolicy
from haystack.utils import expit

from spaniel import Document
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.types import DuplicatePolicy

VARIANTS = ["BM25Okapi", "BM25L", "BM25Plus"]
TOLERANCE = 1e-9


def folded(text):
    """The text as both sides see it: words that only one of them folds would count in the
    statistics.
    """
    return unicodedata.normalize("NFC", text.casefold())


class Pair:
    """The same documents in both stores, given as (id, text, meta). Each state of theirs has a
    name.
    """

    def __init__(self, name, rows):
        self.name = name
        self._added = {}
        HaystackStore(index=name).delete_all_documents()
        self.write(rows)

    def haystack(self, variant="BM25L", parameters=None):
        return HaystackStore(index=self.name, bm25_algorithm=variant, bm25_parameters=parameters)

    @cached_property
    def _first(self):
        return InMemoryDocumentStore(index=self.name)

    def spaniel(self, variant="BM25L", parameters=None):
        assert self._first
        return InMemoryDocumentStore(index=self.name, bm25_algorithm=variant, bm25_parameters=parameters)

    def write(self, rows):
        self._added.clear()
        rows = [{"id": id, "content": folded(text), "meta": meta} for id, text, meta in rows]
        self.haystack().write_documents([haystack.Document(**row) for row in rows], policy=HaystackPolicy.OVERWRITE)
        self.spaniel().write_documents([Document(**row) for row in rows], policy=DuplicatePolicy.OVERWRITE)

    def delete(self, ids):
        self._added.clear()
        self.haystack().delete_documents(ids)
        self.spaniel().delete_documents(ids)

    def scores(self, queries, variant, parameters=None):
        """For each query {id: score} of the documents that share a word with it, by Haystack's
        scorer.
        """
        store = self.haystack(variant, parameters)
        queries = [list(dict.fromkeys(store._tokenize_bm25(folded(query)))) for query in queries]
        added = self._added.setdefault((variant, str(parameters)), {})
        holders = self._holders({word for query in queries for word in query} - added.keys())
        for words in _sharing_no_document(holders):
            documents = [store.storage[id] for word in words for id in holders[word]]
            scored = {document.id: score for document, score in store.bm25_algorithm_inst(" ".join(words), documents)}
            added.update({word: {id: scored[id] for id in holders[word]} for word in words})
        return [_sums([added[word] for word in query]) for query in queries]

    def _holders(self, words):
        holders = {word: set() for word in words}
        for id, statistics in self.haystack()._bm25_attr.items():
            for word in holders.keys() & statistics.freq_token.keys():
                holders[word].add(id)
        return holders


def _sharing_no_document(holders):
    groups = []
    for word in sorted(holders, key=lambda word: (-len(holders[word]), word)):
        group = next((group for group in groups if group[1].isdisjoint(holders[word])), None)
        if group:
            group[0].append(word)
            group[1].update(holders[word])
        else:
            groups.append(([word], set(holders[word])))
    return [words for words, _ in groups]


def _sums(parts):
    total = {}
    for part in parts:  # in the order of the query's words, as Haystack adds them
        for id, score in part.items():
            total[id] = total.get(id, 0.0) + score
    return total


def assert_alike(found, expected, order, top_k, scaled=False):
    """That documents are the best `top_k` of {id: score}, ties in the order of writing, to within
    1e-9.

    :param order: the place of each id in the order of writing.
    """
    if scaled:
        expected = {id: float(expit(score / 8)) for id, score in expected.items()}
    ids, scores = [document.id for document in found], [document.score for document in found]
    assert len(ids) == len(set(ids)) == min(top_k, len(expected))
    assert all(type(score) is float for score in scores)
    assert all(
        math.isclose(score, expected[id], rel_tol=0, abs_tol=TOLERANCE) for id, score in zip(ids, scores, strict=True)
    )
    ranked = sorted(expected, key=lambda each: (-expected[each], order[each]))[: len(ids)]
    for ours, theirs in zip(ids, ranked, strict=True):
        assert ours == theirs or abs(expected[ours] - expected[theirs]) < TOLERANCE


def order_of(store):
    return {document.id: place for place, document in enumerate(store.filter_documents())}
