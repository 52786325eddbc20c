"""Algorithms of structured retrieval: programs without I/O, run over a store by `run_stage`."""

from spaniel.strategies.budgeting.context_budget import context_budget
from spaniel.strategies.links.follow_links import follow_links
from spaniel.strategies.merging.merge_up import merge_up
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
from spaniel.strategies.windows.widen import widen

__all__ = [
    "FetchByFilter",
    "FetchByIds",
    "FetchByKeys",
    "FetchBySearch",
    "FetchInRanges",
    "Strategy",
    "StrategyRun",
    "best_segments",
    "context_budget",
    "fetch_matching",
    "follow_links",
    "merge_up",
    "run_stage",
    "search",
    "search_both",
    "widen",
]
