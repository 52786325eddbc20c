"""How results, documents and reports look in a terminal."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from spaniel.cli.plain_data import plain_data
from spaniel.cli.plain_text import plain, plain_line
from spaniel.cli.snippet import snippet
from spaniel.dataclasses import Document
from spaniel.knowledge_base import IndexReport, Result, SearchResults, Statistics, matched_spans

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
        for line in _result(console, rank, result, results.terms, full=full):
            console.print(line)
        console.print()


def _result(console: Console, rank: int, result: Result, terms: Sequence[str], *, full: bool) -> list[Text]:
    head = Text(f"{rank}. ", style=_FAINT)
    head.append(plain_line(_place(result)), style=_PLACE)
    if result.score is not None or result.kind == "linked":
        head.append(f"  {'linked' if result.score is None else f'{result.score:.2f}'}", style=_GOOD)
    head.append(f"  {plain_line(_short_id(result.id))}", style=_FAINT)
    headings = Text(plain_line(" > ".join(result.headings)), style=_HEADINGS)
    why = Text("\n".join(f"why: {plain_line(reason)}" for reason in result.why), style=_FAINT)
    passage = passage_of(result, terms, None if full else _PASSAGE_CHARACTERS)
    return [head, *(line for text in (headings, passage, why) if text for line in _indented(console, text))]


def show_outputs(console: Console, outputs: Mapping[str, Mapping[str, Any]]) -> None:
    """Print what a pipeline gives: lists of documents as results, all else as JSON.

    :param console: where to.
    :param outputs: by component and output.
    """
    for component, values in outputs.items():
        for name, value in values.items():
            console.print(Text(plain_line(f"{component}.{name}"), style=_HEADINGS))
            if isinstance(value, list) and value and all(isinstance(each, Document) for each in value):
                for rank, document in enumerate(value, 1):
                    found = Result(document, document.content or "", "hit", ())
                    for line in _result(console, rank, found, (), full=False):
                        console.print(line)
            else:
                text = json.dumps(plain_data(value), ensure_ascii=False, indent=2, default=str)
                console.print(Text(plain(text)))
            console.print()


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
        return _marked(text, matched_spans(text, terms))
    text = _BLANK_LINES.sub("", _without_heading(text, result.headings)).rstrip()
    if flat:
        text = " ".join(text.split())
    return _marked(*snippet(text, matched_spans(text, terms), length))


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


def show_report(console: Console, report: IndexReport) -> None:
    """Print what an indexing run did."""
    numbers = {
        "new": len(report.added),
        "changed": len(report.changed),
        "unchanged": report.unchanged,
        "removed": len(report.removed),
    }
    parts = [f"{number:,} {name}" for name, number in numbers.items() if number]
    if report.interrupted:
        read = len(report.added) + len(report.changed)
        parts.append(f"{read:,} of {read + report.left:,} read")
    done = ", ".join(parts) or "none to read"
    console.print(f"Files: {done}. {_count(report.documents, 'document')} written in {report.seconds:.1f} s.")
    if report.passed_over:
        count = _count(sum(report.passed_over.values()), "file")
        console.print(
            Text(f"Passed over {count} of other kinds: {plain_line(_kinds(report.passed_over))}.", style=_FAINT)
        )
    if report.links_outside:
        names = [plain_line(name) for name in report.links_outside[:_LISTED]]
        more = f", and {len(report.links_outside) - _LISTED:,} more" if len(report.links_outside) > _LISTED else ""
        console.print(
            Text(
                f"Links to outside: {len(report.links_outside):,}, passed over: {', '.join(names)}{more}.", style=_FAINT
            )
        )


def show_failures(console: Console, report: IndexReport) -> None:
    """Print what an indexing run could not read."""
    if report.failed:
        console.print(Text(f"{_count(len(report.failed), 'file')} could not be read:", style=_BAD))
        for path, reason in list(report.failed.items())[:_LISTED]:
            console.print(Text(f"  {plain_line(path)}: {plain_line(reason)}", style=_BAD))
        if len(report.failed) > _LISTED:
            console.print(Text(f"  and {len(report.failed) - _LISTED:,} more", style=_BAD))
    for path, rows in report.bad_rows.items():
        console.print(Text(f"{_count(rows.count, 'row')} of {plain_line(path)} left out:", style=_BAD))
        for line, reason in rows.first[:_LISTED]:
            console.print(Text(f"  {plain_line(path)}: line {line}: {plain_line(reason)}", style=_BAD))
        if rows.count > _LISTED:
            console.print(Text(f"  and {rows.count - _LISTED:,} more", style=_BAD))


def _count(number: int, name: str) -> str:
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def _kinds(counts: Mapping[str, int]) -> str:
    kinds = sorted(counts.items(), key=lambda item: -item[1])
    rest = sum(count for _, count in kinds[_LISTED:])
    return ", ".join(
        [*(f"{kind} {count:,}" for kind, count in kinds[:_LISTED]), *([f"others {rest:,}"] if rest else [])]
    )


def show_statistics(console: Console, statistics: Statistics) -> None:
    """Print the numbers of a knowledge base."""
    rows = {
        "folders": "\n".join(map(plain_line, statistics.folders)),
        "files": f"{statistics.files:,} ({_kinds(statistics.kinds)})" if statistics.files else "0",
        "documents": f"{statistics.documents:,}, of which {statistics.leaves:,} are searched: the smallest pieces",
        "words": _words(statistics),
        "links": f"{statistics.links:,}, and {statistics.broken_links:,} that lead nowhere",
        "size on disk": f"{statistics.bytes_on_disk / 1e6:,.1f} MB",
    }
    console.print(_table({name: text for name, text in rows.items() if text is not None}))


def _words(statistics: Statistics) -> str | None:
    if statistics.words is None or statistics.terms is None:
        return None
    return f"{statistics.words:,}, {statistics.terms:,} different"


def show_document(console: Console, document: Document) -> None:
    """Print a document: its metadata, but for what converters tell splitters, then its text."""
    meta = {name: _short(name, value) for name, value in document.meta.items() if name not in _FOR_SPLITTERS}
    console.print(_table({"id": document.id, **meta}))
    console.print()
    console.print(Text(plain(document.content or "")))


def _table(rows: Mapping[str, str]) -> Table:
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    for name, value in rows.items():
        table.add_row(Text(plain_line(name)), Text(plain(value)))
    return table


def _short(name: str, value: object) -> str:
    if not isinstance(value, list):
        return _short_id(str(value)) if name in _IDS and value else str(value)
    more = f", ... ({len(value):,} in all)" if len(value) > _LISTED else ""
    return ", ".join(_short_id(str(item)) if name in _IDS else str(item) for item in value[:_LISTED]) + more


def _short_id(id: str) -> str:
    """Return the start of an id that is made from a document, which does for `show`; one that a row has, whole."""
    return id[:8] if _DIGEST.fullmatch(id) else id
