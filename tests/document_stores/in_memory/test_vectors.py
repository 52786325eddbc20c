import math
import threading
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel._engine import SizesError, SlotSet, VectorIndex

WHOLE = st.integers(-9, 9).map(float)  # their products have no rounding, in any order of summation
ODD = st.floats(-2, 2) | st.sampled_from(
    [0.0, -0.0, 1.0, 127.5, 1e-5, 1e99, 1e-99, 1e-101, -1e101, 1e-200, 1e150, 1e-24, 1e-26, 1e26, 5e-324]
)
NEAR = st.sampled_from([0.5, 0.5001, -0.5, 0.0])


def rows_of(numbers, most=60):
    return st.integers(1, 9).flatmap(
        lambda size: st.lists(st.lists(numbers, min_size=size, max_size=size), min_size=2, max_size=most)
    )


def filled(matrix, *, coded=False, each=10**9):
    index = VectorIndex()
    if coded:
        index.code()
    for start in range(0, len(matrix), each):
        part = matrix[start : start + each]
        index.apply([], index.prepare(range(start, start + len(part)), list(part)))
    return index


def best(scores, top_k, allowed=None):
    order = [int(slot) for slot in np.argsort(-scores, kind="stable") if allowed is None or slot in allowed]
    return [(slot, float(scores[slot])) for slot in order[:top_k]]


def mixture(count, size, *, centres=None, spread=1.0, seed=0):
    rng = np.random.default_rng(seed)
    matrix = spread * rng.standard_normal((count, size))
    if centres:
        matrix += rng.standard_normal((centres, size))[rng.integers(0, centres, count)]
    return (matrix / np.linalg.norm(matrix, axis=1)[:, None]).astype(np.float32).astype(float)


DATA = {
    "random": lambda: mixture(12_000, 96),
    "uniform": lambda: np.random.default_rng(1).random((12_000, 96)),
    "clustered": lambda: mixture(12_000, 96, centres=200, spread=0.4),
    "near duplicates": lambda: mixture(12_000, 96, centres=20, spread=0.01),
    "shifted": lambda: 5 + mixture(12_000, 96),
    "sparse": lambda: (
        np.random.default_rng(2).random((12_000, 96)) * (np.random.default_rng(3).random((12_000, 96)) < 0.05)
    ),
    "lengths": lambda: mixture(12_000, 96) * np.random.default_rng(4).lognormal(0, 2, (12_000, 1)),
}


@settings(max_examples=150, deadline=None)
@given(rows_of(WHOLE, most=200), st.integers(0, 12), st.none() | st.sets(st.integers(0, 200)))
def test_products_of_whole_numbers_are_numpy_s_and_ties_go_by_slot(numbers, top_k, allowed):
    query, *rest = np.array(numbers)
    found = filled(rest).nearest(query, cosine=False, top_k=top_k, allowed=None if allowed is None else list(allowed))
    assert found == best(np.array(rest) @ query, top_k, allowed)


@settings(max_examples=150, deadline=None)
@given(rows_of(ODD) | rows_of(NEAR), st.booleans(), st.integers(1, 3))
def test_bounds_rule_out_nothing_that_is_among_the_best(numbers, cosine, top_k):
    query, *rest = np.array(numbers)
    index = filled(rest)
    everything = index.nearest(query, cosine=cosine, top_k=len(rest))  # multiplies all of them, without bounds
    assert repr(index.nearest(query, cosine=cosine, top_k=top_k)) == repr(everything[:top_k])
    assert [score for _, score in everything] == sorted((score for _, score in everything), reverse=True)


