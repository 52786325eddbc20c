"""Cut a text into leaves: at paragraphs, else sentences, else lines, else words, in linear time."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

# A CJK character is a word. A longer run without spaces counts once every 32 characters, so a leaf is always bounded.
_CJK = "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31c0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
_WORD = re.compile(f"[{_CJK}]|[^\\s{_CJK}]{{1,32}}")
_PARAGRAPH = re.compile(r"\n(?:[ \t]*\n)+|\f")
_SENTENCE = re.compile(
    r"""(?<=[.!?\u2026])["'\u201d\u2019)\]]*\s+(?=["'\u201c\u2018(\[]*[^\W\d_a-z]|\d)"""  # after a full stop, before a capital or a number
    r"""|(?<=[\u3002\uff01\uff1f])[\u300d\u300f\u201d\u2019\uff09]*"""  # after a Chinese or Japanese one
    r"""|\n(?=[ \t]*(?:[-*+\u2022]|\d+[.)])[ \t])"""  # before a list item
)
_LINE = re.compile(r"\n")

# How good a place is for a cut.
_PARAGRAPH_END, _INDENTED, _SENTENCE_END, _LINE_END, _WORD_END = 4, 3, 2, 1, 0
_REFINEMENTS = {_PARAGRAPH_END: (_SENTENCE, _SENTENCE_END), _SENTENCE_END: (_LINE, _LINE_END)}
_CODE_REFINEMENTS = {_PARAGRAPH_END: (_LINE, _LINE_END)}


class _Unit(NamedTuple):
    """A stretch that is not cut unless it must be."""

    start: int
    end: int
    words: int
    before: int  # how good a place for a cut its start is
    finest: int  # the kind of place that it was cut out at
    code: bool


def count_words(text: str, start: int = 0, end: int | None = None, limit: int | None = None) -> int:
    """Return the number of words in ``text[start:end]``.

    Every CJK character is a word, and so is every run of up to 32 other characters without white space.

    :param limit: stop counting above it; the answer is then ``limit + 1``.

    >>> count_words("three plain words"), count_words("東京"), count_words("a" * 33)
    (3, 2, 2)
    """
    end = len(text) if end is None else end
    if limit is None or end - start <= 32 * limit:
        counted = len(_WORD.findall(text, start, end))
        return counted if limit is None else min(counted, limit + 1)
    return sum(1 for _ in islice(_WORD.finditer(text, start, end), limit + 1))


def cut(text: str, start: int, end: int, max_words: int, code: Sequence[tuple[int, int]] = ()) -> list[tuple[int, int]]:
    r"""Return spans that tile ``text[start:end]``, each of at most `max_words` words.

    A span ends after a paragraph where it can, so that neither it nor the last one is very short; a code block stays
    whole where it fits.

    :param code: spans of code blocks in the whole text, by their start.

    >>> text = "First one. Second one.\n\nThird one."
    >>> [text[start:end] for start, end in cut(text, 0, len(text), 4)]
    ['First one. Second one.\n\n', 'Third one.']
    """
    if count_words(text, start, end, max_words) <= max_words:
        return [(start, end)]
    return list(_pack(text, list(_paragraphs(text, start, end, max_words, code)), max_words))


def _paragraphs(text: str, start: int, end: int, max_words: int, code: Sequence[tuple[int, int]]) -> Iterator[_Unit]:
    """Yield the paragraphs; those of a code block that fits into a leaf are one."""
    begun, before = start, _PARAGRAPH_END
    for match in _PARAGRAPH.finditer(text, start, end):
        place = match.end()
        block = _containing(code, place)
        if block is not None and count_words(text, *block, max_words) <= max_words:
            continue
        if place >= end or not text[begun:place].strip():
            continue
        yield _unit(text, begun, place, max_words, before, code)
        begun, before = place, _INDENTED if block is not None or text[place] in " \t" else _PARAGRAPH_END
    yield _unit(text, begun, end, max_words, before, code)


def _containing(spans: Sequence[tuple[int, int]], place: int) -> tuple[int, int] | None:
    at = bisect_right(spans, (place, -1)) - 1
    return spans[at] if at >= 0 and spans[at][0] < place < spans[at][1] else None


def _unit(text: str, start: int, end: int, max_words: int, before: int, code: Sequence[tuple[int, int]]) -> _Unit:
    verbatim = text[start] in " \t" or _containing(code, start + 1) is not None
    return _Unit(start, end, count_words(text, start, end, max_words), before, _PARAGRAPH_END, verbatim)


def _refined(text: str, unit: _Unit, max_words: int) -> list[_Unit]:
    """Return the unit's pieces, of the coarsest kind that makes more than one."""
    finest = unit.finest
    refinements = _CODE_REFINEMENTS if unit.code else _REFINEMENTS
    while finest in refinements:
        pattern, finest = refinements[finest]
        places = [match.end() for match in pattern.finditer(text, unit.start, unit.end) if match.end() < unit.end]
        if places:
            return _pieces(text, unit, places, finest, max_words)
    step = max(1, max_words // 4)
    places = [match.start() for match in islice(_WORD.finditer(text, unit.start, unit.end), step, None, step)]
    return _pieces(text, unit, places, _WORD_END, max_words)


def _pieces(text: str, unit: _Unit, places: list[int], finest: int, max_words: int) -> list[_Unit]:
    pieces, before = [], unit.before
    for start, end in zip([unit.start, *places], [*places, unit.end], strict=True):
        if start < end:
            pieces.append(_Unit(start, end, count_words(text, start, end, max_words), before, finest, unit.code))
            before = finest
    return pieces


def _pack(text: str, units: list[_Unit], max_words: int) -> Iterator[tuple[int, int]]:
    """Yield the leaves: fill one, then go back to the best place for a cut in it."""
    waiting = units[::-1]  # the next unit is the last
    while waiting:
        taken: list[_Unit] = []
        words = 0
        while waiting and words + waiting[-1].words <= max_words:
            taken.append(waiting.pop())
            words += taken[-1].words
        if waiting and _must_refine(waiting[-1], words, max_words):
            waiting.extend(reversed(_refined(text, waiting.pop(), max_words)))
            waiting.extend(reversed(taken))
            continue
        kept = len(taken) if not waiting else _best_cut(taken, waiting, max_words)
        waiting.extend(reversed(taken[kept:]))
        yield taken[0].start, taken[kept - 1].end


def _must_refine(unit: _Unit, words_before: int, max_words: int) -> bool:
    # What does not fit is cut further if it fits nowhere, or if the leaf before it would be a scrap, such as a heading.
    if unit.finest == _WORD_END:
        return False
    scrap = max_words // (10 if unit.code else 4)
    return unit.words > max_words or words_before < scrap


def _best_cut(taken: list[_Unit], waiting: list[_Unit], max_words: int) -> int:
    """Return how many of the units that fit make the leaf."""
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
