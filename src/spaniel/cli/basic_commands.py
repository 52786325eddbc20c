"""The commands of daily use: index, search, stats, show, delete."""

import io
from typing import Annotated

import typer

from spaniel.cli.filter_syntax import parse_filters
from spaniel.cli.options import (
    DEFAULT_STORE,
    Budget,
    Depth,
    Filters,
    Follow,
    Merge,
    MinScore,
    Store,
    TopK,
    Window,
    links_to_follow,
)
from spaniel.cli.passages import show_results
from spaniel.cli.reports import show_document, show_failures, show_report, show_statistics
from spaniel.cli.terminal import (
    INTERRUPTED,
    Json,
    exit_on_error,
    plain,
    print_json,
    print_text,
    progress_bar,
    stderr,
    stdout,
)
from spaniel.knowledge_base import open_knowledge_base


def index(
    paths: Annotated[list[str], typer.Argument(help="Files and folders.", show_default=False)],
    store: Store = DEFAULT_STORE,
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
    with exit_on_error():
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


def search(
    query: Annotated[str, typer.Argument(help="What to look for.", show_default=False)],
    store: Store = DEFAULT_STORE,
    top_k: TopK = 10,
    merge: Merge = True,
    window: Window = 0,
    follow: Follow = None,
    depth: Depth = None,
    filter: Filters = None,
    min_score: MinScore = None,
    budget: Budget = None,
    full: Annotated[bool, typer.Option("--full", help="Print passages whole.")] = False,
    trace: Annotated[bool, typer.Option("--trace", help="Also print every step of the search.")] = False,
    as_json: Json = False,
) -> None:
    """Search, and say why each passage is there."""
    keys, hops = links_to_follow(follow, depth)
    with exit_on_error():
        results = open_knowledge_base(store).search(
            query,
            top_k=top_k,
            filters=parse_filters(filter or []),
            merge=merge,
            window=window,
            follow=keys,
            depth=hops,
            min_score=min_score,
            budget=budget,
        )
    if as_json:
        print_json(results.to_dict() | ({"trace": results.trace.to_dict()} if trace else {}))
        return
    show_results(stdout(), results, full=full)
    if trace:
        told = io.StringIO()
        results.trace.show(told)
        print_text(plain(told.getvalue().rstrip("\n")))


def stats(store: Store = DEFAULT_STORE, as_json: Json = False) -> None:
    """Print how much is indexed: files, documents, words, links."""
    with exit_on_error():
        statistics = open_knowledge_base(store).statistics()
    if as_json:
        print_json(statistics.to_dict())
    else:
        show_statistics(stdout(), statistics)


def show(
    reference: Annotated[
        str,
        typer.Argument(
            help="An id, the start of one, a file's path, or 'path#section'.", metavar="ID", show_default=False
        ),
    ],
    store: Store = DEFAULT_STORE,
    as_json: Json = False,
) -> None:
    """Print one document: its metadata and its text."""
    with exit_on_error():
        document = open_knowledge_base(store).find(reference)
    if as_json:
        print_json(document.to_dict(flatten=False))
    else:
        show_document(stdout(), document)


def delete(
    path: Annotated[str, typer.Argument(help="A file, or a folder, as the results name it.", show_default=False)],
    store: Store = DEFAULT_STORE,
) -> None:
    """Take a file, or all files below a folder, out of the index. The files themselves stay."""
    with exit_on_error():
        deleted = open_knowledge_base(store).delete(path=path)
    stderr().print(f"{deleted:,} document{'' if deleted == 1 else 's'} deleted.")
