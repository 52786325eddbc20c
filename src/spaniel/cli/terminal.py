"""What all commands print and how they end."""

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.text import Text

from spaniel.errors import SpanielError
from spaniel.knowledge_base import Progress

INTERRUPTED = 130
_PIPED_WIDTH = 100

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


@contextmanager
def exit_on_error() -> Iterator[None]:
    """Turn an expected error into one line and exit code 1, an interruption into exit code 130."""
    try:
        yield
    except (SpanielError, ValueError, OSError) as error:
        message = " ".join(plain(_message(error)).split())
        stderr().print(Text(f"Error: {message}", style="red"))
        raise typer.Exit(1) from error
    except KeyboardInterrupt:
        stderr().print("Stopped.")
        raise typer.Exit(INTERRUPTED) from None


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"'{error.filename}': {error.strerror}."
    return str(error)


def print_json(data: Any) -> None:
    """Print data as JSON."""
    print_text(plain_json(json.dumps(data, ensure_ascii=False, indent=2, default=str)))


def print_text(text: str) -> None:
    """Print a text.

    :raises ReaderGone: nobody reads it.
    """
    try:
        typer.echo(text)
    except BrokenPipeError:
        raise ReaderGone from None


class ReaderGone(Exception):  # noqa: N818 (no error)
    """The reader of a pipe, such as ``head``, has seen enough."""


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise ReaderGone


def stdout() -> Console:
    """Return what prints results."""
    return _Console(highlight=False, width=None if sys.stdout.isatty() else _PIPED_WIDTH)


def stderr() -> Console:
    """Return what prints reports and errors."""
    return _Console(stderr=True, highlight=False, soft_wrap=True)


# Tab and line feed may stay. What turns the direction of writing, or ends a line in some terminals, may not.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_BREAK = re.compile(r"[\t\n]")


def plain(text: str) -> str:
    r"""Return a text that can be printed: control characters, and bytes that are no characters, become question marks.

    >>> plain("a\x1b[31mb")
    'a?[31mb'
    """
    return _CONTROL.sub("?", text).encode("utf-8", "replace").decode("utf-8")


def plain_line(text: str) -> str:
    r"""Return a name or heading that can be printed: as `plain` does, and line feeds and tabs become question marks too.

    >>> plain_line("a.md\n2. b.md")
    'a.md?2. b.md'
    """
    return _BREAK.sub("?", plain(text))


def plain_json(text: str) -> str:
    r"""Return JSON that can be printed: control characters become escapes, so it means the same.

    >>> plain_json('"a\u202eb"')
    '"a\\u202eb"'
    """
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


_STEPS = {"links": "Finding link targets", "files": "Indexing"}


@contextmanager
def progress_bar(console: Console, *, hidden: bool) -> Iterator[Callable[[Progress], None] | None]:
    """Give what shows how far an indexing run is; None if hidden, or where no one looks on.

    :param console: where to.
    :param hidden: whether to show nothing.
    """
    if hidden or not console.is_terminal:
        yield None
        return
    columns = [TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn()]
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("Looking for files", total=None)

        def tell(progress: Progress) -> None:
            step = f"{_STEPS[progress.step]}: {progress.files:,} of {progress.total_files:,} files"
            bar.update(task, description=step, completed=progress.bytes, total=progress.total_bytes)

        yield tell
