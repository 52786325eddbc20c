"""Ranked results: equal if ids and scores are, and order is up to differences that are too small to matter."""

from collections.abc import Iterable, Sequence
from typing import Any

from spaniel.parity.area import TOLERANCE

Ranking = list[tuple[str, float]]


def ranking(documents: Iterable[Any]) -> Ranking:
    """Return ids and scores, best first; where scores are equal but for rounding, by id.

    Documents of one and the same score are left in their order: it is by rule, and is compared.
    """
    pairs = [(document.id, float(document.score)) for document in documents]
    return [pair for group in _groups(pairs) for pair in (group if _is_tied(group) else sorted(group))]


def without_ties(pairs: Ranking) -> Ranking:
    """Return a ranking in which documents of one score are by id, too: for scores that are computed in another way."""
    return [pair for group in _groups(pairs) for pair in sorted((id, group[0][1]) for id, _ in group)]


def _groups(pairs: Sequence[tuple[str, float]]) -> list[Ranking]:
    groups: list[Ranking] = []
    for pair in pairs:
        if groups and abs(groups[-1][-1][1] - pair[1]) < TOLERANCE:
            groups[-1].append(pair)
        else:
            groups.append([pair])
    return groups


def _is_tied(group: Ranking) -> bool:
    return len({score for _, score in group}) == 1
