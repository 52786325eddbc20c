"""Merge hits into their parents by a rule, then drop documents nested in others."""

from collections.abc import Mapping, Sequence
from typing import Literal

from spaniel.dataclasses import Document
from spaniel.strategies.lengths import Length, estimate_tokens
from spaniel.strategies.merging.ancestry import Ancestry, validate_hierarchy
from spaniel.strategies.merging.hichunk import climb_by_budget
from spaniel.strategies.merging.outcomes import Outcomes, ParentScore
from spaniel.strategies.merging.share import ShareMeasure, ShareRule, climb_by_share
from spaniel.strategies.scores import deduplicate, drop_low_scores, sort_if_scored
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
    record: Recorder | None = None,
) -> StrategyRun[list[Document]]:
    """Return the hits with well-covered parents in place of their children, level by level.

    Fetches the parents of a level in a single request. No text occurs twice: a hit gives way to any
    ancestor in the result. docs/merging.md describes the parameters; 0 is the level of roots.
    """
    validate_hierarchy(hits)
    distinct = deduplicate(hits, record)
    ancestry, outcomes = Ancestry(distinct), Outcomes(score, score_k, record)
    strict = raise_on_missing_parent
    if rule == "share":
        share_rule = ShareRule(threshold, share, min_children, level_thresholds or {})
        kept = yield from climb_by_share(distinct, ancestry, share_rule, outcomes, strict=strict)
    else:
        count = length or estimate_tokens
        kept = yield from climb_by_budget(distinct, ancestry, budget or 0, count, outcomes, strict=strict)
    yield from ancestry.fetch_up_to(kept)
    found = outcomes.drop_nested(deduplicate(kept), ancestry)
    return drop_low_scores(sort_if_scored(found), min_score, record)
