"""Measures of the answers of a search: rankings, spans of text, contexts within a budget."""

from spaniel.evaluation.budgets import fill_budget, score_within_budgets
from spaniel.evaluation.containment import credit_leaves, find_all, find_contained_leaves
from spaniel.evaluation.judged_set import JudgedSet, Part, read_judged_set
from spaniel.evaluation.rankings import mean_scores, score_rankings
from spaniel.evaluation.significance import Comparison, compare_over_sets, compare_scores, correct_holm
from spaniel.evaluation.spans import Span, SpanScores, count_in_tokens, score_spans, unite_spans

__all__ = [
    "Comparison",
    "JudgedSet",
    "Part",
    "Span",
    "SpanScores",
    "compare_over_sets",
    "compare_scores",
    "correct_holm",
    "count_in_tokens",
    "credit_leaves",
    "fill_budget",
    "find_all",
    "find_contained_leaves",
    "mean_scores",
    "read_judged_set",
    "score_rankings",
    "score_spans",
    "score_within_budgets",
    "unite_spans",
]
