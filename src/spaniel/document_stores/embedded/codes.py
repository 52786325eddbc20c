"""Vectors as small integers, with how far each may be off: a scan that leaves few vectors to be multiplied exactly."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from spaniel._engine import int8_dots

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_LARGEST = 127
_LARGEST_SUM = (2**31 - 1) // 128  # of the query's codes: what the engine can add up
_SMALLEST_NORMAL, _LARGEST_NORMAL = 1e-100, 1e100  # beyond these, squares leave the range of floats
_ROUNDING = 1e-9  # far above what float64 loses in a product of two vectors, as a share of their lengths
_BLOCK = 4096


class Codes(NamedTuple):
    """Rows of integers from -127 to 127.

    Row i stands for a vector within `errors[i]` of ``scales[i] * numbers[i]``, by Euclidean distance; `lengths[i]` is the
    length of what it stands as.
    """

    numbers: NDArray[np.int8]
    scales: Floats
    errors: Floats
    lengths: Floats


def rows_of(codes: Codes, which: slice | NDArray[np.intp]) -> Codes:
    """Return some of the rows."""
    return Codes(codes.numbers[which], codes.scales[which], codes.errors[which], codes.lengths[which])


def no_codes(size: int) -> Codes:
    """Return no rows, for vectors of a size."""
    import numpy as np

    return Codes(np.empty((0, size), np.int8), np.empty(0), np.empty(0), np.empty(0))


def encode(vectors: Floats, codes: Codes) -> None:
    """Fill rows of codes, as many as there are vectors, with what stands for them."""
    import numpy as np

    for start in range(0, len(vectors), _BLOCK):
        block, end = vectors[start : start + _BLOCK], start + _BLOCK
        largest = np.abs(block).max(axis=1)
        normal = (largest > _SMALLEST_NORMAL) & (largest < _LARGEST_NORMAL)
        scales = np.where(normal, largest, 1.0) / _LARGEST
        ratios = np.where(normal[:, None], block, 0.0) / scales[:, None]
        rounded = np.rint(ratios)
        codes.numbers[start:end], codes.scales[start:end] = rounded, scales
        errors = scales * np.sqrt(np.einsum("ij,ij->i", ratios - rounded, ratios - rounded))
        codes.errors[start:end] = np.where(normal | (largest == 0), errors, np.inf)
        codes.lengths[start:end] = scales * np.sqrt(np.einsum("ij,ij->i", rounded, rounded))


def product_bounds(codes: Codes, query: Floats) -> tuple[Floats, Floats] | None:
    """Return for each row the lowest and the highest that its vector's product with a query may be.

    With c the row's code and d the query's, v q - c d = (v - c) q + c (q - d), and each part is at most the product of
    its lengths (Cauchy and Schwarz).

    :param codes: at least one row.
    :returns: None if the query is zero, too small or too large to tell.
    """
    import numpy as np

    largest, limit = float(np.abs(query).max()), min(2**15 - 1, _LARGEST_SUM // len(query))
    if not _SMALLEST_NORMAL < largest < _LARGEST_NORMAL or limit == 0:
        return None
    scale = largest / limit
    ratios = query / scale
    rounded = np.rint(ratios)
    dots = np.frombuffer(int8_dots(codes.numbers, rounded.astype(np.int16)), np.int32)
    length = scale * math.sqrt(np.einsum("i,i->", ratios, ratios))
    error = scale * math.sqrt(np.einsum("i,i->", ratios - rounded, ratios - rounded))
    middle = dots * codes.scales
    middle *= scale
    off = codes.errors * (length * (1 + _ROUNDING))
    off += codes.lengths * (error + length * _ROUNDING)
    return middle - off, middle + off
