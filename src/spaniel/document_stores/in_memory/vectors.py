"""Exact vector search over the embeddings of a store, in float64."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spaniel.errors import DocumentStoreError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from spaniel.dataclasses import Document

    Floats = NDArray[np.float64]

_SMALLEST_CAPACITY = 64


def as_vector(numbers: Any, whose: str) -> Floats:
    """Return numbers as a float64 vector.

    :param numbers: a list or an array of ints or floats of any precision.
    :param whose: for the error, such as ``document 'a'``.
    :raises ValueError: it is empty, no flat list of numbers, or holds NaN or an infinity.
    """
    import numpy as np

    try:
        vector = np.asarray(numbers, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"The embedding of {whose} is no list of numbers: {error}.") from error
    if vector.ndim != 1 or vector.size == 0:
        raise ValueError(
            f"The embedding of {whose} should be a non-empty flat list of numbers, not of shape {vector.shape}."
        )
    if not np.isfinite(vector).all():
        place = int(np.flatnonzero(~np.isfinite(vector))[0])
        raise ValueError(
            f"The embedding of {whose} holds {vector[place]} at place {place}; all numbers must be finite."
        )
    return vector


@dataclass(frozen=True)
class _Rows:
    """A state of the vectors of one size; appending to its arrays beyond `count` does not change it."""

    matrix: Floats
    slots: NDArray[np.int64]
    count: int


class VectorIndex:
    """The embeddings of a store by slot, one growing matrix for each size.

    Not thread-safe by itself: the store changes it, and takes what a search reads, under its lock. A search then runs
    without the lock, as rows are never changed in place.
    """

    def __init__(self) -> None:
        self._by_size: dict[int, _Rows] = {}

    def add(self, slot: int, vector: Floats) -> None:
        """Take up a vector; slots come in rising order."""
        import numpy as np

        size = len(vector)
        rows = self._by_size.get(size)
        if rows is None or rows.count == len(rows.slots):
            capacity = _SMALLEST_CAPACITY if rows is None else 2 * rows.count
            matrix, slots = np.empty((capacity, size)), np.empty(capacity, dtype=np.int64)
            if rows is not None:
                matrix[: rows.count], slots[: rows.count] = rows.matrix[: rows.count], rows.slots[: rows.count]
            rows = _Rows(matrix, slots, 0 if rows is None else rows.count)
        rows.matrix[rows.count], rows.slots[rows.count] = vector, slot
        self._by_size[size] = _Rows(rows.matrix, rows.slots, rows.count + 1)

    def remove(self, removed: Collection[int]) -> None:
        """Forget the vectors of these slots, if they have any."""
        import numpy as np

        for size, rows in list(self._by_size.items()):
            stays = ~np.isin(rows.slots[: rows.count], np.fromiter(removed, dtype=np.int64))
            kept = int(stays.sum())
            if kept == 0:
                del self._by_size[size]
            elif kept < rows.count:
                matrix, slots = rows.matrix[: rows.count][stays], rows.slots[: rows.count][stays]
                self._by_size[size] = _Rows(matrix, slots, kept)

    def snapshot(self) -> list[_Rows]:
        """Return the present state, to be searched without the lock."""
        return list(self._by_size.values())


def nearest(
    snapshot: Sequence[_Rows], query: Floats, *, cosine: bool, top_k: int, allowed: Collection[int] | None
) -> list[tuple[int, float]]:
    """Return the slots of the best vectors and their similarities, best first, ties in store order.

    :param snapshot: what `VectorIndex.snapshot` gave.
    :param query: of the size of the vectors.
    :param cosine: cosine similarity instead of the dot product; a zero vector scores 0.
    :param allowed: the slots that may be returned; None: all.
    :raises DocumentStoreError: the vectors are of several sizes, or of another than the query.
    """
    import numpy as np

    parts = [(rows, _places(rows, allowed)) for rows in snapshot]
    parts = [(rows, places) for rows, places in parts if places is None or len(places)]
    if not parts:
        return []
    _check_sizes([(rows, places) for rows, places in parts], query)
    rows, places = parts[0]
    matrix, slots = rows.matrix[: rows.count], rows.slots[: rows.count]
    if places is not None:
        matrix, slots = matrix[places], slots[places]
    scores = matrix @ query
    if cosine:
        norms = np.linalg.norm(matrix, axis=1) * np.linalg.norm(query)
        scores = np.divide(scores, norms, out=np.zeros_like(scores), where=norms > 0)
    order = _best(scores, slots, top_k)
    return list(zip(slots[order].tolist(), scores[order].tolist(), strict=True))


def _best(scores: Floats, slots: NDArray[np.int64], top_k: int) -> NDArray[np.int64]:
    import numpy as np

    if top_k < len(scores):  # keep everything that ties with the k-th, so that the store order decides
        threshold = -np.partition(-scores, top_k - 1)[top_k - 1] if top_k else math.inf
        chosen = np.flatnonzero(scores >= threshold)
    else:
        chosen = np.arange(len(scores))
    return chosen[np.lexsort((slots[chosen], -scores[chosen]))][:top_k]


def _places(rows: _Rows, allowed: Collection[int] | None) -> NDArray[np.int64] | None:
    import numpy as np

    if allowed is None:
        return None
    return np.flatnonzero(np.isin(rows.slots[: rows.count], np.fromiter(allowed, dtype=np.int64, count=len(allowed))))


def _check_sizes(parts: Sequence[tuple[_Rows, NDArray[np.int64] | None]], query: Floats) -> None:
    if len(parts) > 1:
        raise MixedSizesError(
            {rows.matrix.shape[1]: int(rows.slots[0 if places is None else places[0]]) for rows, places in parts}
        )
    size = parts[0][0].matrix.shape[1]
    if size != len(query):
        raise DocumentStoreError(
            "The embedding size of the query should be the same as the embedding size of the Documents. The query has "
            f"{len(query)} numbers, the documents have {size}. Embed both with the same model."
        )


class MixedSizesError(Exception):
    """The searched vectors are of several sizes; `slot_of_size` has one slot for each. The store turns it into its error."""

    def __init__(self, slot_of_size: dict[int, int]) -> None:
        super().__init__(slot_of_size)
        self.slot_of_size = slot_of_size


def mixed_sizes_message(documents: dict[int, Document]) -> str:
    """Return the message for stored embeddings of several sizes, with one document of each."""
    sizes = ", ".join(f"{size} (document '{document.id}')" for size, document in sorted(documents.items()))
    return (
        "The embedding size of all Documents should be the same. Please make sure that the Documents have been embedded "
        f"with the same model. Found sizes: {sizes}."
    )
