"""What all commands print and how they end."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from spaniel.cli.plain_text import plain, plain_json
from spaniel.errors import SpanielError

INTERRUPTED = 130
_PIPED_WIDTH = 100

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


@contextmanager
def errors_told() -> Iterator[None]:
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
