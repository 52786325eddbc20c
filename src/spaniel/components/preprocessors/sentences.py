"""Sentence boundaries: candidates, and rules that join sentences cut too early; linear time."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

_CLOSERS = ")]}\"'\N{RIGHT SINGLE QUOTATION MARK}”»"
_WHITESPACE = " \t\n\r\x0b\x0c"
_MAX_NEXT_WORD = 256  # no model has a longer word, and a run without spaces would be read once per dot
_QUOTES = re.compile(r"\"[^\"]*\"|(?<!\w)'(?:[^']|(?<=\w)'(?=\w))*+'(?!\w)")  # an apostrophe (don't) is not a quote
_NUMBER_AT_END = re.compile(r"\d{1,2}\.\Z")
_BRACKET = re.compile(r"\s*[(\[]")
_CLOSING = re.compile(r"[\"')\]}\u2018\u2019“”«»]+?(?:\s+|(?=--)|$)", re.MULTILINE)

EndsSentence = Callable[[str], bool]
"""Decides for a word with an end mark and the next word if a sentence ends between them."""


class Punctuation(NamedTuple):
    """The possible end marks of a language, characters outside words, and if it has spaces."""

    ends: str
    non_word: str
    is_spaced: bool = True


class _Candidate(NamedTuple):
    """A possible end of a sentence: its offset, the start of the next, and the words around."""

    end: int
    next_start: int
    context: str


def find_sentences(
    text: str, marks: Punctuation, ends_sentence: EndsSentence, *, keep_white_spaces: bool, use_split_rules: bool
) -> list[tuple[int, int]]:
    """Return the start and the end of each sentence; the last ends before trailing whitespace.

    >>> marks = Punctuation(".?!", '"')
    >>> find_sentences("One. Two. ", marks, lambda _: True, keep_white_spaces=True, use_split_rules=False)
    [(0, 5), (5, 9)]
    """
    spans = _realign(text, list(_cut(text, marks, ends_sentence, keep_white_spaces)))
    if len(spans) > 1 and not text[slice(*spans[-1])].strip(marks.ends):
        spans[-2:] = [(spans[-2][0], spans[-1][1])]  # the last of several marks at the end of a text: ``No?!``
    if keep_white_spaces:
        # Whitespace left between two sentences by a realigned quote belongs to the first.
        starts = [start for start, _ in spans]
        spans = list(zip(starts, [*starts[1:], spans[-1][1]], strict=True)) if spans else []
    return _join(text, spans) if use_split_rules else spans


def to_bounds(text: str, spans: Sequence[tuple[int, int]]) -> list[int]:
    """Return the offset of each sentence, and the length of the text; sentences are adjacent.

    >>> to_bounds("One. Two. ", [(0, 4), (5, 9)])
    [0, 5, 10]
    """
    return [*(start for start, _ in spans), len(text)] if spans else []


def _cut(
    text: str, marks: Punctuation, ends_sentence: EndsSentence, keep_white_spaces: bool
) -> Iterator[tuple[int, int]]:
    start = 0
    for candidate in _find_candidates(text, marks, keep_white_spaces):
        if ends_sentence(candidate.context):
            yield start, candidate.end
            start = candidate.next_start
    yield start, len(text.rstrip())


def _find_candidates(text: str, marks: Punctuation, keep_white_spaces: bool) -> Iterator[_Candidate]:
    """Yield the last end mark of each word with end marks: in ``what?!`` that is ``!``."""
    before: tuple[int, re.Match[str]] | None = None  # the start of the word, and its last mark so far
    word_start = mark_start = 0
    for match in _compile_end_marks(marks, keep_white_spaces).finditer(text):
        at = _find_last_whitespace(text, mark_start, match.start())
        if at > mark_start:
            word_start = at + 1
        elif not marks.is_spaced and text[mark_start : match.start()].strip(marks.ends):
            word_start = mark_start
        if before and word_start >= mark_start:
            yield _make_candidate(text, before, marks)
        before, mark_start = (word_start, match), match.start()
    if before:
        yield _make_candidate(text, before, marks)


def _make_candidate(text: str, before: tuple[int, re.Match[str]], marks: Punctuation) -> _Candidate:
    word_start, match = before
    end, following = match.end(), match.start("following")
    if text[end] in marks.non_word:
        return _Candidate(end, end, text[word_start : end + 1])
    word = text[following : following + _MAX_NEXT_WORD].split(maxsplit=1)[0]
    return _Candidate(end, following, text[word_start:following] + word)


@cache
def _compile_end_marks(marks: Punctuation, keep_white_spaces: bool) -> re.Pattern[str]:
    ends, non_word = re.escape(marks.ends), re.escape(marks.non_word)
    if keep_white_spaces:
        return re.compile(rf"[{ends}][{re.escape(_CLOSERS)}]*\s*(?=(?P<following>\S))")
    return re.compile(rf"[{ends}](?=[{non_word}]|\s+(?P<following>\S))")


def _find_last_whitespace(text: str, start: int, end: int) -> int:
    return max(text.rfind(character, start, end) for character in _WHITESPACE)


def _realign(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Move a closing quote or bracket to the sentence that it closes."""
    aligned = []
    shift = 0
    for (start, end), after in zip(spans, [*spans[1:], None], strict=True):
        first = start + shift
        closing = _CLOSING.match(text, *after) if after else None
        if closing and after:
            aligned.append((first, after[0] + len(closing.group().rstrip())))
            shift = closing.end() - after[0]
        else:
            shift = 0
            if first < end:
                aligned.append((first, end))
    return aligned


def _join(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    quotes = [match.span() for match in _QUOTES.finditer(text)]
    quote_starts = [start for start, _ in quotes]
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and _continues(text, joined[-1], (start, end), quotes, quote_starts):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _continues(
    text: str,
    span: tuple[int, int],
    after: tuple[int, int],
    quotes: Sequence[tuple[int, int]],
    quote_starts: Sequence[int],
) -> bool:
    start, end = span
    while end > start and text[end - 1].isspace():
        end -= 1
    number = bisect_left(quote_starts, end) - 1
    quote_end = quotes[number][1] if number >= 0 else -1
    if end < quote_end:
        return True
    if end == quote_end and (text[end - 2] == "?" or not text[end : end + 1].isspace()):
        return True
    return _ends_with_list_number(text, start, end) or bool(_BRACKET.match(text, *after))


def _ends_with_list_number(text: str, start: int, end: int) -> bool:
    number = _NUMBER_AT_END.search(text, max(start, end - 3), end)
    if not number:
        return False
    at = number.start()
    while at > start and text[at - 1].isspace() and text[at - 1] != "\n":
        at -= 1
    return at == start or text[at - 1] == "\n"
