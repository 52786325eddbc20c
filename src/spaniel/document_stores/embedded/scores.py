"""Raw scores as numbers between 0 and 1, by Haystack's formulas."""

import math
from collections.abc import Callable, Mapping

Scale = Callable[[float], float]


def expit(value: float) -> float:
    """Return 1 / (1 + exp(-value)).

    >>> expit(0), expit(-1000)
    (0.5, 0.0)
    """
    if value >= 0:
        return 1 / (1 + math.exp(-value))
    return math.exp(value) / (1 + math.exp(value))  # exp() of a large positive number would overflow


SCALES: Mapping[str, Scale] = {
    "bm25": lambda score: expit(score / 8),
    "dot_product": lambda score: expit(score / 100),
    "cosine": lambda score: (score + 1) / 2,
}
"""By what is scored. A larger divisor keeps more of the difference between high scores."""


def scale_for(what: str, scale_score: bool) -> Scale:
    """Return the function that scales a score, or leaves it as it is."""
    return SCALES[what] if scale_score else float
