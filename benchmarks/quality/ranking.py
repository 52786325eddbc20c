"""Scores of a search on a judged set: of ours, or of any function from a query to ranked ids."""

from collections.abc import Callable, Mapping, Sequence

from benchmarks.quality.ours import Options, indexed, rank_passages
from spaniel.evaluation import JudgedSet, score_rankings

MEASURES = ("nDCG@10", "R@100", "RR@10")
SHALLOW, DEEP = 10, 100
Scores = dict[str, dict[str, float]]
"""By measure or set, the score of each query by its id."""


def score_search(
    judged: JudgedSet, search: Callable[[str], Sequence[str]], measures: Sequence[str] = MEASURES
) -> Scores:
    """Return the scores of a search.

    :param search: returns the ids of passages for a query, best first.
    """
    rankings = {id: search(text) for id, text in judged.queries.items()}
    return score_rankings(measures, judged.judgments, rankings)


def score_ours(
    judged: JudgedSet,
    measures: Sequence[str] = MEASURES,
    search_options: Options | None = None,
    open_options: Options | None = None,
) -> Scores:
    """Return the scores of the knowledge base's search.

    A measure with a cutoff up to 10 is of a search for ten passages, as the default is; another
    one of a search for a hundred.
    """
    options = dict(search_options or {})
    scores: Scores = {}
    with indexed(judged, open_options) as kb:
        for top_k, chosen in _by_depth(measures).items():
            depth = {"top_k": top_k} | options
            scores |= score_search(judged, lambda query: rank_passages(kb.search(query, **depth)), chosen)  # noqa: B023 (called at once)
    return {name: scores[name] for name in measures}


def _by_depth(measures: Sequence[str]) -> Mapping[int, list[str]]:
    depths: dict[int, list[str]] = {}
    for name in measures:
        cutoff = name.rpartition("@")[2]
        depths.setdefault(SHALLOW if cutoff.isdigit() and int(cutoff) <= SHALLOW else DEEP, []).append(name)
    return depths
