"""Merge hits into their parents by a rule, then drop documents nested in others."""

from collections.abc import Mapping, Sequence
from typing import Literal

from spaniel.dataclasses import Document
from spaniel.filters import parse_filter
from spaniel.json_types import Filters
from spaniel.strategies.lengths import Length, estimate_tokens
from spaniel.strategies.merging.ancestry import Ancestry, validate_hierarchy
from spaniel.strategies.merging.hichunk import climb_by_budget
from spaniel.strategies.merging.outcomes import Outcomes, ParentScore
from spaniel.strategies.merging.share import ParentLimits, ShareMeasure, ShareRule, climb_by_share
from spaniel.strategies.scores import deduplicate, drop_low_scores, find_highest_score, sort_if_scored
from spaniel.strategies.store_requests import StrategyRun
from spaniel.tracing import Recorder

MergeRule = Literal["share", "hichunk"]
"""The condition for a parent to replace its children: its covered share, or a token budget."""


def merge_up(
    hits: Sequence[Document],
    *,
    threshold: float = 0.5,
    rule: MergeRule = "share",
    share: ShareMeasure = "children",
    min_children: int = 1,
    level_thresholds: Mapping[int, float] | None = None,
    budget: int | None = None,
    length: Length | None = None,
    score: ParentScore | None = "max",
    score_k: int = 3,
    raise_on_missing_parent: bool = True,
    min_score: float | None = None,
    min_relative_score: float | None = None,
    max_tokens: float | None = None,
    max_root_tokens: float | None = None,
    filters: Filters | None = None,
    record: Recorder | None = None,
) -> StrategyRun[list[Document]]:
    """Return the hits with well-covered parents in place of their children, level by level.

    Fetches the parents of a level in a single request. No text occurs twice: a hit gives way to any
    ancestor in the result. docs/merging.md describes the parameters; 0 is the level of roots.

    With the rule ``share``, hits below `min_relative_score` times the best score do not count, and
    a parent must match `filters` and have at most `max_tokens`, a root `max_root_tokens`.
    """
    validate_hierarchy(hits)
    distinct = deduplicate(hits, record)
    ancestry, outcomes = Ancestry(distinct), Outcomes(score, score_k, record)
    strict = raise_on_missing_parent
    if rule == "share":
        limits = None
        if any(limit is not None for limit in (min_relative_score, max_tokens, max_root_tokens, filters)):
            best = find_highest_score(distinct)
            low = None if min_relative_score is None or best is None else min_relative_score * best
            condition = parse_filter(filters) if filters else None
            limits = ParentLimits(distinct, low, max_tokens, max_root_tokens, length or estimate_tokens, condition)
        share_rule = ShareRule(threshold, share, min_children, level_thresholds or {}, limits)
        kept = yield from climb_by_share(distinct, ancestry, share_rule, outcomes, strict=strict)
    else:
        count = length or estimate_tokens
        kept = yield from climb_by_budget(distinct, ancestry, budget or 0, count, outcomes, strict=strict)
    yield from ancestry.fetch_up_to(kept)
    found = outcomes.drop_nested(deduplicate(kept), ancestry)
    return drop_low_scores(sort_if_scored(found), min_score, record)
