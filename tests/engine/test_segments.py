"""However an index came about, and whichever way a search takes, the answer is that of scoring
every posting.
"""

import random

import numpy as np
import pytest

from spaniel._engine import KeywordIndex, Selection, SlotSet
from tests.engine import reference

WORDS = [f"w{number}" for number in range(400)]
WEIGHTS = [1 / (rank + 2) for rank in range(400)]
DOCUMENTS = 12_000  # two windows


def texts(count, seed):
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, WEIGHTS, k=rng.randint(0, 30))) for _ in range(count)]


def built(batches, seed=1):
    index, slot = KeywordIndex(), 0
    all_texts = texts(sum(batches), seed)
    for size in batches:
        index.apply([], index.prepare(range(slot, slot + size), all_texts[slot : slot + size]))
        slot += size
    return index


@pytest.fixture(scope="module")
def indexes():
    whole = built([DOCUMENTS])
    pieces = built([5000, 1000, *[100] * 40, *[1] * 20, DOCUMENTS - 10_020])
    removed = [slot for slot in range(DOCUMENTS) if slot % 7 == 3]
    for index in (whole, pieces):
        index.apply(removed[:900])
        index.apply(removed[900:])
    return whole, pieces


def queries(count, seed=5):
    rng = random.Random(seed)
    return [
        " ".join(rng.sample(WORDS, rng.randint(1, 9)) + rng.sample(WORDS[:5], rng.randint(0, 3))) for _ in range(count)
    ]


@pytest.mark.parametrize("variant", reference.VARIANTS)
@pytest.mark.parametrize(
    "parameters", [{}, {"b": 0.0}, {"b": 1.0, "k1": 0.1}, {"k1": 9.0, "delta": 0.0}, {"b": 1.7}, {"k1": -0.5}]
)
def test_the_best_are_the_beginning_of_all(indexes, variant, parameters):
    whole, pieces = indexes
    for query in queries(25):
        options = {"variant": variant, "parameters": parameters}
        everything = whole.search(query, top_k=None, **options)
        for top_k in (1, 10, 300):
            assert whole.search(query, top_k=top_k, **options) == everything[:top_k]
            assert pieces.search(query, top_k=top_k, **options) == everything[:top_k]


@pytest.mark.parametrize("share", [0.001, 0.05, 0.5])
def test_the_best_allowed_are_the_beginning_of_all_allowed(indexes, share):
    mask = np.random.default_rng(3).random(DOCUMENTS) < share
    selection = Selection(np.packbits(mask, bitorder="little").tobytes())
    slots = np.flatnonzero(mask).astype(np.uint64)
    for query in queries(25):
        everything = [hit for hit in indexes[0].search(query, variant="BM25L", top_k=None) if mask[hit[0]]]
        for index in indexes:
            for allowed in (selection, slots):
                assert index.search(query, variant="BM25L", top_k=10, allowed=allowed) == everything[:10]


def test_a_lowest_score_leaves_the_beginning_of_all(indexes):
    for query in queries(25):
        everything = indexes[0].search(query, variant="BM25Plus", top_k=None)
        score = everything[len(everything) // 3][1]
        expected = [hit for hit in everything if hit[1] >= score][:10]
        for index in indexes:
            assert index.search(query, variant="BM25Plus", top_k=10, min_score=score) == expected


def test_many_ties_come_in_the_order_of_slots():
    index = KeywordIndex()
    index.apply([], index.prepare(range(30_000), ["same words here"] * 30_000))

    assert [slot for slot, _ in index.search("words same", variant="BM25L", top_k=20)] == list(range(20))


def test_documents_of_more_lengths_than_codes_are_all_found():
    index = KeywordIndex()
    splits = [(few, length - few) for length in range(1, 371) for few in range(length // 2 + 1)]
    tokens = [["a"] * few + ["b"] * many for few, many in splits]
    index.apply([], index.prepare(range(len(tokens)), tokens))
    everything = index.search(["a", "b"], variant="BM25L", top_k=None)

    assert len({(frequency, few + many) for few, many in splits for frequency in (few, many) if frequency}) > 2**16
    assert len(everything) == len(tokens)
    assert index.search(["a", "b"], variant="BM25L", top_k=50) == everything[:50]


def test_a_query_of_ten_thousand_words_is_answered(indexes):
    query = " ".join([*WORDS, *(f"unknown{number}" for number in range(10_000))])
    everything = indexes[0].search(query, variant="BM25Okapi", top_k=None)

    assert indexes[0].search(query, variant="BM25Okapi", top_k=10) == everything[:10]


def test_an_index_whose_documents_are_all_removed_is_empty(indexes):
    index = built([3000, 10, 5])
    index.apply(range(3015))
    index.apply([], index.prepare([9000], ["w1"]))

    assert index.statistics() == {"documents": 1, "tokens": 1, "vocabulary": 1}
    assert [slot for slot, _ in index.search("w1 w2", variant="BM25L", top_k=10)] == [9000]


def test_top_k_may_exceed_the_store(indexes):
    assert len(built([20]).search("w0 w1", variant="BM25L", top_k=2**40)) <= 20


def test_a_document_of_a_million_words_is_one_of_the_others():
    index = KeywordIndex()
    long = " ".join(f"w{number % 70_001}" for number in range(1_000_000))
    index.apply([], index.prepare([0, 1, 2], [long, "w1 w2", "w1"]))
    index.apply([1])

    assert {slot for slot, _ in index.search("w1 w5", variant="BM25L", top_k=10)} == {0, 2}
    index.apply([0])
    assert index.statistics() == {"documents": 1, "tokens": 1, "vocabulary": 1}


def test_a_set_of_slots_restricts_as_a_list_of_them_does(indexes):
    chosen = sorted(random.Random(4).sample(range(DOCUMENTS + 100), 3000))
    for index in indexes:
        for query in ("w0 w3 w40", "w1 w200 w7 w90"):
            listed = index.search(query, variant="BM25L", top_k=20, allowed=chosen)
            assert index.search(query, variant="BM25L", top_k=20, allowed=SlotSet(chosen)) == listed
            assert len(listed) == 20


def test_tidy_skips_merges_above_its_limit():
    index = KeywordIndex()
    for start in range(0, 400, 100):
        batch = index.prepare(range(start, start + 100), texts(100, start))
        index.apply([], batch, tidy=False)
    before = index.search("w0 w3", variant="BM25L", top_k=10)
    assert index.tidy(399)
    assert not index.tidy(400)
    assert not index.tidy(0)
    assert index.search("w0 w3", variant="BM25L", top_k=10) == before