@settings(max_examples=100, deadline=None)
@given(rows_of(ODD))
def test_a_score_is_the_exact_product(numbers):
    query, *rest = np.array(numbers)
    for slot, score in filled(rest).nearest(query, cosine=False, top_k=100):
        parts = [Fraction(float(a)) * Fraction(float(b)) for a, b in zip(rest[slot], query, strict=True)]
        off = abs(Fraction(score) - sum(parts)) if math.isfinite(score) else 0
        assert off <= Fraction(1, 10**14) * sum(map(abs, parts)) + Fraction(1, 10**300)


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("cosine", [True, False])
def test_approximate_search_finds_nearly_all_with_exact_scores(name, cosine):
    matrix = DATA[name]()
    index = filled(matrix, coded=True, each=7001)
    rng = np.random.default_rng(9)
    lengths = np.linalg.norm(matrix, axis=1) if cosine else np.ones(len(matrix))
    lengths[lengths == 0] = 1
    sets = {share: SlotSet(np.flatnonzero(rng.random(len(matrix)) < share).astype(np.uint64)) for share in (0.01, 0.5)}
    for allowed in (None, *sets.values()):
        slots = np.arange(len(matrix)) if allowed is None else allowed.tolist()
        hits = wanted = 0
        for _ in range(10):
            query = matrix[rng.integers(len(matrix))] + 0.3 * np.std(matrix) * rng.standard_normal(96)
            exact = index.nearest(query, cosine=cosine, top_k=10, allowed=allowed)
            scores = matrix @ query / (lengths * (np.linalg.norm(query) if cosine else 1))
            kth = np.sort(scores[slots])[-10]
            assert all(scores[slot] >= kth - 1e-9 for slot, _ in exact)
            found = index.nearest(query, cosine=cosine, top_k=10, allowed=allowed, approximate=True)
            assert len(found) == 10
            assert [score for _, score in found] == pytest.approx(
                scores[[slot for slot, _ in found]], rel=1e-9, abs=1e-12
            )
            assert found == sorted(found, key=lambda hit: (-hit[1], hit[0]))
            assert allowed is None or all(slot in allowed for slot, _ in found)
            hits += len(set(found) & set(exact))
            wanted += 10
        assert hits >= 0.95 * wanted


def test_any_history_finds_the_same_as_a_fresh_index():
    matrix, rng = mixture(24_000, 64, centres=50, spread=0.5), np.random.default_rng(5)
    index, living = VectorIndex(), set()
    for step, start in enumerate(range(0, len(matrix), 1500)):
        slots = np.arange(start, start + 1500)
        removed = [slot for slot in living if rng.random() < 0.3]
        index.apply(removed, index.prepare(slots, list(matrix[slots])))
        index.tidy()
        living = (living - set(removed)) | set(slots.tolist())
        if step == 3:
            index.code()
    kept = np.array(sorted(living))
    fresh = VectorIndex()
    fresh.apply([], fresh.prepare(kept, list(matrix[kept])))
    fresh.code()
    hits = 0
    for row in range(0, 24_000, 800):
        query = matrix[row]
        exact = fresh.nearest(query, cosine=True, top_k=10)
        assert index.nearest(query, cosine=True, top_k=10) == exact
        hits += len(set(exact) & set(index.nearest(query, cosine=True, top_k=10, approximate=True)))
    assert hits >= 0.95 * 300


@pytest.mark.parametrize("size", [1, 3, 63, 64, 65, 200, 4096])
@pytest.mark.parametrize("count", [1, 2, 300, 2600])
def test_any_size_and_number_of_vectors(size, count):
    count = min(count, 300) if size > 1000 else count
    matrix = mixture(count, size, seed=size) * np.linspace(1, 0.9, count)[:, None]
    index = filled(matrix, coded=True, each=97)
    scores = matrix @ matrix[0]
    for approximate in (False, True):
        found = index.nearest(matrix[0], cosine=False, top_k=5, approximate=approximate)
        assert found[0] == (0, pytest.approx(1.0))
        assert approximate or [score for _, score in found] == pytest.approx(np.sort(scores)[::-1][:5])
        assert len(index.nearest(matrix[0], cosine=True, top_k=10**6, approximate=approximate)) == count
        assert index.nearest(matrix[0], cosine=True, top_k=5, allowed=[], approximate=approximate) == []
        assert index.nearest(matrix[0], cosine=True, top_k=0, approximate=approximate) == []


@pytest.mark.parametrize("value", [0.0, 1e-200, 1e-30, 1.0, 1e30, 1e200])
@pytest.mark.parametrize("cosine", [True, False])
def test_many_equal_vectors_tie_in_the_order_of_slots(value, cosine):
    index = filled(np.full((9000, 64), value), coded=True)
    for query in (np.full(64, 1.0), np.full(64, -1e-180), np.zeros(64)):
        for approximate in (False, True):
            found = index.nearest(query, cosine=cosine, top_k=7, approximate=approximate)
            assert [slot for slot, _ in found] == list(range(7))
            assert len({score for _, score in found}) == 1


