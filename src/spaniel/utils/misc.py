"""Functions of Haystack's ``utils.misc``: the logistic function, page ranges."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def expit(x: "float | NDArray[np.float64]") -> "float | NDArray[np.float64]":
    """Return the logistic function of a number or an array.

    >>> float(expit(0))
    0.5
    """
    import numpy as np

    result: float | NDArray[np.float64] = 1 / (1 + np.exp(-x))
    return result


def expand_page_range(page_range: Sequence[str | int]) -> list[int]:
    """Return the page numbers of a list of numbers and ranges.

    :param page_range: numbers, also as text, and ranges such as ``"3-5"``, both ends included.
    :raises ValueError: an item is malformed, or there are no pages.

    >>> expand_page_range(["1-3", 5, "8"])
    [1, 2, 3, 5, 8]
    """
    pages = [page for item in page_range for page in _expand_item(item)]
    if not pages:
        raise ValueError("No valid page numbers or ranges found in the input list")
    return pages


def _expand_item(item: str | int) -> Iterator[int]:
    start, dash, end = str(item).partition("-")
    if dash:
        if isinstance(item, int) or not (start.isdigit() and end.isdigit()):
            raise ValueError(f"Invalid page range: {item} - range must be a string in the format 'start-end'")
        if int(start) > int(end):
            raise ValueError(f"Invalid page range: '{item}' - start must be less than or equal to end")
        yield from range(int(start), int(end) + 1)
    elif isinstance(item, int) or start.isdigit():
        yield int(start)
    else:
        raise ValueError(f"Invalid page range: {item} - range must be a string in the format 'start-end' or an integer")
