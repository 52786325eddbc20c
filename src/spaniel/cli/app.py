"""The commands of ``spaniel``."""

import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from spaniel.cli.filter_text import filters_from
from spaniel.cli.group import Commands
from spaniel.cli.progress import progress_bar
from spaniel.cli.show import plain, show_document, show_failures, show_report, show_results, show_statistics
from spaniel.errors import SpanielError
from spaniel.knowledge_base import open_knowledge_base
from spaniel.version import __version__

INTERRUPTED = 130
_PIPED_WIDTH = 100

app = typer.Typer(
    cls=Commands,
    name="spaniel",
    help="Search that knows the structure of your documents.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Store = Annotated[
    str,
    typer.Option(
        "--store",
        envvar="SPANIEL_STORE",
        help="The folder of the knowledge base.",
        metavar="FOLDER",
        show_default="./.spaniel",
    ),
]
_DEFAULT_STORE = ".spaniel"
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


@app.callback(invoke_without_command=True)
def spaniel(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Search that knows the structure of your documents."""
    if version:
        typer.echo(f"spaniel {__version__}")
        raise typer.Exit


@app.command()
def index(
    paths: Annotated[list[Path], typer.Argument(help="Files and folders.", readable=False, show_default=False)],
    store: Store = _DEFAULT_STORE,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a file could not be read.")] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No progress bar, no report; only what could not be read.")
    ] = False,
) -> None:
    """Index files and folders: what is new or changed is read, what is gone is removed.

    Reads .md, .rst, .txt and .html, also inside .gz, and .pdf and .docx with the 'convert' extra. It saves on the way and
    on Ctrl-C; run it again to go on.
    """
    with _errors_told():
        kb = open_knowledge_base(store)
        with progress_bar(_stderr(), hidden=quiet) as progress:
            report = kb.index(*paths, progress=progress)
    if not quiet:
        show_report(_stderr(), report)
    show_failures(_stderr(), report)
    if report.interrupted:
        _stderr().print("Interrupted. What was read is saved; run the same command again to go on.")
        raise typer.Exit(INTERRUPTED)
    if strict and report.failed:
        raise typer.Exit(1)


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="What to look for.", show_default=False)],
    store: Store = _DEFAULT_STORE,
    top_k: Annotated[int, typer.Option("--top-k", "-k", min=1, help="How many passages.")] = 10,
    merge: Annotated[
        bool, typer.Option(help="Show a section in place of its parts where enough of them match.")
    ] = True,
    window: Annotated[int, typer.Option(min=0, help="How many chunks to show before and after each passage.")] = 0,
    follow: Annotated[
        str | None,
        typer.Option(
            help="Add what passages link to: metadata keys that hold links, such as 'links'.", metavar="KEY[,KEY]"
        ),
    ] = None,
    depth: Annotated[int, typer.Option(min=0, help="How many hops to follow.")] = 1,
    filter: Annotated[
        list[str] | None,
        typer.Option(help="'FIELD OPERATOR VALUE' or JSON; several must all hold.", metavar="FILTER"),
    ] = None,
    min_score: Annotated[float | None, typer.Option(help="Leave out passages that score less.")] = None,
    full: Annotated[bool, typer.Option("--full", help="Print passages whole.")] = False,
    trace: Annotated[bool, typer.Option("--trace", help="Also print every step of the search.")] = False,
    as_json: Json = False,
) -> None:
    """Search, and say why each passage is there."""
    with _errors_told():
        results = open_knowledge_base(store).search(
            query,
            top_k=top_k,
            filters=filters_from(filter or []),
            merge=merge,
            window=window,
            follow=[] if follow is None else [key.strip() for key in follow.split(",")],
            depth=depth,
            min_score=min_score,
        )
    if as_json:
        _print_json(results.to_dict() | ({"trace": results.trace.to_dict()} if trace else {}))
        return
    show_results(_stdout(), results, full=full)
    if trace:
        told = io.StringIO()
        results.trace.show(told)
        _print(plain(told.getvalue().rstrip("\n")))


@app.command()
def stats(store: Store = _DEFAULT_STORE, as_json: Json = False) -> None:
    """Print how much is indexed: files, documents, words, links."""
    with _errors_told():
        statistics = open_knowledge_base(store).statistics()
    if as_json:
        _print_json(statistics.to_dict())
    else:
        show_statistics(_stdout(), statistics)


@app.command()
def show(
    reference: Annotated[
        str,
        typer.Argument(
            help="An id, the start of one, a file's path, or 'path#section'.", metavar="ID", show_default=False
        ),
    ],
    store: Store = _DEFAULT_STORE,
    as_json: Json = False,
) -> None:
    """Print one document: its metadata and its text."""
    with _errors_told():
        document = open_knowledge_base(store).find(reference)
    if as_json:
        _print_json(document.to_dict(flatten=False))
    else:
        show_document(_stdout(), document)


@app.command()
def delete(
    path: Annotated[str, typer.Argument(help="A file, or a folder, as the results name it.", show_default=False)],
    store: Store = _DEFAULT_STORE,
) -> None:
    """Take a file, or all files below a folder, out of the index. The files themselves stay."""
    with _errors_told():
        deleted = open_knowledge_base(store).delete(path=path)
    _stderr().print(f"{deleted:,} document{'' if deleted == 1 else 's'} deleted.")


@contextmanager
def _errors_told() -> Iterator[None]:
    """Turn an expected error into one line and exit code 1, an interruption into exit code 130."""
    try:
        yield
    except (SpanielError, ValueError, OSError) as error:
        message = " ".join(plain(_message(error)).split())
        _stderr().print(Text(f"Error: {message}", style="red"))
        raise typer.Exit(1) from error
    except KeyboardInterrupt:
        _stderr().print("Stopped.")
        raise typer.Exit(INTERRUPTED) from None


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"'{error.filename}': {error.strerror}."
    return str(error)


def _print_json(data: Any) -> None:
    _print(json.dumps(data, ensure_ascii=False, indent=2, default=str))


def _print(text: str) -> None:
    try:
        typer.echo(text)
    except BrokenPipeError:
        raise _ReaderGone from None


class _ReaderGone(Exception):  # noqa: N818 (no error: the reader of a pipe, such as `head`, has seen enough)
    pass


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise _ReaderGone


def _stdout() -> Console:
    return _Console(highlight=False, width=None if sys.stdout.isatty() else _PIPED_WIDTH)


def _stderr() -> Console:
    return _Console(stderr=True, highlight=False, soft_wrap=True)


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character is no reason to fail
    try:
        app()
    except _ReaderGone:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is still in the buffer goes nowhere
        sys.exit(0)