def test_vectors_of_any_magnitude_stand_side_by_side():
    matrix = mixture(12_000, 64) * 10.0 ** np.random.default_rng(6).integers(-40, 40, (12_000, 1))
    matrix[::7] = 0
    index = filled(matrix, coded=True)
    for row in range(1, 200, 14):
        exact = index.nearest(matrix[row], cosine=True, top_k=3)
        assert exact[0] == (row, pytest.approx(1.0))
        assert index.nearest(matrix[row], cosine=True, top_k=3, approximate=True)[0] == exact[0]


def test_vectors_that_32_bits_hold_and_others_mix():
    index = filled([np.array([0.5, 1.0]), np.array([0.1, 1.0]), np.array([0.25, 1.0])], each=1)
    query = np.array([1.0, 0.0])
    assert index.nearest(query, cosine=False, top_k=3) == [(0, 0.5), (2, 0.25), (1, 0.1)]


def test_only_allowed_vectors_must_have_the_size_of_the_query():
    index = VectorIndex()
    index.apply([], index.prepare([3, 5, 8], [np.ones(2), np.ones(3), np.ones(2)]))
    with pytest.raises(SizesError) as error:
        index.nearest(np.ones(2), cosine=True, top_k=1)
    assert error.value.args[0] == {2: 3, 3: 5}
    assert index.nearest(np.ones(3), cosine=False, top_k=9, allowed=[5, 77]) == [(5, 3.0)]
    with pytest.raises(SizesError) as error:
        index.nearest(np.ones(3), cosine=False, top_k=9, allowed=SlotSet([8]))
    assert error.value.args[0] == {2: 8}


@pytest.mark.parametrize(
    ("slots", "vectors", "message"),
    [
        ([1], [], "1 slots but 0 vectors"),
        ([1], [np.array([math.nan])], "finite"),
        ([1], [np.array([math.inf])], "finite"),
        ([1], [np.empty(0)], "one or more"),
        ([2, 1], [np.ones(1), np.ones(1)], "slot 1 comes after slot 2"),
        ([0], [np.ones(1)], "slot 0 comes after slot 0"),
    ],
)
def test_rejects_non_vectors_and_slots_out_of_order(slots, vectors, message):
    index = filled(np.ones((1, 1)))
    with pytest.raises(ValueError, match=message):
        index.prepare(slots, vectors)
    assert index.nearest(np.ones(1), cosine=False, top_k=9) == [(0, 1.0)]


def test_a_batch_is_added_once_to_the_index_that_prepared_it():
    index = VectorIndex()
    first, second = index.prepare([0], [np.ones(1)]), index.prepare([1], [np.ones(1)])
    index.apply([], first)
    for batch in (first, second):
        with pytest.raises(RuntimeError, match="prepare it again"):
            index.apply([], batch)
    assert index.nearest(np.ones(1), cosine=False, top_k=9) == [(0, 1.0)]


def test_a_search_beside_a_writer_sees_one_state():
    index, size, stop, states = VectorIndex(), 64, threading.Event(), []
    index.code()
    index.apply([], index.prepare(range(3000), list(np.full((3000, size), 1.0))))

    def search():
        while not stop.is_set():
            found = index.nearest(np.ones(size), cosine=False, top_k=9, approximate=True)
            states.append((len(found), *{score for _, score in found}))

    readers = [threading.Thread(target=search) for _ in range(2)]
    for reader in readers:
        reader.start()
    for turn in range(1, 20):  # each write replaces all vectors
        slots = range(3000 * turn, 3000 * (turn + 1))
        batch = index.prepare(slots, list(np.full((3000, size), 1.0 + turn)))
        index.apply(range(3000 * (turn - 1), 3000 * turn), batch)
        index.tidy()
    stop.set()
    for reader in readers:
        reader.join()
    assert states
    assert {len(state) for state in states} == {2}
    assert {state[0] for state in states} == {9}
