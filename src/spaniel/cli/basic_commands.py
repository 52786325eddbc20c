"""Commands of daily use: index, search, stats, show, delete."""

from typing import Annotated

import typer

from spaniel.cli import options
from spaniel.cli.completion import complete_address
from spaniel.cli.explain_command import format_trace
from spaniel.cli.model_commands import choose_model
from spaniel.cli.passages import list_files, show_results
from spaniel.cli.reports import show_document, show_failures, show_report, show_statistics
from spaniel.cli.terminal import (
    INTERRUPTED,
    JsonOption,
    exit_on_error,
    format_count,
    print_json,
    print_text,
    progress_bar,
    sanitize_line,
    stderr,
    stdout,
)
from spaniel.knowledge_base import open_knowledge_base

_INDEX_STEPS = {"links": "Reading", "files": "Indexing"}


def index(
    paths: Annotated[list[str], typer.Argument(help="Files and folders.", show_default=False)],
    store: options.Store = options.DEFAULT_STORE,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a file or a row could not be read.")] = False,
    text_field: Annotated[
        str | None,
        typer.Option(
            help="The field of JSONL and CSV rows with the text.",
            metavar="NAME",
            show_default="content, text or body",
        ),
    ] = None,
    id_field: Annotated[
        str | None, typer.Option(help="The field of rows with the id.", metavar="NAME", show_default="id or _id")
    ] = None,
    as_: Annotated[
        list[str] | None,
        typer.Option(
            "--as",
            help="Read files of a suffix as another kind, such as '.txt=rst'; repeatable.",
            metavar="SUFFIX=KIND",
        ),
    ] = None,
    include: Annotated[
        list[str] | None,
        typer.Option(help="Only files that match, such as 'docs/**/*.md'; repeat it for others.", metavar="PATTERN"),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(help="No files and folders that match; repeat it for others.", metavar="PATTERN"),
    ] = None,
    gitignore: Annotated[
        bool | None,
        typer.Option(
            "--ignore/--no-ignore", help="Leave out the files that .gitignore files name.", show_default="--ignore"
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            min=0,
            help="Maximum number of processes that read files; 0: none.",
            metavar="NUMBER",
            show_default="one per processor",
        ),
    ] = None,
    max_seconds: Annotated[
        float, typer.Option(min=0.1, help="To read a file, and 20 more per megabyte.", metavar="NUMBER")
    ] = 60,
    max_memory: Annotated[
        int, typer.Option(min=1, help="Megabytes of a process that reads files.", metavar="NUMBER")
    ] = 2048,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No progress bar, no report; only unreadable files and rows.")
    ] = False,
    analyzer: options.Analyzer = None,
    embed: Annotated[
        bool, typer.Option("--embed", help="Also find passages by their meaning: embed them with an installed model.")
    ] = False,
    model: Annotated[
        str | None,
        typer.Option(
            help="The model of --embed: its name, folder or archive ('spaniel models list').",
            metavar="NAME",
            show_default="all-MiniLM-L6-v2, or the one that is installed",
        ),
    ] = None,
) -> None:
    """Index files and folders: new and changed files are read, missing files are removed.

    Reads .md, .markdown, .rst, .html, .htm, .xhtml, .txt, .text, .debian and files without a
    suffix; .pdf and .docx with the 'convert' extra; of .jsonl, .ndjson, .csv and .tsv each row is a
    document; all of them also inside .gz. Links to files outside a folder are passed over. Progress
    is saved regularly and on Ctrl-C; run the command again to resume.
    """
    with exit_on_error():
        embedder = choose_model(model) if embed or model is not None else None
        kb = open_knowledge_base(store, analyzer=analyzer, embedder=embedder)
        with progress_bar("Looking for files", bytes=True, hidden=quiet) as update:
            report = kb.index(
                *paths,
                text_field=text_field,
                id_field=id_field,
                include=include,
                exclude=exclude,
                kinds=None if as_ is None else options.parse_kinds(as_),
                gitignore=gitignore,
                jobs=jobs,
                max_seconds=max_seconds,
                max_memory=max_memory,
                progress=lambda now: update(
                    description=f"{_INDEX_STEPS[now.step]}: {now.files:,} of {now.total_files:,} files"
                    + (f", {now.passages:,} passages embedded" if now.passages else ""),
                    completed=now.bytes,
                    total=now.total_bytes,
                ),
            )
    if not quiet:
        show_report(stdout(soft_wrap=True), report)
    show_failures(stderr(), report)
    if report.interrupted:
        stderr().print("Interrupted. What was read is saved; run the same command again to go on.")
        raise typer.Exit(INTERRUPTED)
    if strict and (report.failed or report.bad_rows):
        raise typer.Exit(1)


@options.with_search_flags
def search(
    query: Annotated[str, typer.Argument(help="The words to look for.", show_default=False)],
    store: options.Store = options.DEFAULT_STORE,
    *,
    flags: options.SearchFlags,
    full: Annotated[bool, typer.Option("--full", help="Print whole passages.")] = False,
    files: Annotated[bool, typer.Option("--files", "-l", help="Print only the files of the results.")] = False,
    trace: Annotated[bool, typer.Option("--trace", help="Also print every step of the search.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Search, and print the best passages with reasons. Exits with 1 if nothing is found.

    The query may have operators: "exact phrase", +word and -word for words that must or must not
    be there, word* for its beginning, field:word for a field such as title or path. A query that
    begins with a minus sign goes behind --.
    """
    with exit_on_error():
        search_options = flags.make_options()
        results = open_knowledge_base(store).search(query, **vars(search_options))
    if files:
        names = list_files(results)
        if as_json:
            print_json(names)
        else:
            for name in names:
                print_text(sanitize_line(name))
    elif as_json:
        print_json(results.to_dict() | ({"trace": results.trace.to_dict()} if trace else {}))
    else:
        show_results(stdout(), results, full=full)
        if trace:
            print_text(format_trace(results.trace))
    if not results:
        raise typer.Exit(1)


def stats(store: options.Store = options.DEFAULT_STORE, as_json: JsonOption = False) -> None:
    """Print the number of indexed files, documents, words and links."""
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
            help="An id, the start of one, a file's path, 'path#section', or 'path:line' for the passage there.",
            metavar="ID",
            show_default=False,
            autocompletion=complete_address,
        ),
    ],
    store: options.Store = options.DEFAULT_STORE,
    all_keys: Annotated[
        bool, typer.Option("--all", help="Also print internal metadata: positions, and ids of parents and children.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Print the metadata and the text of a document."""
    with exit_on_error():
        kb = open_knowledge_base(store)
        document = kb.find(reference)
        file = kb.locate(document)
    if as_json:
        print_json({**document.to_dict(flatten=False), "file": file})
    else:
        show_document(stdout(), document, file, internals=all_keys)


def delete(
    path: Annotated[
        str, typer.Argument(help="A file, or a folder, by its path in search results.", show_default=False)
    ],
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Remove a file, or all files below a folder, from the index. The files themselves are kept."""
    with exit_on_error():
        deleted = open_knowledge_base(store).delete(path=path)
    print_text(f"{format_count(deleted, 'document')} deleted.")
