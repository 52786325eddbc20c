"""Algorithms of structured retrieval: programs without I/O, run over a store by `run_stage`."""

from spaniel.strategies.budgeting import KIND_UTILITIES, BudgetOrder, UnitKind, context_budget
from spaniel.strategies.links import DEFAULT_SAMPLING, LinkDirection, SamplingDimension, follow_links
from spaniel.strategies.merging import MergeRule, ParentScore, ShareMeasure, merge_up
from spaniel.strategies.search import fetch_matching, search, search_both
from spaniel.strategies.segments import best_segments
from spaniel.strategies.stages import run_stage
from spaniel.strategies.store_requests import (
    FetchByFilter,
    FetchByIds,
    FetchByKeys,
    FetchBySearch,
    FetchInRanges,
    Strategy,
    StrategyRun,
)
from spaniel.strategies.structured_retrieval import SearchMode
from spaniel.strategies.windows import Place, Windows, WindowScope, is_number, merge_documents_text, widen

__all__ = [
    "DEFAULT_SAMPLING",
    "KIND_UTILITIES",
    "BudgetOrder",
    "FetchByFilter",
    "FetchByIds",
    "FetchByKeys",
    "FetchBySearch",
    "FetchInRanges",
    "LinkDirection",
    "MergeRule",
    "ParentScore",
    "Place",
    "SamplingDimension",
    "SearchMode",
    "ShareMeasure",
    "Strategy",
    "StrategyRun",
    "UnitKind",
    "WindowScope",
    "Windows",
    "best_segments",
    "context_budget",
    "fetch_matching",
    "follow_links",
    "is_number",
    "merge_documents_text",
    "merge_up",
    "run_stage",
    "search",
    "search_both",
    "widen",
]
