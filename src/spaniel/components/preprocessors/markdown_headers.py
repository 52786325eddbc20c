"""The headed parts of a Markdown text."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

HEADER = re.compile(r"^(#{1,6}) (.+)$", re.MULTILINE)
"""A header line: one to six ``#``, a space, a title."""

_FENCE = re.compile(r"^(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)


class Part(NamedTuple):
    """A part of a text.

    :param start, end: its place.
    :param header: the title it stands under; empty before the first header; None if the text is not divided.
    :param parents: the titles above that one, from the top.
    :param headed: whether the header line is its own.
    """

    start: int
    end: int
    header: str | None
    parents: tuple[str, ...]
    headed: bool


class _Header(NamedTuple):
    start: int
    end: int
    title: str
    parents: tuple[str, ...]
    after: int  # where the next header begins


def headed_parts(text: str, levels: frozenset[int], *, keep_headers: bool) -> list[Part]:
    r"""Return the parts of a text between its headers. A header without text is joined to the next part.

    :param levels: of the headers that divide, 1 to 6.
    :param keep_headers: a part begins with its header line, and the parts are the whole text; else it begins after it, and
        headers without text are left out.

    >>> [(part.header, part.start) for part in headed_parts("# A\none\n## B\ntwo", frozenset({1, 2}), keep_headers=True)]
    [('A', 0), ('B', 8)]
    """
    headers = list(_headers(text, levels))
    whole = [Part(0, len(text), None, (), headed=False)]
    if not headers:
        return whole
    parts: list[Part] = []
    pending: int | None = None
    preamble = headers[0].start
    if text[:preamble].strip():
        parts.append(Part(0, preamble, "", (), headed=False))
    elif preamble:
        pending = 0
    empty = True
    for header in headers:
        if not text[header.end : header.after].strip():
            pending = header.start if pending is None else pending
            continue
        empty = False
        start = header.end
        if keep_headers:
            start, pending = header.start if pending is None else pending, None
        parts.append(Part(start, header.after, header.title, header.parents, headed=True))
    if empty and not parts:
        return whole
    if keep_headers and pending is not None:
        parts.append(Part(pending, len(text), headers[-1].title, headers[-1].parents, headed=True))
    return parts


def _headers(text: str, levels: frozenset[int]) -> Iterator[_Header]:
    code = _code_blocks(text)
    code_starts = [start for start, _ in code]
    matches = [
        match
        for match in HEADER.finditer(text)
        if len(match[1]) in levels and not _within(match.start(), code, code_starts)
    ]
    path: list[str | None] = [None] * 6
    ends = [*(match.start() for match in matches[1:]), len(text)]
    for match, end in zip(matches, ends, strict=False):
        level, title = len(match[1]), match[2].strip()
        path[level - 1 :] = [title, *[None] * (6 - level)]
        parents = tuple(parent for parent in path[: level - 1] if parent is not None)
        yield _Header(match.start(), match.end(), title, parents, end)


def _within(at: int, spans: Sequence[tuple[int, int]], starts: Sequence[int]) -> bool:
    before = bisect_right(starts, at) - 1
    return before >= 0 and at < spans[before][1]


def _code_blocks(text: str) -> list[tuple[int, int]]:
    """Return where fenced code begins and ends. A fence without an end is none.

    A fence ends at the next line that holds as many marks and nothing else; if there is none, one with fewer will do.
    """
    fences = list(_FENCE.finditer(text))
    closing: dict[str, array[int]] = {}
    for fence in fences:
        if not fence[2].strip():
            closing.setdefault(fence[1], array("q")).append(fence.start())
    blocks: list[tuple[int, int]] = []
    for fence in fences:
        if blocks and fence.start() < blocks[-1][1]:
            continue
        for length in range(len(fence[1]), 2, -1):
            ends = closing.get(fence[1][:length], array("q"))
            found = bisect_right(ends, fence.start())
            if found < len(ends):
                blocks.append((fence.start(), ends[found] + length))
                break
    return blocks
