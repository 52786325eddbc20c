"""Terminal output: safe text, consoles, progress bars, errors and exit codes."""

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from spaniel.errors import SpanielError
from spaniel.json_types import Json

INTERRUPTED = 130
_PIPED_WIDTH = 100

# Tab and line feed are safe. Characters that change the direction of text, or that some terminals
# take for a line end, are not.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_BREAK = re.compile(r"[\t\n]")

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


def sanitize(text: str) -> str:
    r"""Return a text with control characters and lone surrogates as question marks, so that no file
    steers the terminal.

    >>> sanitize("a\x1b[31mb")
    'a?[31mb'
    """
    return _CONTROL.sub("?", text).encode("utf-8", "replace").decode("utf-8")


def sanitize_line(text: str) -> str:
    r"""Return a name or heading as `sanitize` does, with line feeds and tabs as question marks too.

    >>> sanitize_line("a.md\n2. b.md")
    'a.md?2. b.md'
    """
    return _BREAK.sub("?", sanitize(text))


def escape_json(text: str) -> str:
    r"""Return equivalent JSON with control characters as escapes.

    >>> escape_json('"a\u202eb"')
    '"a\\u202eb"'
    """
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def format_count(count: int, noun: str) -> str:
    """Return a count with its noun.

    >>> format_count(1, "file"), format_count(1200, "row")
    ('1 file', '1,200 rows')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


class ReaderGone(Exception):  # noqa: N818 (not an error)
    """The reader of a pipe, such as ``head``, has closed it."""


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise ReaderGone


def stdout(*, soft_wrap: bool = False) -> Console:
    """Return the console for results.

    :param soft_wrap: leave long lines to the terminal.
    """
    return _Console(highlight=False, soft_wrap=soft_wrap, width=None if sys.stdout.isatty() else _PIPED_WIDTH)


def stderr() -> Console:
    """Return the console for progress and diagnostics."""
    return _Console(stderr=True, highlight=False, soft_wrap=True)


def print_json(data: Json) -> None:
    """Print data as JSON."""
    print_text(escape_json(json.dumps(data, ensure_ascii=False, indent=2, default=str)))


def print_text(text: str) -> None:
    """Print a text.

    :raises ReaderGone: the pipe is closed.
    """
    try:
        typer.echo(text)
    except BrokenPipeError:
        raise ReaderGone from None


@contextmanager
def exit_on_error() -> Iterator[None]:
    """Print an expected error as a line and exit with 1; exit with 130 on Ctrl-C."""
    try:
        yield
    except (SpanielError, ValueError, OSError) as error:
        message = str(error)
        if isinstance(error, OSError) and error.filename is not None:
            message = f"'{error.filename}': {error.strerror}."
        stderr().print(Text(f"Error: {' '.join(sanitize(message).split())}", style="red"))
        raise typer.Exit(1) from error
    except KeyboardInterrupt:
        stderr().print("Stopped.")
        raise typer.Exit(INTERRUPTED) from None


@contextmanager
def progress_bar(
    description: str, total: int | None = None, *, bytes: bool = False, hidden: bool = False
) -> Iterator[Callable[..., None]]:
    """Show a progress bar on a terminal, and yield the function that updates it.

    The function takes the keywords of `rich.progress.Progress.update`, such as ``completed``.

    :param bytes: `total` is a number of bytes.
    :param hidden: show nothing.
    """
    console = stderr()
    columns = (BarColumn(), DownloadColumn() if bytes else MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(
        TextColumn("{task.description}"),
        *columns,
        console=console,
        transient=True,
        disable=hidden or not console.is_terminal,
    ) as bar:
        task = bar.add_task(description, total=total)
        yield lambda **changes: bar.update(task, **changes)
