"""Vectors as the engine takes them, and what is said when their sizes don't fit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from spaniel.dataclasses import Document


def as_vector(numbers: Any, whose: str) -> NDArray[np.float64]:
    """Return numbers as a float64 vector.

    :param numbers: a list or an array of ints or floats of any precision.
    :param whose: for the error, such as ``document 'a'``.
    :raises ValueError: it is empty, no flat list of numbers, holds NaN or an infinity, or is so long that its products with
        others could be infinite.
    """
    import numpy as np

    try:
        array = np.asarray(numbers)
        vector = array.astype(np.float64) if array.dtype.kind != "c" else np.empty(0)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"The embedding of {whose} is no list of numbers: {error}.") from error
    if array.dtype.kind not in "fiubO" or vector.ndim != 1 or vector.size == 0:
        raise ValueError(
            f"The embedding of {whose} should be a non-empty flat list of numbers, not of shape {array.shape} and type "
            f"{array.dtype}."
        )
    if not np.isfinite(vector).all():
        place = int(np.flatnonzero(~np.isfinite(vector))[0])
        raise ValueError(f"The embedding of {whose} holds {array[place]} at place {place}; all numbers must be finite.")
    if not math.isfinite(np.einsum("i,i->", vector, vector)):
        raise ValueError(
            f"The embedding of {whose} has numbers too large to be multiplied, up to {abs(vector).max()}. Scale it."
        )
    return vector


def mismatched_sizes_message(documents: Mapping[int, Document], query: int) -> str:
    """Return the message for embeddings that can't be compared with a query.

    :param documents: a document of each size of embeddings; at least one.
    :param query: the size of the query.
    """
    if len(documents) == 1:
        return (
            "The embedding size of the query should be the same as the embedding size of the Documents. The query has "
            f"{query} numbers, the documents have {next(iter(documents))}. Embed both with the same model."
        )
    sizes = ", ".join(f"{size} (document '{document.id}')" for size, document in sorted(documents.items()))
    return (
        "The embedding size of all Documents should be the same. Please make sure that the Documents have been embedded "
        f"with the same model. Found sizes: {sizes}."
    )
