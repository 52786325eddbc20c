"""Measures of the answers of a search: rankings, spans of text, contexts within a budget."""

from spaniel.evaluation.judged_set import JudgedSet, Part, read_judged_set
from spaniel.evaluation.rankings import mean_scores, score_rankings

__all__ = [
    "JudgedSet",
    "Part",
    "mean_scores",
    "read_judged_set",
    "score_rankings",
]
