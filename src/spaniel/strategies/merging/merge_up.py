"""Auto-merging as a whole: climb by a rule, then see that no text comes twice."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from spaniel.dataclasses import Document
from spaniel.strategies.lengths import estimate_tokens, make_length_function
from spaniel.strategies.merging.ancestry import Ancestry, validate_hierarchy
from spaniel.strategies.merging.hichunk import TokenBudget, climb_by_budget
from spaniel.strategies.merging.outcomes import ParentScoring, drop_nested
from spaniel.strategies.merging.share import Share, climb_by_share
from spaniel.strategies.scores import deduplicate, drop_low_scores, sort_if_scored
from spaniel.strategies.store_requests import StrategyRun
from spaniel.tracing import Recorder

MergeRule = Literal["share", "hichunk"]
"""The condition for a parent to replace its children: the covered share of it, or a budget of tokens."""

RULES: Mapping[str, Callable[..., StrategyRun[list[Document]]]] = {"share": climb_by_share, "hichunk": climb_by_budget}
"""When a parent takes over: by the share of it that was hit, or as long as a budget has room for it."""


def merge_up(
    hits: Sequence[Document],
    *,
    threshold: float = 0.5,
    rule: str = "share",
    share: str = "children",
    min_children: int = 1,
    level_thresholds: Mapping[int, float] | None = None,
    budget: int | None = None,
    tokenizer: Any = None,
    score: str | None = "max",
    score_k: int = 3,
    raise_on_missing_parent: bool = True,
    min_score: float | None = None,
    record: Recorder | None = None,
) -> StrategyRun[list[Document]]:
    """Return the hits, those of a well-covered parent replaced by it, level by level.

    Asks for the parents of a level in one request. No text comes twice: a hit gives way to any ancestor in the result.

    :param hits: chunks with the metadata of a hierarchy (``__parent_id``, ``__level``, ``__block_size``), of any number of
        hierarchies.
    :param threshold: a parent takes over when more than this share of it is hit.
    :param rule: a key of `RULES`; ``hichunk`` needs a `budget` and looks at no threshold.
    :param share: what the share is of, a key of `SHARES`.
    :param min_children: how many children must be hit at least.
    :param level_thresholds: instead of `threshold` for parents at these levels; 0 are the roots.
    :param budget: for ``hichunk``: how many tokens there are for the whole result.
    :param tokenizer: what counts tokens: see `make_length_function`; by default a quarter of the bytes.
    :param score: how a parent's score comes from those that gave way to it: a key of `SCORES`.
    :param score_k: how many scores ``top_k_mean`` looks at.
    :param raise_on_missing_parent: whether a hit whose parent is not in the store is an error; else the hit stays. A
        parent that is missing above a merge only ends the climb.
    :param min_score: what a hit or a parent must score to be returned.
    :raises ValueError: a hit lacks the metadata, its parent is missing, or its parent has no children.
    """
    validate_hierarchy(hits)
    distinct = deduplicate(hits, record)
    ancestry, scoring = Ancestry(distinct), ParentScoring(score, score_k)
    bound = (
        Share(threshold, share, min_children, level_thresholds or {})
        if rule == "share"
        else TokenBudget(budget or 0, make_length_function(tokenizer, estimate_tokens))
    )
    kept = yield from RULES[rule](distinct, ancestry, bound, scoring, strict=raise_on_missing_parent, record=record)
    yield from ancestry.complete(kept)
    found = drop_nested(deduplicate(kept), ancestry, scoring, record)
    return drop_low_scores(sort_if_scored(found), min_score, record)
