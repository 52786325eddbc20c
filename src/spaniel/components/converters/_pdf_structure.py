"""The outline and links of a PDF, placed at their words in the text of its pages."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from spaniel.text.converted_text import Heading, Reference

_NUMBER = r"(?:(?:[A-Za-z]+[ \t]+)?(?:[\dIVXLC]+|[A-Z])(?:\.\d+)*[.):]?[ \t\n]+)?"


class OutlineEntry(NamedTuple):
    """An entry of an outline.

    :param level: from 1.
    :param page: number of its page, from 0.
    :param words: the line at its destination, "" if unknown.
    """

    level: int
    title: str
    page: int
    words: str


class PDFLink(NamedTuple):
    """A link to the web, and the words under it."""

    page: int
    words: str
    address: str


def locate_headings(entries: Iterable[OutlineEntry], pages: Sequence[str], starts: Sequence[int]) -> list[Heading]:
    """Return the entries as headings, each at a line of its own.

    The line is the next one of the page that begins with the title, with or without its number,
    else one that has it, else that of the destination, else the next line with words.
    """
    found: dict[int, Heading] = {}
    place = 0
    for level, title, number, words in entries:
        if not 0 <= number < len(pages) or not pages[number].strip():
            continue
        text, start = pages[number], starts[number]
        after = min(max(place - start, 0), len(text))
        at = start + _locate(title, words, text, after)
        while at in found:
            following = re.compile(r"^[ \t]*(\S)", re.MULTILINE).search(text, at - start + 1)
            if following is None:
                break
            at = start + following.start(1)
        found.setdefault(at, Heading(level, title, at))
        place = max(place, at + 1)
    return [found[start] for start in sorted(found)]


def _locate(title: str, words: str, text: str, after: int) -> int:
    phrase = _flexible(title)
    for pattern, first in (
        (rf"^[ \t]*({phrase})", after),
        (rf"^[ \t]*({_NUMBER}{phrase})", after),
        (rf"^[ \t]*({phrase})", 0),
        (rf"^[ \t]*({_NUMBER}{phrase})", 0),
        (rf"(?<!\w)({phrase})(?!\w)", after),
        *([(rf"^[ \t]*({_flexible(words)})", 0)] if words.strip() else []),
    ):
        if (match := re.compile(pattern, re.IGNORECASE | re.MULTILINE).search(text, first)) is not None:
            return match.start(1)
    line = re.compile(r"^[ \t]*(\S)", re.MULTILINE)
    match = line.search(text, after) or line.search(text)
    return match.start(1) if match is not None else 0


def locate_links(links: Iterable[PDFLink], pages: Sequence[str], starts: Sequence[int]) -> list[Reference]:
    """Return the links of pages at their words, else at the start of their page."""
    found: list[Reference] = []
    place = dict.fromkeys(range(len(pages)), 0)
    for number, words, address in links:
        text, start = pages[number], starts[number]
        pattern = re.compile(_flexible(words)) if words.strip() else None
        match = pattern and (pattern.search(text, place[number]) or pattern.search(text))
        if match is None:
            found.append(Reference(start, start, address))
        else:
            place[number] = match.end()
            found.append(Reference(start + match.start(), start + match.end(), address))
    return sorted(set(found))


def _flexible(words: str) -> str:
    """Return the pattern of words with any spaces, or none where a line ends, between them."""
    return r"\s+".join(map(re.escape, words.split()))
