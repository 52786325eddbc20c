"""How results, documents and reports look in a terminal."""

import re
from collections.abc import Mapping

from rich.console import Console
from rich.table import Table
from rich.text import Text

from spaniel.cli.passages import short_id
from spaniel.cli.terminal import plain, plain_line
from spaniel.dataclasses import Document
from spaniel.knowledge_base import IndexReport, Statistics

_PASSAGE_CHARACTERS = 480
_LISTED = 10
_INDENT = "   "
_MATCHED, _PLACE, _HEADINGS, _FAINT, _GOOD, _BAD = "bold yellow", "bold cyan", "cyan", "dim", "green", "red"
_FOR_SPLITTERS = frozenset({"headings", "heading_slugs", "references", "code_blocks"})
_IDS = frozenset({"source_id", "__parent_id", "__children_ids", "__root_id"})  # their first 8 characters do for `show`
_BLANK_LINES = re.compile(r"\n[ \t]*(?=\n)")
_DIGEST = re.compile("[0-9a-f]{64}")


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
        return short_id(str(value)) if name in _IDS and value else str(value)
    more = f", ... ({len(value):,} in all)" if len(value) > _LISTED else ""
    return ", ".join(short_id(str(item)) if name in _IDS else str(item) for item in value[:_LISTED]) + more
