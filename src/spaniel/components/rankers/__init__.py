"""Components that reorder documents."""

from spaniel.components.rankers.embedding_cosine_ranker import EmbeddingCosineRanker
from spaniel.components.rankers.http_ranker import HTTPRanker, RankerInterface
from spaniel.components.rankers.lost_in_the_middle import LostInTheMiddleRanker
from spaniel.components.rankers.meta_field import MetaFieldRanker
from spaniel.components.rankers.meta_field_grouping_ranker import MetaFieldGroupingRanker
from spaniel.components.rankers.mmr_ranker import MMRRanker
from spaniel.components.rankers.sentence_transformers_similarity import SentenceTransformersSimilarityRanker

__all__ = [
    "EmbeddingCosineRanker",
    "HTTPRanker",
    "LostInTheMiddleRanker",
    "MMRRanker",
    "MetaFieldGroupingRanker",
    "MetaFieldRanker",
    "RankerInterface",
    "SentenceTransformersSimilarityRanker",
]
