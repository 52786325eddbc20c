"""What hits are worth where their scores are added up."""

from collections.abc import Sequence

from spaniel.dataclasses import Document

_RANK_CONSTANT = 61


def positive_scores(hits: Sequence[Document]) -> list[float]:
    """Return a number above 0 for each hit: its score; if one has none, or none above 0, 1 / (61 + rank) for each.

    >>> positive_scores([Document(id="a", score=3.0), Document(id="b", score=1.0)])
    [3.0, 1.0]
    >>> [round(worth, 4) for worth in positive_scores([Document(id="a", score=-3.0), Document(id="b")])]
    [0.0164, 0.0161]
    """
    scores = [hit.score for hit in hits if hit.score is not None and hit.score > 0]
    return scores if len(scores) == len(hits) else [1 / (_RANK_CONSTANT + rank) for rank in range(len(hits))]
