"""Chunks of a text, split at paragraphs, else sentences, else lines, else words."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from spaniel.text.converted_text import Span

# A CJK character is a word. Longer runs count once per 32 characters, so that chunks are bounded.
_CJK = "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31c0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
_WORD = re.compile(f"[{_CJK}]|[^\\s{_CJK}]{{1,32}}")
_PARAGRAPH = re.compile(r"\n(?:[ \t]*\n)+|\f")
_SENTENCE = re.compile(
    r"""(?<=[.!?\u2026])["'\u201d\u2019)\]]*\s+(?=["'\u201c\u2018(\[]*[^\W\d_a-z]|\d)"""  # after a full stop, before a capital or a number
    r"""|(?<=[\u3002\uff01\uff1f])[\u300d\u300f\u201d\u2019\uff09]*"""  # after a Chinese or Japanese full stop
    r"""|\n(?=[ \t]*(?:[-*+\u2022]|\d+[.)])[ \t])"""  # before a list item
)
_LINE = re.compile(r"\n")

# Rank of a place for a split, the best first.
_PARAGRAPH_END, _INDENTED, _SENTENCE_END, _LINE_END, _WORD_END = 4, 3, 2, 1, 0
_REFINEMENTS = {_PARAGRAPH_END: (_SENTENCE, _SENTENCE_END), _SENTENCE_END: (_LINE, _LINE_END)}
_CODE_REFINEMENTS = {_PARAGRAPH_END: (_LINE, _LINE_END)}


class _Unit(NamedTuple):
    """A span that is split only if it has to be."""

    start: int
    end: int
    words: int
    before: int  # rank of its start for a split
    finest: int  # rank of the places that it was split at
    code: bool


def count_words(text: str, start: int = 0, end: int | None = None, limit: int | None = None) -> int:
    """Return the number of words in ``text[start:end]``.

    Every CJK character is a word, and so is every run of up to 32 other characters without white
    space.

    :param limit: stop counting above it; the answer is then ``limit + 1``.

    >>> count_words("three plain words"), count_words("東京"), count_words("a" * 33)
    (3, 2, 2)
    """
    end = len(text) if end is None else end
    if limit is None or end - start <= 32 * limit:
        counted = len(_WORD.findall(text, start, end))
        return counted if limit is None else min(counted, limit + 1)
    return sum(1 for _ in islice(_WORD.finditer(text, start, end), limit + 1))


def split_spans(text: str, start: int, end: int, max_words: int, code: Sequence[Span] = ()) -> list[Span]:
    r"""Return spans that tile ``text[start:end]``, with up to `max_words` words each.

    A span ends after a paragraph if possible, unless it or the last span would be very short; a
    code block that fits into a span stays whole.

    >>> text = "First one. Second one.\n\nThird one."
    >>> [text[start:end] for start, end in split_spans(text, 0, len(text), 4)]
    ['First one. Second one.\n\n', 'Third one.']
    """
    if count_words(text, start, end, max_words) <= max_words:
        return [(start, end)]
    return list(_pack(text, list(_split_paragraphs(text, start, end, max_words, code)), max_words))


def _split_paragraphs(text: str, start: int, end: int, max_words: int, code: Sequence[Span]) -> Iterator[_Unit]:
    """Yield the paragraphs; a code block that fits into a chunk is a single paragraph."""
    begin, before = start, _PARAGRAPH_END
    for match in _PARAGRAPH.finditer(text, start, end):
        place = match.end()
        block = _find_containing(code, place)
        if block is not None and count_words(text, *block, max_words) <= max_words:
            continue
        if place >= end or not text[begin:place].strip():
            continue
        yield _create_unit(text, begin, place, max_words, before, code)
        begin, before = place, _INDENTED if block is not None or text[place] in " \t" else _PARAGRAPH_END
    yield _create_unit(text, begin, end, max_words, before, code)


def _find_containing(spans: Sequence[Span], place: int) -> Span | None:
    at = bisect_right(spans, (place, -1)) - 1
    return spans[at] if at >= 0 and spans[at][0] < place < spans[at][1] else None


def _create_unit(text: str, start: int, end: int, max_words: int, before: int, code: Sequence[Span]) -> _Unit:
    verbatim = text[start] in " \t" or _find_containing(code, start + 1) is not None
    return _Unit(start, end, count_words(text, start, end, max_words), before, _PARAGRAPH_END, verbatim)


def _refine(text: str, unit: _Unit, max_words: int) -> list[_Unit]:
    finest = unit.finest
    refinements = _CODE_REFINEMENTS if unit.code else _REFINEMENTS
    while finest in refinements:
        pattern, finest = refinements[finest]
        places = [match.end() for match in pattern.finditer(text, unit.start, unit.end) if match.end() < unit.end]
        if places:
            return _split_at(text, unit, places, finest, max_words)
    step = max(1, max_words // 4)
    places = [match.start() for match in islice(_WORD.finditer(text, unit.start, unit.end), step, None, step)]
    return _split_at(text, unit, places, _WORD_END, max_words)


def _split_at(text: str, unit: _Unit, places: list[int], finest: int, max_words: int) -> list[_Unit]:
    pieces, before = [], unit.before
    for start, end in zip([unit.start, *places], [*places, unit.end], strict=True):
        if start < end:
            pieces.append(_Unit(start, end, count_words(text, start, end, max_words), before, finest, unit.code))
            before = finest
    return pieces


def _pack(text: str, units: list[_Unit], max_words: int) -> Iterator[Span]:
    """Yield the chunks: fill one, then return to the best place for a split in it."""
    waiting = units[::-1]  # the next unit is the last
    while waiting:
        taken: list[_Unit] = []
        words = 0
        while waiting and words + waiting[-1].words <= max_words:
            taken.append(waiting.pop())
            words += taken[-1].words
        if waiting and _must_refine(waiting[-1], words, max_words):
            waiting.extend(reversed(_refine(text, waiting.pop(), max_words)))
            waiting.extend(reversed(taken))
            continue
        kept = len(taken) if not waiting else _count_kept(taken, waiting, max_words)
        waiting.extend(reversed(taken[kept:]))
        yield taken[0].start, taken[kept - 1].end


def _must_refine(unit: _Unit, words_before: int, max_words: int) -> bool:
    # A unit is split if it fits no chunk, or if the chunk before it would be a heading alone.
    if unit.finest == _WORD_END:
        return False
    min_words = max_words // (10 if unit.code else 4)
    return unit.words > max_words or words_before < min_words


def _count_kept(taken: list[_Unit], waiting: list[_Unit], max_words: int) -> int:
    """Return the number of fitting units that make the chunk."""
    rest = 0
    for unit in reversed(waiting):
        rest += unit.words
        if rest > max_words:
            break
    words = sum(unit.words for unit in taken)
    best = (False, False, -1, 0)
    for at in range(len(taken), 0, -1):
        before = waiting[-1].before if at == len(taken) else taken[at].before
        key = (words >= max_words // 3, rest >= max_words // 4, before, at)
        best = max(best, key)
        words -= taken[at - 1].words
        rest += taken[at - 1].words
    return best[3]
