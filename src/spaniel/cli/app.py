"""The commands of ``spaniel``."""

import io
import os
import sys
from typing import Annotated

import typer

from spaniel.cli.filter_text import filters_from
from spaniel.cli.group import Commands
from spaniel.cli.pipelines import draw, run
from spaniel.cli.plain_text import plain
from spaniel.cli.progress import progress_bar
from spaniel.cli.show import show_document, show_failures, show_report, show_results, show_statistics
from spaniel.cli.terminal import INTERRUPTED, Json, ReaderGone, errors_told, print_json, print_text, stderr, stdout
from spaniel.knowledge_base import open_knowledge_base
from spaniel.version import __version__

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
_MOST = 1_000_000


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
    paths: Annotated[list[str], typer.Argument(help="Files and folders.", show_default=False)],
    store: Store = _DEFAULT_STORE,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a file or a row could not be read.")] = False,
    text_field: Annotated[
        str | None,
        typer.Option(
            help="The field of JSONL and CSV rows that is the text.",
            metavar="NAME",
            show_default="content, text or body",
        ),
    ] = None,
    id_field: Annotated[
        str | None, typer.Option(help="The field of rows that is the id.", metavar="NAME", show_default="id or _id")
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No progress bar, no report; only what could not be read.")
    ] = False,
) -> None:
    """Index files and folders: what is new or changed is read, what is gone is removed.

    Reads .md, .markdown, .rst, .html, .htm, .xhtml, .txt, .text, .debian and files without a suffix; .pdf and .docx with the
    'convert' extra; of .jsonl, .ndjson, .csv and .tsv each row is a document; all of them also inside .gz. Links to files
    outside a folder are passed over. It saves on the way and on Ctrl-C; run it again to go on.
    """
    with errors_told():
        kb = open_knowledge_base(store)
        with progress_bar(stderr(), hidden=quiet) as progress:
            report = kb.index(*paths, text_field=text_field, id_field=id_field, progress=progress)
    if not quiet:
        show_report(stderr(), report)
    show_failures(stderr(), report)
    if report.interrupted:
        stderr().print("Interrupted. What was read is saved; run the same command again to go on.")
        raise typer.Exit(INTERRUPTED)
    if strict and (report.failed or report.bad_rows):
        raise typer.Exit(1)


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="What to look for.", show_default=False)],
    store: Store = _DEFAULT_STORE,
    top_k: Annotated[
        int,
        typer.Option(
            "--top-k",
            "-k",
            min=1,
            max=_MOST,
            help="How many passages; with --follow, as many linked ones may come on top.",
        ),
    ] = 10,
    merge: Annotated[
        bool, typer.Option(help="Show a section in place of its parts where enough of them match.")
    ] = True,
    window: Annotated[
        int, typer.Option(min=0, max=_MOST, help="How many chunks to show before and after each passage.")
    ] = 0,
    follow: Annotated[
        str | None,
        typer.Option(
            help="Add what passages link to: metadata keys that hold links, such as 'links'.", metavar="KEY[,KEY]"
        ),
    ] = None,
    depth: Annotated[
        int | None, typer.Option(min=0, max=_MOST, help="How many hops to follow; needs --follow.", show_default="1")
    ] = None,
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
    if depth is not None and follow is None:
        raise typer.BadParameter("It needs --follow KEY, such as --follow links.", param_hint="--depth")
    with errors_told():
        results = open_knowledge_base(store).search(
            query,
            top_k=top_k,
            filters=filters_from(filter or []),
            merge=merge,
            window=window,
            follow=[] if follow is None else [key.strip() for key in follow.split(",")],
            depth=1 if depth is None else depth,
            min_score=min_score,
        )
    if as_json:
        print_json(results.to_dict() | ({"trace": results.trace.to_dict()} if trace else {}))
        return
    show_results(stdout(), results, full=full)
    if trace:
        told = io.StringIO()
        results.trace.show(told)
        print_text(plain(told.getvalue().rstrip("\n")))


@app.command()
def stats(store: Store = _DEFAULT_STORE, as_json: Json = False) -> None:
    """Print how much is indexed: files, documents, words, links."""
    with errors_told():
        statistics = open_knowledge_base(store).statistics()
    if as_json:
        print_json(statistics.to_dict())
    else:
        show_statistics(stdout(), statistics)


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
    with errors_told():
        document = open_knowledge_base(store).find(reference)
    if as_json:
        print_json(document.to_dict(flatten=False))
    else:
        show_document(stdout(), document)


@app.command()
def delete(
    path: Annotated[str, typer.Argument(help="A file, or a folder, as the results name it.", show_default=False)],
    store: Store = _DEFAULT_STORE,
) -> None:
    """Take a file, or all files below a folder, out of the index. The files themselves stay."""
    with errors_told():
        deleted = open_knowledge_base(store).delete(path=path)
    stderr().print(f"{deleted:,} document{'' if deleted == 1 else 's'} deleted.")


app.command()(run)
app.command()(draw)


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character is no reason to fail
    try:
        app()
    except ReaderGone:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is still in the buffer goes nowhere
        sys.exit(0)
