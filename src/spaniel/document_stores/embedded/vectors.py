"""Validation of embeddings as vectors of the engine."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spaniel.errors import DocumentStoreError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from spaniel.dataclasses import Document


def as_vector(numbers: object, owner: str) -> NDArray[np.float64]:
    """Return numbers as a float64 vector; `owner` names them in errors."""
    import numpy as np

    try:
        array = np.asarray(numbers)
        vector = array.astype(np.float64) if array.dtype.kind != "c" else np.empty(0)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"The embedding of {owner} is not a list of numbers: {error}.") from error
    if array.dtype.kind not in "fiubO" or vector.ndim != 1 or vector.size == 0:
        raise ValueError(
            f"The embedding of {owner} should be a non-empty flat list of numbers, not of shape {array.shape} and type "
            f"{array.dtype}."
        )
    if not np.isfinite(vector).all():
        index = int(np.flatnonzero(~np.isfinite(vector))[0])
        raise ValueError(f"The embedding of {owner} has {array[index]} at index {index}; all numbers must be finite.")
    if not math.isfinite(np.einsum("i,i->", vector, vector)):
        raise ValueError(
            f"The embedding of {owner} has numbers too large to be multiplied, up to {abs(vector).max()}. Scale it."
        )
    return vector


def size_mismatch_error(documents: Mapping[int, Document], query: int) -> DocumentStoreError:
    """Return the error for embeddings of another size than the query, with examples."""
    if len(documents) == 1:
        return DocumentStoreError(
            "The embedding size of the query should be the same as the embedding size of the Documents. The query has "
            f"{query} numbers, the documents have {next(iter(documents))}. Embed both with the same model."
        )
    sizes = ", ".join(f"{size} (document '{document.id}')" for size, document in sorted(documents.items()))
    return DocumentStoreError(
        "The embedding size of all Documents should be the same. Please make sure that the Documents have been embedded "
        f"with the same model. Found sizes: {sizes}."
    )
