"""Page numbers: form feeds separate pages."""

from array import array
from bisect import bisect_left

PAGE_BREAK = "\f"


def find_page_breaks(text: str) -> "array[int]":
    r"""Return the offsets of the form feeds of a text.

    >>> list(find_page_breaks("one\ftwo\fthree"))
    [3, 7]
    """
    breaks = array("q")
    at = text.find(PAGE_BREAK)
    while at >= 0:
        breaks.append(at)
        at = text.find(PAGE_BREAK, at + 1)
    return breaks


def get_page(breaks: "array[int]", offset: int) -> int:
    r"""Return the page number of an offset, from 1; a form feed belongs to the page that it ends.

    >>> get_page(find_page_breaks("one\ftwo"), 3), get_page(find_page_breaks("one\ftwo"), 4)
    (1, 2)
    """
    return 1 + bisect_left(breaks, offset)


def count_leading_breaks(text: str, page_break: str = PAGE_BREAK) -> int:
    r"""Return the number of page breaks before the first word; 0 for a chunk without words.

    >>> count_leading_breaks("\f\fword"), count_leading_breaks("\f\f")
    (2, 0)
    """
    breaks = at = 0
    while page_break and text.startswith(page_break, at):
        breaks, at = breaks + 1, at + len(page_break)
    return breaks if at < len(text) else 0
