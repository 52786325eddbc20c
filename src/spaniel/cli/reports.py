"""Reports, statistics and documents in a terminal."""

import mimetypes
import re
from collections.abc import Iterable, Mapping

from rich.console import Console
from rich.table import Table
from rich.text import Text

from spaniel.cli.passages import shorten_id, unwrap_paragraphs
from spaniel.cli.terminal import format_count, sanitize, sanitize_line
from spaniel.dataclasses import Document
from spaniel.json_types import Json
from spaniel.knowledge_base import IndexReport, Statistics

_MAX_LISTED = 10
_BINARY = re.compile(r"image/(?!svg)|audio/|video/|font/|application/(?!json|javascript|xml|.*\+xml|x-tex|x-sh)")
_FAINT, _BAD = "dim", "red"
_INTERNAL_KEYS = frozenset({"headings", "heading_slugs", "references", "code_blocks", "reference_lines"})
_ID_KEYS = frozenset({"source_id", "__parent_id", "__children_ids", "__root_id"})


def show_report(console: Console, report: IndexReport) -> None:
    """Print the result of an indexing run, except unreadable files and rows."""
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
    documents = format_count(report.documents, "document")
    console.print(f"Files: {', '.join(parts) or 'none to read'}. {documents} written in {report.seconds:.1f} s.")
    if report.passed_over:
        count = format_count(sum(report.passed_over.values()), "file")
        kinds = sanitize_line(_format_kinds(report.passed_over))
        example = sanitize_line(_find_text_suffix(report.passed_over))
        hint = f" Read text among them by --as, such as --as {example}=txt." if example else ""
        console.print(Text(f"Passed over {count} of other kinds: {kinds}.{hint}", style=_FAINT))
    if report.ignored:
        entries = "entry" if report.ignored == 1 else "entries"
        console.print(Text(f"Left out {report.ignored:,} {entries} by .gitignore files and patterns.", style=_FAINT))
    if outside := report.links_outside:
        names = ", ".join(sanitize_line(name) for name in outside[:_MAX_LISTED])
        more = f", and {len(outside) - _MAX_LISTED:,} more" if len(outside) > _MAX_LISTED else ""
        console.print(Text(f"Links to outside: {len(outside):,}, passed over: {names}{more}.", style=_FAINT))
    if report.warnings:
        warnings = [(path, warning) for path, found in report.warnings.items() for warning in found]
        title = f"{format_count(len(report.warnings), 'file')} with warnings:"
        _show_list(console, title, warnings, len(warnings), style=_FAINT)


def show_failures(console: Console, report: IndexReport) -> None:
    """Print the unreadable files and rows of an indexing run."""
    if report.failed:
        title = f"{format_count(len(report.failed), 'file')} could not be read:"
        _show_list(console, title, report.failed.items(), len(report.failed), style=_BAD)
    for path, rows in report.bad_rows.items():
        title = f"{format_count(rows.count, 'row')} of {sanitize_line(path)} left out:"
        reasons = ((path, f"line {line}: {reason}") for line, reason in rows.first)
        _show_list(console, title, reasons, rows.count, style=_BAD)


def _show_list(console: Console, title: str, entries: Iterable[tuple[str, str]], total: int, *, style: str) -> None:
    """Print the first entries, each a path and a message, below a title."""
    console.print(Text(title, style=style))
    for path, message in list(entries)[:_MAX_LISTED]:
        console.print(Text(f"  {sanitize_line(path)}: {sanitize_line(message)}", style=style))
    if total > _MAX_LISTED:
        console.print(Text(f"  and {total - _MAX_LISTED:,} more", style=style))


def _find_text_suffix(counts: Mapping[str, int]) -> str:
    """Return the most frequent suffix that may be of text; "" if there is none."""
    suffixes = sorted((suffix for suffix in counts if suffix.startswith(".")), key=lambda suffix: -counts[suffix])
    return next((suffix for suffix in suffixes if not _BINARY.match(mimetypes.guess_type(f"a{suffix}")[0] or "")), "")


def _format_kinds(counts: Mapping[str, int]) -> str:
    kinds = sorted(counts.items(), key=lambda item: -item[1])
    parts = [f"{kind} {count:,}" for kind, count in kinds[:_MAX_LISTED]]
    if others := sum(count for _, count in kinds[_MAX_LISTED:]):
        parts.append(f"others {others:,}")
    return ", ".join(parts)


def show_statistics(console: Console, statistics: Statistics) -> None:
    """Print the statistics of a knowledge base."""
    rows = {
        "folders": "\n".join(map(sanitize_line, statistics.folders)),
        "files": f"{statistics.files:,} ({_format_kinds(statistics.kinds)})" if statistics.files else "0",
        "documents": f"{statistics.documents:,}, of which {statistics.leaves:,} are searched: the smallest pieces",
        "words": "" if statistics.words is None else f"{statistics.words:,}, {statistics.terms:,} different",
        "analyzer": _format_analyzer(statistics),
        **({"model": f"{statistics.model}: passages are also found by their meaning"} if statistics.model else {}),
        "links": f"{statistics.links:,}, and {statistics.broken_links:,} that lead nowhere",
        "size on disk": f"{statistics.bytes_on_disk / 1e6:,.1f} MB",
    }
    if statistics.words is None:  # a server does not count them
        del rows["words"], rows["analyzer"]
    console.print(_make_table(rows))


def _format_analyzer(statistics: Statistics) -> str:
    languages = ", ".join(f"{name} {count:,}" for name, count in statistics.languages.items())
    fields = f"; also searched: {', '.join(statistics.fields)}" if statistics.fields else ""
    return f"{statistics.analyzer}{f' ({languages})' if languages else ''}{fields}"


def show_document(console: Console, document: Document, file: str | None = None, *, internals: bool = False) -> None:
    """Print the metadata and the text of a document.

    :param file: the absolute path of its file.
    :param internals: print the keys that the splitter and the hierarchy use, too.
    """
    meta = {
        key: _format_value(key, value)
        for key, value in document.meta.items()
        if internals or not (key in _INTERNAL_KEYS or key.startswith("__"))
    }
    place = {} if file is None else {"file": file}
    console.print(_make_table({"id": document.id, **place, **meta}))
    console.print()
    console.print(Text(unwrap_paragraphs(sanitize(document.content or ""))))


def _make_table(rows: Mapping[str, str]) -> Table:
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    for name, value in rows.items():
        table.add_row(Text(sanitize_line(name)), Text(sanitize(value)))
    return table


def _format_value(key: str, value: Json) -> str:
    if not isinstance(value, list):
        return shorten_id(str(value)) if key in _ID_KEYS and value else str(value)
    more = f", ... ({len(value):,} in all)" if len(value) > _MAX_LISTED else ""
    return ", ".join(shorten_id(str(item)) if key in _ID_KEYS else str(item) for item in value[:_MAX_LISTED]) + more
