"""Ranking settings of BM25 and vector search, and the scaling of scores."""

import logging
import math
from collections.abc import Callable, Mapping
from typing import Literal, get_args

from spaniel.document_stores.validation import validate_choice, validate_number

logger = logging.getLogger(__name__)

BM25Algorithm = Literal["BM25Okapi", "BM25L", "BM25Plus"]
Similarity = Literal["dot_product", "cosine"]
VectorSearch = Literal["exact", "approximate"]
Scale = Callable[[float], float]

_BM25_PARAMETERS = ("k1", "b", "delta", "epsilon", "k3", "forms", "near", "names", "whole")


def validate_ranking(algorithm: str, similarity: str, vector_search: str) -> None:
    """Raise ValueError for an unknown option."""
    if algorithm not in get_args(BM25Algorithm):
        raise ValueError(
            f"BM25 algorithm '{algorithm}' is not supported. Choose one of {list(get_args(BM25Algorithm))}."
        )
    validate_choice("embedding_similarity_function", similarity, get_args(Similarity))
    validate_choice("vector_search", vector_search, get_args(VectorSearch))


def validate_bm25_parameters(parameters: Mapping[str, float]) -> dict[str, float]:
    """Return a copy of the parameters of BM25."""
    for name in _BM25_PARAMETERS:
        if name in parameters and not math.isfinite(validate_number(f"bm25_parameters[{name!r}]", parameters[name])):
            raise ValueError(f"bm25_parameters[{name!r}] must be finite, but is {parameters[name]}.")
    # Haystack accepts any name, so unknown names are not an error.
    if unknown := [name for name in parameters if name not in _BM25_PARAMETERS]:
        logger.warning("bm25_parameters %s have no effect; the names are %s.", unknown, list(_BM25_PARAMETERS))
    return dict(parameters)


def expit(value: float) -> float:
    """Return 1 / (1 + exp(-value)).

    >>> expit(0), expit(-1000)
    (0.5, 0.0)
    """
    if value >= 0:
        return 1 / (1 + math.exp(-value))
    return math.exp(value) / (1 + math.exp(value))  # exp() of a large positive number would overflow


# Haystack's formulas; a larger divisor keeps more of the difference between high scores.
_SCALES: Mapping[str, Scale] = {
    "bm25": lambda score: expit(score / 8),
    "dot_product": lambda score: expit(score / 100),
    "cosine": lambda score: (score + 1) / 2,
}


def scale_for(ranking: str, scale_score: bool) -> Scale:
    """Return the function that maps scores of ``bm25`` or a similarity to 0..1, or keeps them."""
    return _SCALES[ranking] if scale_score else float
