"""Search results in a terminal."""

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from pathlib import Path

from rich.console import Console
from rich.style import Style
from rich.text import Text

from spaniel.cli.terminal import sanitize, sanitize_line
from spaniel.knowledge_base import Result, SearchResults

Span = tuple[int, int]

_PASSAGE_CHARACTERS = 480
_INDENT = "   "
_MATCHED, _PLACE, _HEADINGS, _FAINT, _SCORE = "bold yellow", "bold cyan", "cyan", "dim", "green"
_BLANK_LINES = re.compile(r"\n[ \t]*(?=\n)")
_BLOCK_BREAK = re.compile(r"(\n[ \t]*\n)")
_LIST_MARK = re.compile(r"(?:[-*+•]|\d+[.)])[ \t]")
_DIGEST = re.compile("[0-9a-f]{64}")
_MIN_WRAPPED_WIDTH = 60
_MAX_NAMES = 3
_CODE_CHARACTER = re.compile(r"[{}()\[\]<>=;_$\\|/]")
_MAX_CODE_SHARE = 0.05


def show_results(console: Console, results: SearchResults, *, full: bool) -> None:
    """Print search results: score, place, passage with the matched words marked, and reasons.

    :param full: print whole passages.
    """
    if not results:
        console.print(Text(f"Nothing found. Words looked for: {sanitize_line(', '.join(results.terms))}."))
    if results.suggestion is not None:
        console.print(Text(f"Did you mean: {sanitize_line(results.suggestion)}?"))
    for rank, result in enumerate(results, results.offset + 1):
        show_result(console, rank, result, full=full)
        console.print()
    if results and (results.offset or not results.total_is_exact or len(results) < results.total):
        first, last = results.offset + 1, results.offset + len(results)
        more = "" if results.total_is_exact else " or more"
        console.print(Text(f"{first:,} to {last:,}; {results.total:,}{more} passages match.", style=_FAINT))


def show_result(console: Console, rank: int, result: Result, *, full: bool = False) -> None:
    """Print a result."""
    head = Text(f"{rank}. ", style=_FAINT)
    head.append(sanitize_line(_get_place(result)), style=style_place(result.file))
    kind = () if result.kind == "hit" else (result.kind,)
    score = () if result.score is None else (f"{result.score:.2f}",)
    head.append("".join(f"  {each}" for each in (*kind, *score)), style=_SCORE)
    head.append(f"  {sanitize_line(shorten_id(result.id))}", style=_FAINT)
    console.print(head)
    headings = Text(sanitize_line(" > ".join(result.headings)), style=_HEADINGS)
    why = Text("\n".join(f"why: {sanitize_line(reason)}" for reason in result.why), style=_FAINT)
    passage = make_passage(result, None if full else _PASSAGE_CHARACTERS)
    beside = Text("\n".join(map(sanitize_line, [*_describe_folded(result), *_describe_around(result)])), style=_FAINT)
    for text in (headings, passage, why, beside):
        if text:
            for line in text.wrap(console, console.width - len(_INDENT), tab_size=4):
                console.print(Text(_INDENT).append_text(line))


def _describe_folded(result: Result) -> list[str]:
    """Return the line that counts the passages like a result."""
    if not result.folded:
        return []
    names = list(dict.fromkeys(passage.path or passage.id for passage in result.folded))
    more = ", ..." if len(names) > _MAX_NAMES else ""
    return [f"and {len(result.folded):,} more like this: {', '.join(names[:_MAX_NAMES])}{more}"]


def _describe_around(result: Result) -> list[str]:
    """Return the line that names the section and the file around a result."""
    names = [f"{whole.anchor or whole.id} ({whole.tokens:,} tokens)" for whole in result.around]
    return [f"around it: {', '.join(names)}"] if names else []


def make_passage(result: Result, length: int | None, *, flat: bool = False) -> Text:
    """Return the text of a result with its highlights.

    :param length: approximate number of characters around the matched words; None: the whole text.
    :param flat: without line breaks.
    """
    safe = sanitize(result.text)
    text = unwrap_paragraphs(safe)
    if length is None:
        return _mark(text, move_spans(safe, result.highlights, text))
    text = _BLANK_LINES.sub("", _remove_heading(text, result.headings)).rstrip()
    if flat:
        text = " ".join(text.split())
    return _mark(*make_snippet(text, move_spans(safe, result.highlights, text), length))


def move_spans(text: str, spans: Iterable[Span], shown: str) -> list[Span]:
    r"""Return the spans of a text in its shown form, which has other spaces and may lack the start.

    >>> move_spans("# Dogs\n\nred\nbird", [(2, 6), (12, 16)], "red bird")
    [(4, 8)]
    """
    places = [at for at, character in enumerate(shown) if not character.isspace()]
    numbers = list(accumulate((not character.isspace() for character in text), initial=0))
    missing = numbers[-1] - len(places)
    moved = [(numbers[start] - missing, numbers[end] - missing) for start, end in spans if start < end]
    return [(places[first], places[last - 1] + 1) for first, last in moved if 0 <= first < last]


