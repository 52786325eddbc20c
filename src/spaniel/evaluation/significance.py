"""Tests of a difference between two searches on the same queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

ROUNDS = 10_000
"""Random sign flips of a test, and resamples of an interval."""
CONFIDENCE = 0.9
_MAX_EXACT = 13  # differences above 0 whose sign flips are all tried: fewer than ROUNDS
_CHUNK = 1000
_SEED = 16
Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Comparison:
    """The difference of two searches.

    :param difference: the mean score of the first less that of the second.
    :param p: the probability of a difference at least as large, of either sign, if the searches
        were equally good.
    :param low: the lower end of the 90 % interval of the difference.
    :param high: its upper end.
    """

    difference: float
    p: float
    low: float
    high: float


def compare_scores(ours: Mapping[str, float], theirs: Mapping[str, float]) -> Comparison:
    """Return the difference of two searches on a set, with a paired permutation test.

    :param ours: the score of each query, by its id.
    :param theirs: of the same queries.
    :raises ValueError: the queries differ, or there are none.

    >>> compare_scores({"1": 1.0, "2": 1.0, "3": 0.5}, {"1": 0.5, "2": 0.5, "3": 0.5}).p
    0.5
    """
    return compare_over_sets([(ours, theirs)])


def compare_over_sets(pairs: Sequence[tuple[Mapping[str, float], Mapping[str, float]]]) -> Comparison:
    """Return the difference of two searches over several sets, each set with the same weight.

    The test is stratified: the difference of each query changes its sign at random, within its set
    (Smucker, Allan and Carterette, 2007: a randomization test, two-sided). All flips are tried if
    there are few, else 10,000 with a fixed seed; the observed one counts among them. The interval
    is that of the bootstrap, by percentiles.

    :param pairs: for each set, the scores of both searches by query id.
    :raises ValueError: the queries of a pair differ, or there are none.

    >>> compare_over_sets([({"1": 1.0}, {"1": 0.0}), ({"2": 0.0}, {"2": 0.5})]).difference
    0.25
    """
    sets = [_subtract(ours, theirs) for ours, theirs in pairs]
    if not sets:
        raise ValueError("There is nothing to compare: pairs is empty.")
    observed = float(np.mean([differences.mean() for differences in sets]))
    shares = np.concatenate([differences / (len(differences) * len(sets)) for differences in sets])
    low, high = _estimate_interval(sets)
    return Comparison(observed, _compute_p(shares[shares != 0]), low, high)


def correct_holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values of several tests, corrected by the method of Holm (1979), in their order.

    >>> correct_holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    corrected, highest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, p_values[place] * (len(p_values) - rank)))
        corrected[place] = highest
    return corrected


def _subtract(ours: Mapping[str, float], theirs: Mapping[str, float]) -> Vector:
    if not ours or ours.keys() != theirs.keys():
        raise ValueError(
            f"Paired scores need the same queries: {len(ours)} and {len(theirs)} were given, "
            f"{len(ours.keys() & theirs.keys())} of them in both."
        )
    return np.array([ours[query] - theirs[query] for query in ours], dtype=np.float64)


def _compute_p(shares: Vector) -> float:
    """Return the share of sign flips whose sum is at least as far from 0 as the observed one."""
    limit = abs(float(shares.sum())) * (1 - 1e-9)
    if len(shares) <= _MAX_EXACT:
        signs = np.array([*product((-1.0, 1.0), repeat=len(shares))], dtype=np.float64)
        return float(np.mean(np.abs(signs @ shares) >= limit))
    random = np.random.default_rng(_SEED)
    far = 0
    for _ in range(ROUNDS // _CHUNK):
        flips = random.integers(0, 2, (_CHUNK, len(shares)), dtype=np.int8)
        far += int(np.count_nonzero(np.abs((flips * 2.0 - 1.0) @ shares) >= limit))
    return (far + 1) / (ROUNDS + 1)


def _estimate_interval(sets: Sequence[Vector]) -> tuple[float, float]:
    random = np.random.default_rng(_SEED)
    means = np.zeros(ROUNDS)
    for differences in sets:
        for start in range(0, ROUNDS, _CHUNK):
            drawn = random.integers(0, len(differences), (_CHUNK, len(differences)), dtype=np.int32)
            means[start : start + _CHUNK] += differences[drawn].mean(axis=1) / len(sets)
    low, high = np.quantile(means, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)
