"""Auto-merging: a parent replaces its hit children. The entry point is `merge_up`."""

from spaniel.strategies.merging.ancestry import is_node
from spaniel.strategies.merging.merge_up import MergeRule, merge_up
from spaniel.strategies.merging.outcomes import ParentScore
from spaniel.strategies.merging.share import ShareMeasure

__all__ = ["MergeRule", "ParentScore", "ShareMeasure", "is_node", "merge_up"]
