"""The commands that take a knowledge base as a whole: check, rebuild, compact, back up, export, import, copy."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from spaniel.cli.options import DEFAULT_STORE, Store
from spaniel.cli.terminal import INTERRUPTED, exit_on_error, print_text, stderr
from spaniel.document_stores.local import LocalDocumentStore
from spaniel.document_stores.local.maintenance.jsonl import read_lines
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.document_stores.urls import is_url, without_secrets
from spaniel.errors import KnowledgeBaseError
from spaniel.knowledge_base import CopyProgress, copy, open_knowledge_base


def check(store: Store = DEFAULT_STORE) -> None:
    """Read everything, and say what is damaged; exit with 1 if something is."""
    with exit_on_error():
        problems = open_knowledge_base(store).check()
    if problems:
        print_text("\n".join(problems))
        raise typer.Exit(1)
    stderr().print("Everything is whole.")


def rebuild(store: Store = DEFAULT_STORE) -> None:
    """Build the index again from the documents."""
    with exit_on_error():
        _in_folder(store, "A cluster keeps its index itself; there is nothing to rebuild.").rebuild()
    stderr().print("The index is built again.")


def compact(store: Store = DEFAULT_STORE) -> None:
    """Give the room of what was deleted back to the disk."""
    with exit_on_error():
        found = _in_folder(store, "A cluster gives room back itself, as it merges segments.")
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
    with exit_on_error():
        _in_folder(store, f"Use: spaniel copy URL {target}, or snapshots of the cluster.").backup(target)
    stderr().print(f"Copied to {target}.")


def export(
    target: Annotated[Path, typer.Argument(help="The file to write.", metavar="FILE", show_default=False)],
    store: Store = DEFAULT_STORE,
    skip_damaged: Annotated[
        bool, typer.Option("--skip-damaged", help="Leave out documents that can't be read; else they are an error.")
    ] = False,
) -> None:
    """Write all documents to a file, each a line of JSON with its metadata and embedding."""
    with exit_on_error():
        if skip_damaged:
            found = _in_folder(store, "--skip-damaged is for a damaged folder.")
        found = _existing(store)
        with _bar("Exporting", found.count_documents()) as progress:
            written = found.export(target, progress=progress, **({"skip_damaged": True} if skip_damaged else {}))
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
    with exit_on_error():
        if not source.is_file():
            raise KnowledgeBaseError(f"There is no file '{source}'. Nothing was changed.")
        policy = DuplicatePolicy.OVERWRITE if overwrite else DuplicatePolicy.FAIL
        with _bar("Importing", None) as progress:
            documents = open_knowledge_base(store).document_store
            written = documents.write_documents(read_lines(source), policy, progress=progress)
    stderr().print(f"{_documents(written)} imported.")


def copy_(
    source: Annotated[str, typer.Argument(help="A folder or URL.", metavar="FROM", show_default=False)],
    target: Annotated[str, typer.Argument(help="A folder or URL; made if missing.", metavar="TO", show_default=False)],
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Delete what the target holds first; else it must be empty.")
    ] = False,
    into_existing: Annotated[
        bool, typer.Option("--into-existing", help="Add to what the target holds, in place of the same ids.")
    ] = False,
    restart: Annotated[bool, typer.Option("--restart", help="Begin a copy that was ended anew.")] = False,
) -> None:
    """Copy all documents, with their embeddings, and what is known of files: to a cluster, or back to a folder.

    Run it again to go on with a copy that was stopped or killed. It is verified at the end, by count and checksum.
    """
    with exit_on_error(), _steps({"copy": "Copying", "verify": "Verifying"}) as progress:
        report = copy(
            source, target, overwrite=overwrite, into_existing=into_existing, restart=restart, progress=progress
        )
    written = (
        f"{_documents(report.written)} copied in {report.seconds:,.1f} s ({report.documents_a_second:,.0f} a second)"
    )
    before = f", {report.before:,} were there from before" if report.before else ""
    if report.interrupted:
        stderr().print(f"Interrupted. {written}{before}. Run the same command again to go on.")
        raise typer.Exit(INTERRUPTED)
    stderr().print(
        f"{written}{before}. Verified in {report.verifying:,.1f} s: both hold these {_documents(report.documents)}, "
        f"checksum {report.checksum}."
    )


COMMANDS: dict[str, Callable[..., None]] = {
    "check": check,
    "rebuild": rebuild,
    "compact": compact,
    "backup": backup,
    "export": export,
    "import": import_,
    "copy": copy_,
}


def _existing(store: str) -> Any:
    """Return the store of a knowledge base, which must be there."""
    kb = open_knowledge_base(store)
    if not kb.exists:
        raise KnowledgeBaseError(f"Nothing is indexed at '{kb.place}' yet. Index something first: spaniel index PATH")
    return kb.document_store


def _in_folder(store: str, otherwise: str) -> LocalDocumentStore:
    """Return the store of a knowledge base in a folder.

    :param otherwise: what to say of one on a cluster.
    """
    if is_url(store):
        raise KnowledgeBaseError(
            f"This is for a knowledge base in a folder, not for '{without_secrets(store)}'. {otherwise}"
        )
    found: LocalDocumentStore = _existing(store)
    return found


def _size(store: str) -> int:
    return sum(file.stat().st_size for file in Path(store).rglob("*") if file.is_file())


def _documents(count: int) -> str:
    return f"{count:,} document{'' if count == 1 else 's'}"


@contextmanager
def _steps(names: Mapping[str, str]) -> Iterator[Callable[[CopyProgress], None]]:
    """Give what shows how far a copy is, where someone looks on."""
    console = stderr()
    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()]
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("Looking", total=None)
        yield lambda now: bar.update(task, description=names[now.step], completed=now.documents, total=now.total)


@contextmanager
def _bar(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Give what shows how many documents are done, where someone looks on."""
    console = stderr()
    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()]
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)
