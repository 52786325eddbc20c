"""The commands that take a knowledge base as a whole: check, rebuild, compact, copy."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from spaniel.cli.search_options import DEFAULT_STORE, Store
from spaniel.cli.terminal import errors_told, print_text, stderr
from spaniel.document_stores.local import LocalDocumentStore
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.errors import KnowledgeBaseError
from spaniel.knowledge_base import open_knowledge_base


def check(store: Store = DEFAULT_STORE) -> None:
    """Read everything, and say what is damaged; exit with 1 if something is."""
    with errors_told():
        problems = _existing(store).check()
    if problems:
        print_text("\n".join(problems))
        raise typer.Exit(1)
    stderr().print("Everything is whole.")


def rebuild(store: Store = DEFAULT_STORE) -> None:
    """Build the index again from the documents."""
    with errors_told():
        _existing(store).rebuild()
    stderr().print("The index is built again.")


def compact(store: Store = DEFAULT_STORE) -> None:
    """Give the room of what was deleted back to the disk."""
    with errors_told():
        found = _existing(store)
        before = _size(store)
        found.compact()
        found.close()
        after = _size(store)
    stderr().print(f"{before / 1e6:,.1f} MB before, {after / 1e6:,.1f} MB now.")


def backup(
    target: Annotated[Path, typer.Argument(help="A new folder.", metavar="FOLDER", show_default=False)],
    store: Store = DEFAULT_STORE,
) -> None:
    """Copy the knowledge base to a new folder. Others may search and index meanwhile."""
    with errors_told():
        _existing(store).backup(target)
    stderr().print(f"Copied to {target}.")


def export(
    target: Annotated[Path, typer.Argument(help="The file to write.", metavar="FILE", show_default=False)],
    store: Store = DEFAULT_STORE,
    skip_damaged: Annotated[
        bool, typer.Option("--skip-damaged", help="Leave out documents that can't be read; else they are an error.")
    ] = False,
) -> None:
    """Write all documents to a file, each a line of JSON with its metadata and embedding."""
    with errors_told():
        found = _existing(store)
        with _bar("Exporting", found.count_documents()) as progress:
            written = found.export(target, progress=progress, skip_damaged=skip_damaged)
    stderr().print(f"{_documents(written)} written to {target}.")


def import_(
    source: Annotated[
        Path, typer.Argument(help="A file that 'spaniel export' wrote.", metavar="FILE", show_default=False)
    ],
    store: Store = DEFAULT_STORE,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace documents of the same ids; else they are an error.")
    ] = False,
) -> None:
    """Add the documents of a file that 'spaniel export' wrote: all of them, or none."""
    with errors_told():
        if not source.is_file():
            raise KnowledgeBaseError(f"There is no file '{source}'. Nothing was changed.")
        policy = DuplicatePolicy.OVERWRITE if overwrite else DuplicatePolicy.FAIL
        with _bar("Importing", None) as progress:
            written = open_knowledge_base(store).document_store.import_(source, policy, progress=progress)
    stderr().print(f"{_documents(written)} imported.")


COMMANDS: dict[str, Callable[..., None]] = {
    "check": check,
    "rebuild": rebuild,
    "compact": compact,
    "backup": backup,
    "export": export,
    "import": import_,
}


def _existing(store: str) -> LocalDocumentStore:
    kb = open_knowledge_base(store)
    if not kb.exists:
        raise KnowledgeBaseError(f"Nothing is indexed at '{kb.path}' yet. Index something first: spaniel index PATH")
    return kb.document_store


def _size(store: str) -> int:
    return sum(file.stat().st_size for file in Path(store).rglob("*") if file.is_file())


def _documents(count: int) -> str:
    return f"{count:,} document{'' if count == 1 else 's'}"


@contextmanager
def _bar(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Give what shows how many documents are done, where someone looks on."""
    console = stderr()
    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()]
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)
