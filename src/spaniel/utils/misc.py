"""Small functions that programs written for Haystack import."""

from collections.abc import Iterator, Sequence
from typing import Any

__all__ = ["expand_page_range", "expit"]


def expit(x: Any) -> Any:
    """Return the logistic function of a number or an array: from 0 to 1, and 0.5 at 0.

    >>> float(expit(0))
    0.5
    """
    import numpy as np

    return 1 / (1 + np.exp(-x))


def expand_page_range(page_range: Sequence[str | int]) -> list[int]:
    """Return the page numbers that numbers and ranges stand for.

    :param page_range: numbers, as such or as text, and ranges such as ``"3-5"``, both ends included.
    :raises ValueError: one is neither, or there is none.

    >>> expand_page_range(["1-3", 5, "8"])
    [1, 2, 3, 5, 8]
    """
    pages = [page for item in page_range for page in _pages(item)]
    if not pages:
        raise ValueError("No valid page numbers or ranges found in the input list")
    return pages


def _pages(item: str | int) -> Iterator[int]:
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
