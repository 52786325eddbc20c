"""Topic breaks of a text, by the vectors of its sentences."""

import logging
from collections.abc import Generator, Sequence
from itertools import pairwise
from typing import NamedTuple

from spaniel.components.preprocessors.sentence_tokenizer import SentenceSplitter

logger = logging.getLogger(__name__)

TopicSplit = Generator[list[str], list[list[float]], list[str]]
"""Yields texts, is sent their vectors, returns pieces."""


class TopicLimits(NamedTuple):
    """Sentences embedded together, the percentile of breaks (0 to 1), and lengths in characters."""

    group: int
    percentile: float
    min_length: int
    max_length: int


def split_topics(text: str, sentences: SentenceSplitter, limits: TopicLimits) -> TopicSplit:
    """Return the pieces of a text, after Kamradt, 5 Levels of Text Splitting (2024)."""
    pieces = yield from _cut(text, sentences, limits)
    return (yield from _shorten(_join(pieces, limits), sentences, limits))


def _cut(text: str, sentences: SentenceSplitter, limits: TopicLimits) -> TopicSplit:
    bounds = sentences.bounds(text) or [0, len(text)]
    groups = [text[start:end] for start, end in pairwise([*bounds[: -1 : limits.group], bounds[-1]])]
    vectors = yield groups
    starts = [0, *find_breaks(vectors, limits.percentile), len(groups)]
    return ["".join(groups[start:end]) for start, end in pairwise(starts)]


def find_breaks(vectors: Sequence[Sequence[float]], percentile: float) -> list[int]:
    """Return the indexes of vectors at a cosine distance above the percentile (0 to 1).

    >>> find_breaks([[1, 0], [1, 0], [0, 1], [0, 1]], 0.9)
    [2]
    """
    import numpy as np

    if len(vectors) < 2:
        return []
    rows = [np.array(vector) for vector in vectors]
    norms = [float(np.linalg.norm(row)) for row in rows]
    distances = [
        1.0 - float(np.dot(rows[at], rows[at + 1]) / (norms[at] * norms[at + 1]))
        if norms[at] and norms[at + 1]
        else 1.0
        for at in range(len(rows) - 1)
    ]
    threshold = np.percentile(distances, percentile * 100)
    return [at + 1 for at, distance in enumerate(distances) if distance > threshold]


def _join(pieces: Sequence[str], limits: TopicLimits) -> list[str]:
    joined = [pieces[0]]
    for piece in pieces[1:]:
        if len(joined[-1]) < limits.min_length and len(joined[-1]) + len(piece) < limits.max_length:
            joined[-1] += piece
        else:
            joined.append(piece)
    if (
        len(joined) > 1
        and len(joined[-1]) < limits.min_length
        and len(joined[-2]) + len(joined[-1]) < limits.max_length
    ):
        joined[-2:] = ["".join(joined[-2:])]
    return joined


def _shorten(pieces: Sequence[str], sentences: SentenceSplitter, limits: TopicLimits) -> TopicSplit:
    short: list[str] = []
    for piece in pieces:
        if len(piece) <= limits.max_length:
            short.append(piece)
            continue
        parts = yield from _cut(piece, sentences, limits)
        if len(parts) == 1:
            logger.warning(
                "A piece of %d characters has no break, and stays longer than %d.", len(piece), limits.max_length
            )
            short.append(piece)
        else:
            short.extend((yield from _shorten(parts, sentences, limits)))
    return short
