"""The measures of rankings, in the notation of ir-measures: ``nDCG@10``, ``R@100``, ``RR``."""

import ast
from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any

from spaniel.lazy_imports import LazyImport

with LazyImport("Run 'pip install spaniel[eval]'") as ir_measures_import:
    import ir_measures

Judgments = Mapping[str, Mapping[str, int]]
"""By query id, the grade of each judged passage."""
Rankings = Mapping[str, Sequence[str]]
"""By query id, the ids of the passages found, best first."""


def score_rankings(measures: Sequence[str], judgments: Judgments, rankings: Rankings) -> dict[str, dict[str, float]]:
    """Return the score of each judged query, by measure and query id.

    A query without a ranking scores 0. An id that a ranking repeats counts once, at its first rank.

    :param measures: names such as ``nDCG@10``, ``R@100``, ``RR``, ``AP``, ``P@1``, ``Success@5``.
    :raises ValueError: a measure is unknown.
    :raises ImportError: the extra ``eval`` is not installed.

    >>> judgments = {"1": {"apple": 1, "cherry": 1}, "2": {"pear": 1}}
    >>> score_rankings(["RR", "R@2"], judgments, {"1": ["plum", "apple"], "2": ["pear"]})
    {'RR': {'1': 0.5, '2': 1.0}, 'R@2': {'1': 0.5, '2': 1.0}}
    """
    parsed = {name: parse_measure(name) for name in measures}
    runs = {query: _assign_scores(rankings.get(query, ())) for query in judgments}
    scores: dict[str, dict[str, float]] = {name: dict.fromkeys(judgments, 0.0) for name in measures}
    names = {measure: name for name, measure in parsed.items()}
    for metric in ir_measures.iter_calc(
        list(names), {query: dict(grades) for query, grades in judgments.items()}, runs
    ):
        scores[names[metric.measure]][metric.query_id] = metric.value
    return scores


def mean_scores(scores: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return the mean over the queries of each measure.

    >>> mean_scores({"RR": {"1": 0.5, "2": 1.0}})
    {'RR': 0.75}
    """
    return {name: fsum(values.values()) / len(values) if values else 0.0 for name, values in scores.items()}


def parse_measure(name: str) -> Any:
    """Return the measure of ir-measures with this name.

    It is parsed here, since ir-measures 0.4.3 uses a class that Python 3.14 removed.

    :param name: ``MEASURE``, ``MEASURE@cutoff`` or ``MEASURE(key=value, ...)@cutoff``.
    :raises ValueError: there is no such measure, or it does not have this parameter.
    :raises ImportError: the extra ``eval`` is not installed.
    """
    ir_measures_import.check()
    try:
        node, options = ast.parse(name, mode="eval").body, {}
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            options["cutoff"] = ast.literal_eval(node.right)
            node = node.left
        if isinstance(node, ast.Call) and not node.args:
            options |= {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in node.keywords}
            node = node.func
        measure: Any = ir_measures.measures.registry[ast.unparse(node)](**options)
        measure.validate_params()
    except (SyntaxError, ValueError, KeyError, AssertionError) as error:
        raise ValueError(
            f"'{name}' is not a measure of ir-measures ({error}). Pass one such as 'nDCG@10', 'R@100' or 'RR'."
        ) from None
    return measure


def _assign_scores(ranking: Sequence[str]) -> dict[str, float]:
    """Return falling scores, by which pytrec_eval sorts."""
    return {id: float(-rank) for rank, id in reversed(list(enumerate(ranking)))}