def unwrap_paragraphs(text: str) -> str:
    r"""Return a text with each hard-wrapped paragraph as a line, for the terminal to wrap once;
    code is kept.

    >>> line = "Most of the paragraphs in a text file are wrapped at eighty columns or so."
    >>> unwrap_paragraphs(f"{line}\nThis one too.\n\n- item\n- item") == f"{line} This one too.\n\n- item\n- item"
    True
    """
    return "".join(map(_unwrap_block, _BLOCK_BREAK.split(text)))


def _unwrap_block(block: str) -> str:
    lines = block.split("\n")
    width = max(map(len, lines))
    is_code = len(_CODE_CHARACTER.findall(block)) > _MAX_CODE_SHARE * len(block)
    if width < _MIN_WRAPPED_WIDTH or is_code or " | " in block:
        return block
    joined = lines[0]
    for before, line in pairwise(lines):
        text = line.lstrip(" ")
        if not text or _LIST_MARK.match(text):
            joined += f"\n{line}"
        elif len(before) + 1 + len(text.partition(" ")[0]) > width:  # the next word did not fit: it was wrapped here
            joined += f" {text}"
        else:
            return block
    return joined


def _get_place(result: Result) -> str:
    """Return the file and line, with the row of a file of rows if the row has an id of its own."""
    if not result.path:
        return result.id
    row = result.document.meta.get("__root_id", "")
    place = format_address(result.path, result.line)
    page = "" if result.page is None or result.line is not None else f", page {result.page:,}"
    return f"{place}{page}{f'  #{row}' if row and not _DIGEST.fullmatch(row) else ''}"


def format_address(path: str, line: int | None) -> str:
    """Return ``path:line``, which editors and ``spaniel show`` open; the path without a line.

    >>> format_address("guide/start.md", 12)
    'guide/start.md:12'
    """
    return path if line is None else f"{path}:{line}"


def style_place(file: str | None) -> Style:
    """Return the style of an address, in a terminal with a link to the file if it exists."""
    style = Style.parse(_PLACE)
    return style + Style(link=Path(file).as_uri()) if file is not None and Path(file).is_file() else style


def list_files(results: Iterable[Result]) -> list[str]:
    """Return the files of results, each once, best first, as a program can open them: relative to
    the working folder if they are below it, else absolute; those not on this disk by their path.
    """
    names: dict[str, None] = {}
    for result in results:
        if result.file is not None and Path(result.file).is_file():
            file, here = Path(result.file), Path.cwd()
            names[str(file.relative_to(here) if file.is_relative_to(here) else file)] = None
        elif result.path is not None:
            names[result.path] = None
    return list(names)


def _remove_heading(text: str, headings: Sequence[str]) -> str:
    """Return a text without its first heading, which is shown above it, unless nothing follows."""
    first, _, rest = text.lstrip("\n").partition("\n")
    line, _, after = rest.partition("\n")
    if line and not line.strip("=-~*^#+\"'`"):  # an underline
        rest = after
    return rest.lstrip("\n") if headings and rest.strip() and first.strip("# ") == headings[-1] else text


def _mark(text: str, spans: Iterable[Span]) -> Text:
    passage = Text(text)
    for start, end in spans:
        passage.stylize(_MATCHED, start, end)
    return passage


def make_snippet(text: str, spans: Sequence[Span], length: int) -> tuple[str, list[Span]]:
    """Return about `length` characters around the most matched words, and their spans in it.

    :param text: the passage; returned whole if it is at most slightly longer than `length`.
    :param spans: the positions of the matched words, in order.

    >>> make_snippet("one two three four five six", [(14, 18)], 12)
    ('... three four five ...', [(10, 14)])
    """
    if len(text) <= length * 1.2:
        return text, list(spans)
    start = _find_densest(spans, length)
    start, end = _find_word_start(text, start), _find_word_end(text, min(start + length, len(text)))
    before, after = "... " if start > 0 else "", " ..." if end < len(text) else ""
    shift = len(before) - start
    shown = [(first + shift, last + shift) for first, last in spans if start <= first and last <= end]
    return f"{before}{text[start:end]}{after}", shown


def _find_densest(spans: Sequence[Span], length: int) -> int:
    """Return the start of the `length` characters with the most spans, and some room before."""
    best, best_count, last = 0, 0, 0
    for first, (start, _) in enumerate(spans):
        while last < len(spans) and spans[last][1] <= start + length * 3 // 4:
            last += 1
        if last - first > best_count:
            best, best_count = start, last - first
    return max(best - length // 5, 0)


def _find_word_start(text: str, place: int) -> int:
    space = max(text.rfind(" ", 0, place + 1), text.rfind("\n", 0, place + 1)) if place else -1
    return space + 1 if place - space < 40 else place


def _find_word_end(text: str, place: int) -> int:
    spaces = [found for found in (text.find(" ", place), text.find("\n", place)) if found >= 0]
    space = min(spaces, default=len(text))
    return space if space - place < 40 else place


def shorten_id(id: str) -> str:
    """Return the first characters of a computed id, as `spaniel show` accepts; other ids whole."""
    return id[:8] if _DIGEST.fullmatch(id) else id
