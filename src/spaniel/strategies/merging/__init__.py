"""Auto-merging: hits give way to their parent where enough of it was hit. Read `merge_up` first."""

from spaniel.strategies.merging.ancestry import is_node
from spaniel.strategies.merging.merge_up import RULES, merge_up
from spaniel.strategies.merging.outcomes import SCORES
from spaniel.strategies.merging.share import SHARES

__all__ = ["RULES", "SCORES", "SHARES", "is_node", "merge_up"]
