"""Search results in a terminal."""

import re
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from spaniel.cli.terminal import plain, plain_line
from spaniel.knowledge_base import Result, SearchResults, find_term_spans

_PASSAGE_CHARACTERS = 480
_LISTED = 10
_INDENT = "   "
_MATCHED, _PLACE, _HEADINGS, _FAINT, _GOOD, _BAD = "bold yellow", "bold cyan", "cyan", "dim", "green", "red"
_FOR_SPLITTERS = frozenset({"headings", "heading_slugs", "references", "code_blocks"})
_IDS = frozenset({"source_id", "__parent_id", "__children_ids", "__root_id"})  # their first 8 characters do for `show`
_BLANK_LINES = re.compile(r"\n[ \t]*(?=\n)")
_DIGEST = re.compile("[0-9a-f]{64}")


def show_results(console: Console, results: SearchResults, *, full: bool) -> None:
    """Print the results of a search: score, place, passage with the matched words marked, and why it is there.

    :param console: where to.
    :param results: what was found.
    :param full: print passages whole.
    """
    if not results:
        console.print(Text(f"Nothing found. Words looked for: {plain_line(', '.join(results.terms))}."))
    for rank, result in enumerate(results, 1):
        for line in result_lines(console, rank, result, results.terms, full=full):
            console.print(line)
        console.print()


def result_lines(console: Console, rank: int, result: Result, terms: Sequence[str], *, full: bool) -> list[Text]:
    """Return the lines of a result: head, headings, passage, reasons."""
    head = Text(f"{rank}. ", style=_FAINT)
    head.append(plain_line(_place(result)), style=_PLACE)
    if result.score is not None or result.kind == "linked":
        head.append(f"  {'linked' if result.score is None else f'{result.score:.2f}'}", style=_GOOD)
    head.append(f"  {plain_line(short_id(result.id))}", style=_FAINT)
    headings = Text(plain_line(" > ".join(result.headings)), style=_HEADINGS)
    why = Text("\n".join(f"why: {plain_line(reason)}" for reason in result.why), style=_FAINT)
    passage = passage_of(result, terms, None if full else _PASSAGE_CHARACTERS)
    return [head, *(line for text in (headings, passage, why) if text for line in _indented(console, text))]


def _place(result: Result) -> str:
    """Return the file, and the row of a file of rows where that has an id of its own."""
    row = result.document.meta.get("__root_id", "")
    return f"{result.path}#{row}" if result.path and row and not _DIGEST.fullmatch(row) else result.path or result.id


def passage_of(result: Result, terms: Sequence[str], length: int | None, *, flat: bool = False) -> Text:
    """Return the text of a result with the matched words marked.

    :param result: the result.
    :param terms: those of the query.
    :param length: about how many characters around the matched words to show; None: all, as it is.
    :param flat: leave out line ends.
    """
    text = plain(result.text)
    if length is None:
        return _marked(text, find_term_spans(text, terms))
    text = _BLANK_LINES.sub("", _without_heading(text, result.headings)).rstrip()
    if flat:
        text = " ".join(text.split())
    return _marked(*snippet(text, find_term_spans(text, terms), length))


def _without_heading(text: str, headings: Sequence[str]) -> str:
    """Return a text without the heading that it begins with, as that is shown above it; unless nothing else is there."""
    first, _, rest = text.lstrip("\n").partition("\n")
    line, _, after = rest.partition("\n")
    if line and not line.strip("=-~*^#+\"'`"):  # it is underlined
        rest = after
    return rest.lstrip("\n") if headings and rest.strip() and first.strip("# ") == headings[-1] else text


def _marked(text: str, spans: Iterable[tuple[int, int]]) -> Text:
    passage = Text(text)
    for start, end in spans:
        passage.stylize(_MATCHED, start, end)
    return passage


def _indented(console: Console, text: Text) -> list[Text]:
    """Return a text as lines that fit the terminal, indented below its head; trailing space is left out."""
    return [Text(_INDENT).append_text(line) for line in text.wrap(console, console.width - len(_INDENT), tab_size=4)]


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


def short_id(id: str) -> str:
    """Return the start of an id that is made from a document, which does for `show`; one that a row has, whole."""
    return id[:8] if _DIGEST.fullmatch(id) else id
