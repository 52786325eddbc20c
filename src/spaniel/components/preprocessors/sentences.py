"""Where sentences begin: the candidates, and the rules that join what a candidate cut too early. All of it is linear."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

_CLOSERS = ")]}\"'\N{RIGHT SINGLE QUOTATION MARK}”»"
_WHITESPACE = " \t\n\r\x0b\x0c"
_LONGEST_NEXT_WORD = 256  # no model knows a longer word, and a run without spaces would be read once a dot
_QUOTES = re.compile(r"\"[^\"]*\"|(?<!\w)'(?:[^']|(?<=\w)'(?=\w))*+'(?!\w)")  # an apostrophe (don't) is no quote
_NUMBER_AT_END = re.compile(r"\d{1,2}\.\Z")
_BRACKET = re.compile(r"\s*[(\[]")
_REALIGN = re.compile(r"[\"')\]}\u2018\u2019“”«»]+?(?:\s+|(?=--)|$)", re.MULTILINE)

EndsSentence = Callable[[str], bool]
"""Says of a word with an end mark, and the word after it, whether a sentence ends between them."""


class Marks(NamedTuple):
    """The punctuation of a language.

    :param ends: the marks that may end a sentence.
    :param apart: the characters that are no part of a word.
    :param spaced: whether sentences are divided by spaces.
    """

    ends: str
    apart: str
    spaced: bool = True


class Candidate(NamedTuple):
    """A place where a sentence may end: its end, the start of the next, and the words around."""

    end: int
    next_start: int
    context: str


def sentence_spans(
    text: str, marks: Marks, ends_sentence: EndsSentence, *, keep_white_spaces: bool, use_split_rules: bool
) -> list[tuple[int, int]]:
    """Return where each sentence of a text begins and ends.

    The last one ends before the white space that the text ends with.

    :param keep_white_spaces: a sentence runs to the start of the next one; else it ends at its end mark.
    :param use_split_rules: join sentences within quotes, after the number of a list entry, and before a bracket.

    >>> spans = sentence_spans("One. Two. ", Marks(".?!", '"'), lambda _: True, keep_white_spaces=True, use_split_rules=False)
    >>> spans
    [(0, 5), (5, 9)]
    """
    spans = _realigned(text, list(_spans(text, marks, ends_sentence, keep_white_spaces)))
    if len(spans) > 1 and not text[slice(*spans[-1])].strip(marks.ends):
        spans[-2:] = [(spans[-2][0], spans[-1][1])]  # the last of the marks that end a text: ``What?!``
    if keep_white_spaces:
        # What a closing quote's shift left between two sentences goes to the first, so that nothing is lost.
        starts = [start for start, _ in spans]
        spans = list(zip(starts, [*starts[1:], spans[-1][1]], strict=True)) if spans else []
    return _joined(text, spans) if use_split_rules else spans


def sentence_bounds(text: str, spans: Sequence[tuple[int, int]]) -> list[int]:
    """Return where each sentence begins, and after them the length of the text: white space belongs to what is before it.

    >>> sentence_bounds("One. Two. ", [(0, 4), (5, 9)])
    [0, 5, 10]
    """
    return [*(start for start, _ in spans), len(text)] if spans else []


def _spans(text: str, marks: Marks, ends_sentence: EndsSentence, keep_white_spaces: bool) -> Iterator[tuple[int, int]]:
    start = 0
    for candidate in _candidates(text, marks, keep_white_spaces):
        if ends_sentence(candidate.context):
            yield start, candidate.end
            start = candidate.next_start
    yield start, len(text.rstrip())


def _candidates(text: str, marks: Marks, keep_white_spaces: bool) -> Iterator[Candidate]:
    """Yield the last end mark of each word that has one: in ``what?!`` that is ``!``."""
    before: tuple[int, re.Match[str]] | None = None  # where the word begins, and its last mark so far
    word_start = mark_start = 0
    for match in _end_marks(marks, keep_white_spaces).finditer(text):
        at = _last_white_space(text, mark_start, match.start())
        if at > mark_start:
            word_start = at + 1
        elif not marks.spaced and text[mark_start : match.start()].strip(marks.ends):
            word_start = mark_start
        if before and word_start >= mark_start:
            yield _candidate(text, before, marks)
        before, mark_start = (word_start, match), match.start()
    if before:
        yield _candidate(text, before, marks)


def _candidate(text: str, before: tuple[int, re.Match[str]], marks: Marks) -> Candidate:
    word_start, match = before
    end, following = match.end(), match.start("following")
    if text[end] in marks.apart:
        return Candidate(end, end, text[word_start : end + 1])
    word = text[following : following + _LONGEST_NEXT_WORD].split(maxsplit=1)[0]
    return Candidate(end, following, text[word_start:following] + word)


@cache
def _end_marks(marks: Marks, keep_white_spaces: bool) -> re.Pattern[str]:
    ends, apart = re.escape(marks.ends), re.escape(marks.apart)
    if keep_white_spaces:
        return re.compile(rf"[{ends}][{re.escape(_CLOSERS)}]*\s*(?=(?P<following>\S))")
    return re.compile(rf"[{ends}](?=[{apart}]|\s+(?P<following>\S))")


def _last_white_space(text: str, start: int, end: int) -> int:
    return max(text.rfind(character, start, end) for character in _WHITESPACE)


def _realigned(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Give a quote or bracket that closes to the sentence that it closes."""
    aligned = []
    shift = 0
    for (start, end), after in zip(spans, [*spans[1:], None], strict=True):
        first = start + shift
        closing = _REALIGN.match(text, *after) if after else None
        if closing and after:
            aligned.append((first, after[0] + len(closing.group().rstrip())))
            shift = closing.end() - after[0]
        else:
            shift = 0
            if first < end:
                aligned.append((first, end))
    return aligned


def _joined(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    quotes = [match.span() for match in _QUOTES.finditer(text)]
    quote_starts = [start for start, _ in quotes]
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and _goes_on(text, joined[-1], (start, end), quotes, quote_starts):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _goes_on(
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
