"""Auto-merging: hits give way to their parent where enough of it was hit. Read `merge_up` first."""

from spaniel.strategies.merging.ancestry import is_node
from spaniel.strategies.merging.merge_up import RULES, MergeRule, merge_up
from spaniel.strategies.merging.outcomes import SCORES, ParentScore
from spaniel.strategies.merging.share import SHARES, ShareMeasure

__all__ = ["RULES", "SCORES", "SHARES", "MergeRule", "ParentScore", "ShareMeasure", "is_node", "merge_up"]
