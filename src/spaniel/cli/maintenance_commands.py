"""Commands for a whole knowledge base: check, rebuild, compact, backup, export, import, copy."""

from pathlib import Path
from typing import Annotated, Any

import typer

from spaniel.cli import options
from spaniel.cli.terminal import INTERRUPTED, exit_on_error, format_count, print_text, progress_bar, stderr
from spaniel.document_stores.local import LocalDocumentStore
from spaniel.document_stores.local.maintenance.jsonl import read_lines
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.document_stores.urls import is_url, without_secrets
from spaniel.errors import KnowledgeBaseError
from spaniel.knowledge_base import copy, open_knowledge_base
from spaniel.knowledge_base.folder_backend import measure_folder

_COPY_STEPS = {"copy": "Copying", "verify": "Verifying"}


def check(store: options.Store = options.DEFAULT_STORE) -> None:
    """Read everything, and list the damage. Exits with 1 if there is any."""
    with exit_on_error():
        problems = open_knowledge_base(store).check()
    print_text("\n".join(problems) or "Everything is whole.")
    if problems:
        raise typer.Exit(1)


def rebuild(store: options.Store = options.DEFAULT_STORE, analyzer: options.Analyzer = None) -> None:
    """Build the index again from the documents, with another analyzer if one is given."""
    with exit_on_error():
        _open_local(store, "A cluster keeps its index itself; there is nothing to rebuild.").rebuild(analyzer=analyzer)
    print_text("The index is built again.")


def compact(store: options.Store = options.DEFAULT_STORE) -> None:
    """Return the space of deleted documents to the disk."""
    with exit_on_error():
        local = _open_local(store, "A cluster returns space itself, as it merges segments.")
        before = measure_folder(Path(store))
        local.compact()
        local.close()
        after = measure_folder(Path(store))
    print_text(f"{before / 1e6:,.1f} MB before, {after / 1e6:,.1f} MB now.")


def backup(
    target: Annotated[Path, typer.Argument(help="A new folder.", metavar="FOLDER", show_default=False)],
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Copy the knowledge base to a new folder. Others may search and index meanwhile."""
    with exit_on_error():
        _open_local(store, f"Use: spaniel copy URL {target}, or snapshots of the cluster.").backup(target)
    print_text(f"Copied to {target}.")


def export(
    target: Annotated[Path, typer.Argument(help="The file to write.", metavar="FILE", show_default=False)],
    store: options.Store = options.DEFAULT_STORE,
    skip_damaged: Annotated[
        bool, typer.Option("--skip-damaged", help="Leave out unreadable documents; else they are an error.")
    ] = False,
) -> None:
    """Write all documents to a file, each a line of JSON with its metadata and embedding."""
    with exit_on_error():
        source = (
            _open_local(store, "--skip-damaged is for a damaged folder.") if skip_damaged else _open_existing(store)
        )
        with progress_bar("Exporting", source.count_documents()) as update:
            arguments = {"skip_damaged": True} if skip_damaged else {}
            written = source.export(target, progress=lambda done: update(completed=done), **arguments)
    print_text(f"{format_count(written, 'document')} written to {target}.")


def import_(
    source: Annotated[
        Path, typer.Argument(help="A file that 'spaniel export' wrote.", metavar="FILE", show_default=False)
    ],
    store: options.Store = options.DEFAULT_STORE,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace documents of the same ids; else they are an error.")
    ] = False,
) -> None:
    """Add the documents of a file that 'spaniel export' wrote: all of them, or none."""
    with exit_on_error():
        if not source.is_file():
            raise KnowledgeBaseError(f"There is no file '{source}'. Nothing was changed.")
        policy = DuplicatePolicy.OVERWRITE if overwrite else DuplicatePolicy.FAIL
        with progress_bar("Importing") as update:
            target = open_knowledge_base(store).document_store
            written = target.write_documents(read_lines(source), policy, progress=lambda done: update(completed=done))
    print_text(f"{format_count(written, 'document')} imported.")


def copy_(
    source: Annotated[str, typer.Argument(help="A folder or URL.", metavar="FROM", show_default=False)],
    target: Annotated[
        str, typer.Argument(help="A folder or URL; created if missing.", metavar="TO", show_default=False)
    ],
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Delete the documents of the target first; else it must be empty.")
    ] = False,
    into_existing: Annotated[
        bool, typer.Option("--into-existing", help="Add to the documents of the target, replacing the same ids.")
    ] = False,
    restart: Annotated[bool, typer.Option("--restart", help="Start an interrupted copy again.")] = False,
) -> None:
    """Copy all documents with embeddings, and the records of files, to a cluster or a folder.

    Run it again to resume an interrupted copy. The copy is verified by count and checksum.
    """
    with exit_on_error(), progress_bar("Looking") as update:
        report = copy(
            source,
            target,
            overwrite=overwrite,
            into_existing=into_existing,
            restart=restart,
            progress=lambda now: update(description=_COPY_STEPS[now.step], completed=now.documents, total=now.total),
        )
    written = (
        f"{format_count(report.written, 'document')} copied in {report.seconds:,.1f} s "
        f"({report.documents_a_second:,.0f} per second)"
    )
    before = f", {report.before:,} by earlier runs" if report.before else ""
    if report.interrupted:
        stderr().print(f"Interrupted. {written}{before}. Run the same command again to go on.")
        raise typer.Exit(INTERRUPTED)
    print_text(
        f"{written}{before}. Verified in {report.verifying:,.1f} s: both hold these "
        f"{format_count(report.documents, 'document')}, checksum {report.checksum}."
    )


def _open_existing(store: str) -> Any:
    """Return the store of a knowledge base that exists.

    :raises KnowledgeBaseError: nothing is indexed.
    """
    kb = open_knowledge_base(store)
    if not kb.exists:
        raise KnowledgeBaseError(f"Nothing is indexed at '{kb.place}' yet. Index something first: spaniel index PATH")
    return kb.document_store


def _open_local(store: str, alternative: str) -> LocalDocumentStore:
    """Return the store of a knowledge base in a folder.

    :param alternative: the remedy in the error for a URL.
    :raises KnowledgeBaseError: the knowledge base is on a cluster, or nothing is indexed.
    """
    if is_url(store):
        raise KnowledgeBaseError(
            f"This is for a knowledge base in a folder, not for '{without_secrets(store)}'. {alternative}"
        )
    local: LocalDocumentStore = _open_existing(store)
    return local
