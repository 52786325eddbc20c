"""Exact vector search over the embeddings of a store, in float64; a scan of small integers picks what is multiplied."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from spaniel.document_stores.embedded.codes import Codes, encode, no_codes, product_bounds, rows_of
from spaniel.errors import DocumentStoreError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from spaniel.dataclasses import Document

    Floats = NDArray[np.float64]
    Places = NDArray[np.intp]

_SMALLEST_CAPACITY = 64
_FEW = 4  # below a quarter of the rows, those rows are taken out before they are multiplied
_SCANNED = 1000  # from so many rows on, a scan of the codes saves more than it takes,
_FEWEST_OF_SCAN = 32  # unless all but one in so many are ruled out before
_PROMISING = 8  # and unless more than one in so many is asked for


def as_vector(numbers: Any, whose: str) -> Floats:
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


@dataclass(frozen=True)
class _Rows:
    """The vectors of one size. Their arrays may be longer: what is beyond `count` is not theirs."""

    matrix: Floats
    norms: Floats
    slots: NDArray[np.int64]  # rising
    codes: Codes
    count: int
    dead: Places  # rows that were removed

    def places(self, slots: Sequence[int] | memoryview) -> Places:
        """Return the rows of those of these slots that are here."""
        import numpy as np

        wanted, own = np.sort(np.asarray(slots, np.int64)), self.slots[: self.count]
        found = np.minimum(np.searchsorted(own, wanted), self.count - 1)
        places: Places = found[own[found] == wanted]
        return places

    def chosen(self, allowed: Sequence[int] | memoryview | None) -> Places:
        """Return the rows to be searched, in store order."""
        import numpy as np

        if allowed is None:
            mask = np.ones(self.count, dtype=bool)
        else:
            mask = np.zeros(self.count, dtype=bool)
            mask[self.places(allowed)] = True
        mask[self.dead] = False
        return np.flatnonzero(mask)

    def without(self, removed: Sequence[int] | memoryview) -> _Rows:
        """Return the rows without those of some slots; the arrays are compacted when half of them are dead."""
        import numpy as np

        dead = np.append(self.dead, self.places(removed))
        if 2 * len(dead) <= self.count:
            return replace(self, dead=dead)
        kept = np.setdiff1d(np.arange(self.count), dead)
        return _Rows(
            self.matrix[kept], self.norms[kept], self.slots[kept], rows_of(self.codes, kept), len(kept), dead[:0]
        )

    def extended(self, slots: Sequence[int], vectors: Sequence[Floats]) -> _Rows:
        """Return the rows with more of them; rows that are there already are not moved unless the arrays are full."""
        import numpy as np

        count = self.count + len(slots)
        matrix, norms, numbers, codes = self.matrix, self.norms, self.slots, self.codes
        if count > len(numbers):
            capacity = max(_SMALLEST_CAPACITY, 2 * self.count, count)
            matrix, norms, numbers = (_grown(array, self.count, capacity) for array in (matrix, norms, numbers))
            codes = Codes(*(_grown(array, self.count, capacity) for array in codes))
        for row, (slot, vector) in enumerate(zip(slots, vectors, strict=True), self.count):
            matrix[row], numbers[row] = vector, slot
            norms[row] = math.sqrt(np.einsum("i,i->", vector, vector))
        encode(matrix[self.count : count], rows_of(codes, slice(self.count, count)))
        return _Rows(matrix, norms, numbers, codes, count, self.dead)


def _grown(array: NDArray[Any], count: int, capacity: int) -> NDArray[Any]:
    import numpy as np

    larger = np.empty((capacity, *array.shape[1:]), array.dtype)
    larger[:count] = array[:count]
    return larger


class VectorIndex:
    """The embeddings of a store by slot, a matrix for each size. It is never changed: a change makes another index.

    An index and the one it was made from share memory, so only the newest may be changed, by one writer at a time.
    """

    def __init__(self, by_size: dict[int, _Rows] | None = None) -> None:
        self._by_size = by_size or {}

    def changed(self, removed: Sequence[int] | memoryview, added: Sequence[tuple[int, Floats]]) -> VectorIndex:
        """Return the index without some slots and with others.

        :param removed: slots; those without a vector are passed over.
        :param added: vectors by slot; slots rise, and are greater than all before.
        """
        by_size = dict(self._by_size)
        if removed:
            by_size = {size: rows.without(removed) for size, rows in by_size.items()}
            by_size = {size: rows for size, rows in by_size.items() if rows.count}
        for size in {len(vector) for _, vector in added}:
            new = [(slot, vector) for slot, vector in added if len(vector) == size]
            rows = by_size.get(size) or _no_rows(size)
            by_size[size] = rows.extended([slot for slot, _ in new], [vector for _, vector in new])
        return VectorIndex(by_size)

    def nearest(
        self, query: Floats, *, cosine: bool, top_k: int, allowed: Sequence[int] | memoryview | None
    ) -> list[tuple[int, float]]:
        """Return the slots of the best vectors and their similarities, best first, ties in store order.

        :param query: of the size of the vectors.
        :param cosine: cosine similarity instead of the dot product; a zero vector scores 0.
        :param allowed: the slots that may be returned; None: all.
        :raises MixedSizesError: the vectors that may be returned are of several sizes.
        :raises DocumentStoreError: they are of another size than the query.
        """
        parts = [(rows, rows.chosen(allowed)) for rows in self._by_size.values()]
        parts = [(rows, places) for rows, places in parts if len(places)]
        if not parts:
            return []
        if len(parts) > 1:
            raise MixedSizesError({rows.matrix.shape[1]: int(rows.slots[places[0]]) for rows, places in parts})
        rows, places = parts[0]
        _check_size(rows.matrix.shape[1], len(query))
        places = _promising(rows, places, query, cosine=cosine, top_k=top_k)
        scores = _similarities(rows, places, query, cosine=cosine)
        best = _best(scores, top_k)
        return list(zip(rows.slots[places[best]].tolist(), scores[best].tolist(), strict=True))


def _no_rows(size: int) -> _Rows:
    import numpy as np

    return _Rows(np.empty((0, size)), np.empty(0), np.empty(0, np.int64), no_codes(size), 0, np.empty(0, np.intp))


def _promising(rows: _Rows, places: Places, query: Floats, *, cosine: bool, top_k: int) -> Places:
    """Return those of the places that may be among the best, with all that tie with them."""
    import numpy as np

    found = len(places)
    if rows.count < _SCANNED or _FEWEST_OF_SCAN * found < rows.count or not 0 < _PROMISING * top_k < found:
        return places
    bounds = product_bounds(rows_of(rows.codes, slice(rows.count)), query)
    if bounds is None:
        return places
    low, high = bounds if found == rows.count else (bound[places] for bound in bounds)
    if cosine:
        low, high = (_cosines(bound, rows.norms[places], query) for bound in (low, high))
    floor = np.partition(low, found - top_k)[found - top_k]  # so much have `top_k` of them at least
    promising: Places = places[high >= floor]
    return promising


def _cosines(products: Floats, norms: Floats, query: Floats) -> Floats:
    import numpy as np

    lengths = norms * math.sqrt(np.einsum("i,i->", query, query))
    return np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)


def _similarities(rows: _Rows, places: Places, query: Floats, *, cosine: bool) -> Floats:
    import numpy as np

    scores: Floats
    # Not the product of BLAS: there the place of a row has a say in its last digits, and equal vectors would not tie.
    if _FEW * len(places) < rows.count:
        scores = np.einsum("ij,j->i", rows.matrix[places], query)
    else:
        scores = np.einsum("ij,j->i", rows.matrix[: rows.count], query)[places]
    return _cosines(scores, rows.norms[places], query) if cosine else scores


def _best(scores: Floats, top_k: int) -> Places:
    import numpy as np

    if top_k == 0:
        return np.empty(0, np.intp)
    chosen = np.arange(len(scores))
    if top_k < len(scores):  # keep everything that ties with the k-th, so that the store order decides
        chosen = np.flatnonzero(scores >= -np.partition(-scores, top_k - 1)[top_k - 1])
    return chosen[np.argsort(-scores[chosen], kind="stable")][:top_k]


def _check_size(documents: int, query: int) -> None:
    if documents != query:
        raise DocumentStoreError(
            "The embedding size of the query should be the same as the embedding size of the Documents. The query has "
            f"{query} numbers, the documents have {documents}. Embed both with the same model."
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
