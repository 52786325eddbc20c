"""How results, documents and reports look in a terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from spaniel.cli.snippet import snippet
from spaniel.dataclasses import Document
from spaniel.knowledge_base import IndexReport, Result, SearchResults, Statistics, matched_spans

_PASSAGE_CHARACTERS = 480
_LISTED = 10
_INDENT = "   "
_MATCHED, _PLACE, _FAINT, _GOOD, _BAD = "bold yellow", "bold cyan", "dim", "green", "red"


def show_results(console: Console, results: SearchResults, *, full: bool) -> None:
    """Print the results of a search: score, place, passage with the matched words marked, and why it is there.

    :param console: where to.
    :param results: what was found.
    :param full: print passages whole.
    """
    if not results:
        console.print(
            f"No passage shares a word with '{results.query}'. Words looked for: {', '.join(results.terms) or 'none'}."
        )
    for rank, result in enumerate(results, 1):
        for line in _result(console, rank, result, results.terms, full=full):
            console.print(line)
        console.print()


def _result(console: Console, rank: int, result: Result, terms: Sequence[str], *, full: bool) -> list[Text]:
    head = Text(f"{rank}. ", style=_FAINT)
    head.append(_place(result), style=_PLACE)
    head.append(f"  {'linked' if result.score is None else f'{result.score:.2f}'}", style=_GOOD)
    head.append(f"  {result.id[:8]}", style=_FAINT)
    text = result.text.strip()
    spans = matched_spans(text, terms)
    shown, marks = (text, spans) if full else snippet(text, spans, _PASSAGE_CHARACTERS)
    passage = Text(shown)
    for start, end in marks:
        passage.stylize(_MATCHED, start, end)
    why = Text("\n".join(f"why: {reason}" for reason in result.why), style=_FAINT)
    return [head, *_indented(console, passage), *_indented(console, why)]


def _indented(console: Console, text: Text) -> list[Text]:
    """Return a text as lines that fit the terminal, indented below its head; trailing space is left out."""
    return [Text(_INDENT).append_text(line) for line in text.wrap(console, console.width - len(_INDENT), tab_size=4)]


def _place(result: Result) -> str:
    section = result.section
    if section and section[0] == result.title:
        section = section[1:]
    return " > ".join(part for part in [result.path, result.title, *section] if part) or result.id


def show_report(console: Console, report: IndexReport) -> None:
    """Print what an indexing run did, and what it could not read."""
    numbers = [
        f"{len(report.added)} new",
        f"{len(report.changed)} changed",
        f"{report.unchanged} unchanged",
        f"{len(report.removed)} removed",
    ]
    console.print(f"{', '.join(numbers)} files; {report.documents:,} documents written in {report.seconds:.1f} s.")
    if report.passed_over:
        kinds = sorted(report.passed_over.items(), key=lambda item: -item[1])
        shown = ", ".join(f"{suffix} {count}" for suffix, count in kinds[:_LISTED])
        console.print(f"Passed over {sum(report.passed_over.values())} files of other kinds: {shown}.", style=_FAINT)
    if report.failed:
        console.print(f"{len(report.failed)} files could not be read:", style=_BAD)
        for path, reason in list(report.failed.items())[:_LISTED]:
            console.print(f"  {path}: {reason}", style=_BAD, markup=False)
        if len(report.failed) > _LISTED:
            console.print(f"  and {len(report.failed) - _LISTED} more", style=_BAD)


def show_statistics(console: Console, statistics: Statistics) -> None:
    """Print the numbers of a knowledge base."""
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    kinds = ", ".join(f"{suffix} {count:,}" for suffix, count in statistics.kinds.items())
    rows = {
        "files": f"{statistics.files:,} ({kinds})" if kinds else "0",
        "documents": f"{statistics.documents:,}, of which {statistics.leaves:,} are searched (leaves)",
        "words": f"{statistics.words:,}, {statistics.terms:,} different",
        "links": f"{statistics.links:,}, and {statistics.broken_links:,} that lead nowhere",
        "size on disk": f"{statistics.bytes_on_disk / 1e6:,.1f} MB",
    }
    for name, value in rows.items():
        table.add_row(name, value)
    console.print(table)


def show_document(console: Console, document: Document) -> None:
    """Print a document: its metadata, then its text."""
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_row("id", document.id)
    for name, value in document.meta.items():
        table.add_row(name, Text(_short(value)))
    console.print(table)
    console.print()
    console.print(Text(document.content or ""))


def _short(value: object) -> str:
    if isinstance(value, list) and len(value) > _LISTED:
        return f"{', '.join(str(item) for item in value[:_LISTED])}, ... ({len(value)} in all)"
    return ", ".join(str(item) for item in value) if isinstance(value, list) else str(value)
