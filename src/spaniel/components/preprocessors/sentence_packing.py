"""Runs of whole sentences with at most so many words."""

from collections.abc import Sequence
from itertools import pairwise


def packed_sentences(text: str, bounds: Sequence[int], *, length: int, overlap: int) -> list[tuple[int, int]]:
    """Return runs of sentences that cover a text. Each is as long as fits; a sentence that is too long stands alone.

    :param bounds: where the sentences begin, and after them the length of the text.
    :param length: words a run, divided by any white space.
    :param overlap: a run begins with the last sentences of the one before, until these have more words than this.

    >>> packed_sentences("A b. C d. E f.", [0, 5, 10, 14], length=4, overlap=0)
    [(0, 10), (10, 14)]
    """
    words = [len(text[start:end].split()) for start, end in pairwise(bounds)]
    runs: list[tuple[int, int]] = []
    first = held = 0
    for sentence, count in enumerate(words):
        held += count
        last = sentence + 1 == len(words)
        if last or held + words[sentence + 1] > length:
            runs.append((bounds[first], bounds[sentence + 1]))
            first = sentence + 1 - _shared(words, first, sentence, length, overlap)
            held = sum(words[first : sentence + 1])
    return runs


def _shared(words: Sequence[int], first: int, last: int, length: int, overlap: int) -> int:
    """Return how many of the sentences `first` to `last` the next run shares: never the first, so that it moves on."""
    shared = held = 0
    while overlap and last - shared > first and held <= overlap:
        held += words[last - shared]
        if held > length:
            break
        shared += 1
    return shared
