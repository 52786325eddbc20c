"""Commands that list the indexed files, and their links."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from spaniel.cli import options
from spaniel.cli.completion import complete_address
from spaniel.cli.passages import format_address, style_place
from spaniel.cli.terminal import JsonOption, exit_on_error, format_count, print_json, sanitize_line, stdout
from spaniel.knowledge_base import Link, ListedFile, open_knowledge_base

_FAINT = "dim"
_UNITS = ("B", "KB", "MB", "GB")


def ls(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files, folders and patterns such as 'docs/**/*.md'.", metavar="PATH...", show_default="all"
        ),
    ] = None,
    store: options.Store = options.DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """List the indexed files: passages, size, languages, path and title. Exits with 1 if none
    matches.
    """
    with exit_on_error():
        files = open_knowledge_base(store).files(*(paths or ()))
    if as_json:
        print_json([file.to_dict() for file in files])
    else:
        _show_files(stdout(soft_wrap=True), files)


def _show_files(console: Console, files: Sequence[ListedFile]) -> None:
    rows = [
        (
            "-" if file.passages is None else f"{file.passages:,}",
            "-" if file.size is None else format_size(file.size),
            ", ".join(file.languages) or "-",
        )
        for file in files
    ]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    for (passages, size, languages), file in zip(rows, files, strict=True):
        line = Text(f"{passages:>{widths[0]}}  {size:>{widths[1]}}  {languages:<{widths[2]}}  ", style=_FAINT)
        line.append(sanitize_line(file.path), style=style_place(file.file))
        if file.title and file.title != file.path.rpartition("/")[2]:
            line.append(f"  {sanitize_line(file.title)}", style="none")
        console.print(line)


def format_size(size: int) -> str:
    """Return a number of bytes in the largest fitting unit of 1,000.

    >>> format_size(900), format_size(1_500), format_size(25_000_000)
    ('900 B', '1.5 KB', '25.0 MB')
    """
    number, unit = float(size), 0
    while number >= 1000 and unit < len(_UNITS) - 1:
        number, unit = number / 1000, unit + 1
    return f"{number:.1f} {_UNITS[unit]}" if unit else f"{size} B"


def links(
    address: Annotated[
        str | None,
        typer.Argument(
            help="A file, a folder, a pattern of paths, or 'path#section'.",
            show_default="all files",
            autocompletion=complete_address,
        ),
    ] = None,
    broken: Annotated[
        bool, typer.Option("--broken", help="Only links that lead nowhere, with a suggestion; exit with 1 if any.")
    ] = False,
    store: options.Store = options.DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """List links with the lines they are on: those in a page or section, then those into it."""
    with exit_on_error():
        found = open_knowledge_base(store).links(address, broken=broken)
    if as_json:
        print_json([link.to_dict() for link in found])
    else:
        _show_links(stdout(soft_wrap=True), found, broken=broken)
    if broken and found:
        raise typer.Exit(1)


def _show_links(console: Console, found: Sequence[Link], *, broken: bool) -> None:
    for link in found:
        line = Text(sanitize_line(format_address(link.path, link.line)), style=style_place(link.file))
        mark = "broken: " if link.kind == "broken" else "" if link.direction == "out" else "from outside: "
        line.append(f"  {mark}{sanitize_line(link.target)}", style="none")
        if link.suggestion is not None:
            line.append(f"  (did you mean {sanitize_line(link.suggestion)}?)", style=_FAINT)
        console.print(line)
    if not found:
        console.print("No broken links." if broken else "No links.")
    elif broken:
        files = len({link.path for link in found})
        console.print(
            Text(f"{format_count(len(found), 'broken link')} in {format_count(files, 'file')}.", style=_FAINT)
        )
