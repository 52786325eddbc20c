from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel._engine import int8_dots
from spaniel.document_stores.embedded import codes, vectors
from spaniel.document_stores.embedded.vectors import VectorIndex

NUMBERS = st.floats(-2, 2) | st.sampled_from(
    [0.0, -0.0, 1.0, 127.5, 1e-5, 1e99, 1e-99, 1e-101, -1e101, 1e-200, 1e150, 5e-324]
)
SAME_SIZE = st.integers(1, 9).flatmap(
    lambda size: st.lists(st.lists(NUMBERS, min_size=size, max_size=size), min_size=2)
)
NEAR = st.integers(1, 9).flatmap(
    lambda size: st.lists(st.lists(st.sampled_from([0.5, 0.5001, -0.5, 0.0]), min_size=size, max_size=size), min_size=2)
)


def encoded(matrix):
    rows = codes.Codes(np.empty(matrix.shape, np.int8), *(np.empty(len(matrix)) for _ in range(3)))
    codes.encode(matrix, rows)
    return rows


@settings(max_examples=500, deadline=None)
@given(SAME_SIZE | NEAR)
def test_every_product_is_within_its_bounds(numbers):
    query, *rest = numbers
    bounds = codes.product_bounds(encoded(np.array(rest)), np.array(query))
    if bounds is not None:
        for vector, low, high in zip(rest, *bounds, strict=True):
            exact = sum(Fraction(a) * Fraction(b) for a, b in zip(vector, query, strict=True))
            assert low <= exact <= high


@settings(max_examples=500, deadline=None)
@given(
    SAME_SIZE | NEAR,
    st.booleans(),
    st.integers(0, 5),
    st.none() | st.sets(st.integers(0, 12)).map(sorted),
    st.sets(st.integers(0, 6)).map(sorted),
)
def test_a_scan_of_codes_leaves_the_exact_result_as_it_is(numbers, cosine, top_k, allowed, removed):
    query, *rest = map(np.array, numbers)
    index = VectorIndex().changed([], list(enumerate(rest[:-1]))).changed(removed, [(len(rest), rest[-1])])
    found = {}
    with np.errstate(all="ignore"):
        for scanned in (0, 10**9):
            with mock.patch.multiple(vectors, _SCANNED=scanned, _PROMISING=1):
                found[scanned] = index.nearest(query, cosine=cosine, top_k=top_k, allowed=allowed)
    assert repr(found[0]) == repr(found[10**9])


@pytest.mark.parametrize("cosine", [True, False])
def test_a_scan_leaves_few_of_many_vectors(cosine):
    rng = np.random.default_rng(0)
    matrix = rng.standard_normal((5000, 64))
    index = VectorIndex().changed([], list(enumerate(matrix)))
    query = rng.standard_normal(64)
    rows = index._by_size[64]
    left = vectors._promising(rows, np.arange(5000), query, cosine=cosine, top_k=10)
    scores = matrix @ query / (np.linalg.norm(matrix, axis=1) if cosine else 1)
    assert set(np.argsort(-scores)[:10]) <= set(left)
    assert len(left) < 100


@pytest.mark.parametrize(
    ("rows", "query", "message"),
    [
        (np.zeros((2, 3), np.int8), np.zeros(4, np.int16), "no contiguous rows of 4"),
        (np.zeros((0, 3), np.int8), np.zeros(3, np.int16), "no contiguous rows of 3"),
        (np.zeros((2, 3), np.int8), np.zeros(0, np.int16), "no contiguous rows of 0"),
        (np.zeros((3, 2), np.int8).T, np.zeros(3, np.int16), "no contiguous rows of 3"),
        (np.zeros((1, 600), np.int8), np.full(600, 32767, np.int16), "too large"),
    ],
)
def test_the_engine_refuses_what_it_can_not_add_up(rows, query, message):
    with pytest.raises(ValueError, match=message):
        int8_dots(rows, query)
