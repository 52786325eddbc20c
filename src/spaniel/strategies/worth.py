"""What hits are worth where their scores are added up."""

import math
from collections.abc import Sequence

from spaniel.dataclasses import Document
from spaniel.strategies.scores import is_nan

_RANK_CONSTANT = 61


def positive_scores(hits: Sequence[Document]) -> list[float]:
    """Return a number above 0 for each hit: its score; if one has none that is finite and above 0, 1 / (61 + rank) for each.

    A hit whose score is NaN ranks after all others.

    >>> positive_scores([Document(id="a", score=3.0), Document(id="b", score=1.0)])
    [3.0, 1.0]
    >>> [round(worth, 4) for worth in positive_scores([Document(id="a", score=-3.0), Document(id="b")])]
    [0.0164, 0.0161]
    """
    scores = [hit.score for hit in hits if hit.score is not None and 0 < hit.score < math.inf]
    if len(scores) == len(hits):
        return scores
    worths = [0.0] * len(hits)
    for rank, at in enumerate(sorted(range(len(hits)), key=lambda at: is_nan(hits[at].score))):
        worths[at] = 1 / (_RANK_CONSTANT + rank)
    return worths
