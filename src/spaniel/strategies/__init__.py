"""Algorithms of structured retrieval, as programs without I/O.

`run_stage` runs one over a document store. Merging, windows, links and budgets are packages.
"""

from spaniel.strategies.budgeting import KIND_UTILITIES, BudgetOrder, UnitKind, context_budget
from spaniel.strategies.budgeting import ORDERS as BUDGET_ORDERS
from spaniel.strategies.links import DEFAULT_SAMPLING, DIRECTIONS, LinkDirection, SamplingDimension, follow_links
from spaniel.strategies.merging import RULES as MERGE_RULES
from spaniel.strategies.merging import SCORES as MERGED_SCORES
from spaniel.strategies.merging import SHARES as MERGE_SHARES
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
from spaniel.strategies.windows import LAYOUTS as WINDOW_LAYOUTS
from spaniel.strategies.windows import Place, Windows, WindowScope, is_number, merge_documents_text, widen

__all__ = [
    "BUDGET_ORDERS",
    "DEFAULT_SAMPLING",
    "DIRECTIONS",
    "KIND_UTILITIES",
    "MERGED_SCORES",
    "MERGE_RULES",
    "MERGE_SHARES",
    "WINDOW_LAYOUTS",
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
