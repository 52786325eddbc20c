"""Page numbers: pages are divided by form feeds."""

from array import array
from bisect import bisect_left

PAGE_BREAK = "\f"


def page_breaks(text: str) -> "array[int]":
    r"""Return the offsets of the form feeds of a text.

    >>> list(page_breaks("one\ftwo\fthree"))
    [3, 7]
    """
    breaks = array("q")
    at = text.find(PAGE_BREAK)
    while at >= 0:
        breaks.append(at)
        at = text.find(PAGE_BREAK, at + 1)
    return breaks


def page_at(breaks: "array[int]", offset: int) -> int:
    r"""Return the number, from 1, of the page on which an offset lies; a form feed ends its own page.

    :param breaks: what `page_breaks` found.

    >>> page_at(page_breaks("one\ftwo"), 3), page_at(page_breaks("one\ftwo"), 4)
    (1, 2)
    """
    return 1 + bisect_left(breaks, offset)


def leading_page_breaks(text: str, page_break: str = PAGE_BREAK) -> int:
    r"""Return by how many pages a chunk's first words stand after its first character.

    A chunk of page breaks alone is an empty page, and stays where it begins.

    :param page_break: what ends a page; may be longer than a character.

    >>> leading_page_breaks("\f\fword"), leading_page_breaks("\f\f")
    (2, 0)
    """
    breaks = at = 0
    while page_break and text.startswith(page_break, at):
        breaks, at = breaks + 1, at + len(page_break)
    return breaks if at < len(text) else 0
