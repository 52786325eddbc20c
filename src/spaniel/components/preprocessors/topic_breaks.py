"""Where the topic of a text changes, by the vectors of its sentences."""

import logging
from collections.abc import Generator, Sequence
from itertools import pairwise
from typing import NamedTuple

from spaniel.components.preprocessors.sentence_tokenizer import SentenceSplitter

logger = logging.getLogger(__name__)

Steps = Generator[list[str], list[list[float]], list[str]]
"""Yields texts, is sent their vectors, returns pieces."""


class Limits(NamedTuple):
    """How a text is cut.

    :param group: sentences that get one vector.
    :param percentile: of the distances between neighbours; the larger ones are breaks.
    :param shortest: characters; a shorter piece is joined to the next one, or the last to the one before.
    :param longest: characters; a longer piece is cut again.
    """

    group: int
    percentile: float
    shortest: int
    longest: int


def topic_pieces(text: str, sentences: SentenceSplitter, limits: Limits) -> Steps:
    """Return the pieces of a text. Joined, they are the text.

    After Greg Kamradt, 5 Levels of Text Splitting (2024).
    """
    pieces = yield from _cut(text, sentences, limits)
    return (yield from _shortened(_joined(pieces, limits), sentences, limits))


def _cut(text: str, sentences: SentenceSplitter, limits: Limits) -> Steps:
    bounds = sentences.bounds(text) or [0, len(text)]
    groups = [text[start:end] for start, end in pairwise([*bounds[: -1 : limits.group], bounds[-1]])]
    vectors = yield groups
    starts = [0, *breaks(vectors, limits.percentile), len(groups)]
    return ["".join(groups[start:end]) for start, end in pairwise(starts)]


def breaks(vectors: Sequence[Sequence[float]], percentile: float) -> list[int]:
    """Return which vectors begin something new: they are farther from the one before than most are.

    :param vectors: of equal length. The distance is 1 - cosine; 1 where a vector is zero.
    :param percentile: 0 to 1.

    >>> breaks([[1, 0], [1, 0], [0, 1], [0, 1]], 0.9)
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


def _joined(pieces: Sequence[str], limits: Limits) -> list[str]:
    joined = [pieces[0]]
    for piece in pieces[1:]:
        if len(joined[-1]) < limits.shortest and len(joined[-1]) + len(piece) < limits.longest:
            joined[-1] += piece
        else:
            joined.append(piece)
    if len(joined) > 1 and len(joined[-1]) < limits.shortest and len(joined[-2]) + len(joined[-1]) < limits.longest:
        joined[-2:] = ["".join(joined[-2:])]
    return joined


def _shortened(pieces: Sequence[str], sentences: SentenceSplitter, limits: Limits) -> Steps:
    short: list[str] = []
    for piece in pieces:
        if len(piece) <= limits.longest:
            short.append(piece)
            continue
        parts = yield from _cut(piece, sentences, limits)
        if len(parts) == 1:
            logger.warning(
                "A piece of %d characters has no break, and stays longer than %d.", len(piece), limits.longest
            )
            short.append(piece)
        else:
            short.extend((yield from _shortened(parts, sentences, limits)))
    return short
