"""Rankings that compare equal in spite of rounding errors."""

from collections.abc import Iterable, Sequence
from typing import Any

from spaniel.parity.area import TOLERANCE, same

Ranking = list[tuple[str, float]]


def ranking(documents: Iterable[Any]) -> Ranking:
    """Return ids and scores, best first; scores that differ by rounding only are sorted by id.

    Documents of exactly equal scores keep their order, which is compared.
    """
    pairs = [(document.id, float(document.score)) for document in documents]
    return [pair for group in _groups(pairs) for pair in (group if _is_tied(group) else sorted(group))]


def are_best_of(found: Ranking, every: Ranking, top_k: int) -> bool:
    """Return if a ranking has the best of another, up to rounding errors."""
    scores = dict(every)
    best = [score for _, score in every][:top_k]
    return same([score for _, score in found], best) and all(same(score, scores.get(id)) for id, score in found)


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
