"""Components that reorder documents."""

from spaniel.components.rankers.lost_in_the_middle import LostInTheMiddleRanker
from spaniel.components.rankers.meta_field import MetaFieldRanker
from spaniel.components.rankers.meta_field_grouping_ranker import MetaFieldGroupingRanker

__all__ = ["LostInTheMiddleRanker", "MetaFieldGroupingRanker", "MetaFieldRanker"]
