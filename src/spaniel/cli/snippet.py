"""The part of a passage that is worth showing: where the matched words stand closest."""

from collections.abc import Sequence

Span = tuple[int, int]


def snippet(text: str, spans: Sequence[Span], length: int) -> tuple[str, list[Span]]:
    """Return at most about `length` characters of a text around the most matched words, and where these stand in it.

    :param text: the passage.
    :param spans: where matched words stand in it, in order.
    :param length: in characters; a passage that is not much longer is returned whole.

    >>> snippet("one two three four five six", [(14, 18)], 12)
    ('... three four five ...', [(10, 14)])
    """
    if len(text) <= length * 1.2:
        return text, list(spans)
    start = _densest(spans, length)
    start, end = _word_start(text, max(start, 0)), _word_end(text, min(start + length, len(text)))
    before, after = "... " if start > 0 else "", " ..." if end < len(text) else ""
    shift = len(before) - start
    shown = [(first + shift, last + shift) for first, last in spans if start <= first and last <= end]
    return f"{before}{text[start:end]}{after}", shown


def _densest(spans: Sequence[Span], length: int) -> int:
    """Return where a stretch of `length` that holds the most spans begins, with some room before the first."""
    best, best_count, last = 0, 0, 0
    for first, (start, _) in enumerate(spans):
        while last < len(spans) and spans[last][1] <= start + length * 3 // 4:
            last += 1
        if last - first > best_count:
            best, best_count = start, last - first
    return max(best - length // 5, 0)


def _word_start(text: str, place: int) -> int:
    space = max(text.rfind(" ", 0, place + 1), text.rfind("\n", 0, place + 1)) if place else -1
    return space + 1 if place - space < 40 else place


def _word_end(text: str, place: int) -> int:
    spaces = [found for found in (text.find(" ", place), text.find("\n", place)) if found >= 0]
    space = min(spaces, default=len(text))
    return space if space - place < 40 else place
