"""Algorithms of structured retrieval: programs without I/O, run over a store by `run_stage`."""

from spaniel.strategies.budgeting.context_budget import BudgetOrder, context_budget
from spaniel.strategies.budgeting.units import KIND_UTILITIES, UnitKind
from spaniel.strategies.links.follow_links import follow_links
from spaniel.strategies.links.link import LinkDirection
from spaniel.strategies.links.selection import DEFAULT_SAMPLING, SamplingDimension
from spaniel.strategies.merging.merge_up import MergeRule, merge_up
from spaniel.strategies.merging.outcomes import ParentScore
from spaniel.strategies.merging.share import ShareMeasure
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
from spaniel.strategies.windows.assembly import merge_documents_text
from spaniel.strategies.windows.layout import Place, WindowScope, is_number
from spaniel.strategies.windows.widen import Windows, widen

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
