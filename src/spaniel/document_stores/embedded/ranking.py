"""The settings of BM25 and of vector search."""

import logging
import math
from typing import Any

from spaniel.document_stores.embedded.arguments import check_choice, checked_number

logger = logging.getLogger(__name__)

_ALGORITHMS = ("BM25Okapi", "BM25L", "BM25Plus")
_BM25_PARAMETERS = ("k1", "b", "delta", "epsilon")
_SIMILARITIES = ("dot_product", "cosine")
VECTOR_SEARCHES = ("exact", "approximate")


def check_ranking(bm25_algorithm: str, embedding_similarity_function: str) -> None:
    """Raise ValueError if there is no such algorithm or function."""
    if bm25_algorithm not in _ALGORITHMS:
        raise ValueError(f"BM25 algorithm '{bm25_algorithm}' is not supported. Choose one of {list(_ALGORITHMS)}.")
    check_choice("embedding_similarity_function", embedding_similarity_function, _SIMILARITIES)


def checked_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of the parameters of BM25.

    :raises ValueError: one is no finite number.
    """
    for name in _BM25_PARAMETERS:
        if name in parameters and not math.isfinite(checked_number(f"bm25_parameters[{name!r}]", parameters[name])):
            raise ValueError(f"bm25_parameters[{name!r}] must be finite, but is {parameters[name]}.")
    # Haystack takes any names, so this is no error.
    if unknown := [name for name in parameters if name not in _BM25_PARAMETERS]:
        logger.warning("bm25_parameters %s have no effect; the names are %s.", unknown, list(_BM25_PARAMETERS))
    return dict(parameters)
