"""Texts with the word statistics of real ones, the same at every run.

Word frequencies fall as 1 / (rank + 2.7) ^ 1.07 (Zipf and Mandelbrot), lengths are log-normal with a mean of about 80 words, and
each text draws a fifth of its words again from itself, as real texts do.
"""

import itertools
import random
from collections.abc import Iterator

_EXPONENT, _SHIFT = 1.07, 2.7
_REPEATED = 0.2


def words(count: int) -> list[str]:
    """Return distinct made-up words, the shorter ones first."""
    syllables = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
    lengths = (itertools.product(syllables, repeat=length) for length in itertools.count(1))
    return ["".join(parts) for parts in itertools.islice(itertools.chain.from_iterable(lengths), count)]


def texts(count: int, *, vocabulary: int = 30_000, seed: int = 7) -> Iterator[str]:
    """Yield texts."""
    rng = random.Random(seed)
    known = words(vocabulary)
    totals = list(itertools.accumulate(1 / (rank + _SHIFT) ** _EXPONENT for rank in range(1, vocabulary + 1)))
    for _ in range(count):
        length = max(5, min(600, round(rng.lognormvariate(4.28, 0.45))))
        drawn = rng.choices(known, cum_weights=totals, k=length)
        for place in range(1, length):
            if rng.random() < _REPEATED:
                drawn[place] = drawn[rng.randrange(place)]
        yield " ".join(drawn)


def queries(documents: list[str], count: int, *, seed: int = 8) -> list[str]:
    """Return queries of 3 to 8 words that stand together in one text."""
    rng = random.Random(seed)
    return [" ".join(rng.sample(rng.choice(documents).split(), 5)[: rng.randint(3, 5)]) for _ in range(count)]
