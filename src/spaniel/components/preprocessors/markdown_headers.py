"""The sections of a Markdown text, by its header lines."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

HEADER = re.compile(r"^(#{1,6}) (.+)$", re.MULTILINE)
"""A header line: one to six ``#``, a space, a title."""

_FENCE = re.compile(r"^(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)


class HeaderSection(NamedTuple):
    """A section; the header is "" before the first one, and None in an undivided text."""

    start: int
    end: int
    header: str | None
    parents: tuple[str, ...]
    has_header_line: bool


class _Header(NamedTuple):
    start: int
    end: int
    title: str
    parents: tuple[str, ...]
    next_start: int


def split_at_headers(text: str, levels: frozenset[int], *, keep_headers: bool) -> list[HeaderSection]:
    r"""Return the sections of a text; a header without text is joined to the next section.

    >>> sections = split_at_headers("# A\none\n## B\ntwo", frozenset({1, 2}), keep_headers=True)
    >>> [(section.header, section.start) for section in sections]
    [('A', 0), ('B', 8)]
    """
    headers = list(_find_headers(text, levels))
    whole = [HeaderSection(0, len(text), None, (), has_header_line=False)]
    if not headers:
        return whole
    sections: list[HeaderSection] = []
    pending: int | None = None
    preamble = headers[0].start
    if text[:preamble].strip():
        sections.append(HeaderSection(0, preamble, "", (), has_header_line=False))
    elif preamble:
        pending = 0
    is_empty = True
    for header in headers:
        if not text[header.end : header.next_start].strip():
            pending = header.start if pending is None else pending
            continue
        is_empty = False
        start = header.end
        if keep_headers:
            start, pending = header.start if pending is None else pending, None
        sections.append(HeaderSection(start, header.next_start, header.title, header.parents, has_header_line=True))
    if is_empty and not sections:
        return whole
    if keep_headers and pending is not None:
        last = headers[-1]
        sections.append(HeaderSection(pending, len(text), last.title, last.parents, has_header_line=True))
    return sections


def _find_headers(text: str, levels: frozenset[int]) -> Iterator[_Header]:
    code = _find_code_blocks(text)
    code_starts = [start for start, _ in code]
    matches = [
        match
        for match in HEADER.finditer(text)
        if len(match[1]) in levels and not _is_within(match.start(), code, code_starts)
    ]
    path: list[str | None] = [None] * 6
    ends = [*(match.start() for match in matches[1:]), len(text)]
    for match, end in zip(matches, ends, strict=False):
        level, title = len(match[1]), match[2].strip()
        path[level - 1 :] = [title, *[None] * (6 - level)]
        parents = tuple(parent for parent in path[: level - 1] if parent is not None)
        yield _Header(match.start(), match.end(), title, parents, end)


def _is_within(at: int, spans: Sequence[tuple[int, int]], starts: Sequence[int]) -> bool:
    before = bisect_right(starts, at) - 1
    return before >= 0 and at < spans[before][1]


def _find_code_blocks(text: str) -> list[tuple[int, int]]:
    """Return the offsets of code fences, each closed by a line of as many marks, else of fewer."""
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
