"""Bring a store up to date with the files below some paths."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from spaniel.components.converters.files import convert_bytes
from spaniel.components.preprocessors import SectionSplitter
from spaniel.dataclasses import Document
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.errors import ConversionError
from spaniel.knowledge_base.folders import Scan, scan
from spaniel.knowledge_base.labels import read_labels
from spaniel.knowledge_base.manifest import Manifest, indexed
from spaniel.knowledge_base.reading import read_bytes
from spaniel.text.links import LinkResolver


@dataclass(frozen=True)
class Progress:
    """How far an indexing run is: files and bytes done, of how many, and the file that is next."""

    path: str
    files: int
    total_files: int
    bytes: int
    total_bytes: int


@dataclass
class IndexReport:
    """What an indexing run did. Files are named by their path in the knowledge base.

    :param added: files that were not indexed before.
    :param changed: files that were indexed anew.
    :param unchanged: how many files were left alone.
    :param removed: files that are gone.
    :param failed: files that could not be read, with the reason.
    :param passed_over: how many files of a kind that is not converted, by suffix.
    :param documents: how many documents were written.
    :param seconds: how long it took.
    :param interrupted: whether it was stopped; the next run goes on from there.
    """

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    unchanged: int = 0
    removed: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    passed_over: dict[str, int] = field(default_factory=dict)
    documents: int = 0
    seconds: float = 0.0
    interrupted: bool = False


def index_files(
    paths: Sequence[str | os.PathLike[str]],
    *,
    store: InMemoryDocumentStore,
    manifest: Manifest,
    splitter: SectionSplitter,
    progress: Callable[[Progress], None] | None = None,
    checkpoint: Callable[[], None] | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> IndexReport:
    """Return what was done: new and changed files are indexed, files that are gone below the paths are removed.

    :param paths: files and folders.
    :param store: where the documents go; the trees of changed files are replaced.
    :param manifest: what is indexed; it is brought up to date.
    :param splitter: cuts a file's document into its tree.
    :param progress: called before each file, and at the end.
    :param checkpoint: called after each file.
    :param stop: asked before each file whether to end here; what was done until then stays.
    :raises KnowledgeBaseError: a path does not exist.
    """
    started = time.monotonic()
    taken = {path: Path(file.file) for path, file in manifest.files.items()}
    found = scan(paths, manifest.folders, taken)
    report = IndexReport(passed_over=found.passed_over)
    _remove_gone(found, store, manifest, report)
    new_paths = found.files.keys() - manifest.files.keys()
    manifest.folders = found.folders
    todo = [path for path in found.files if _is_due(path, manifest, links_may_heal=bool(new_paths))]
    report.unchanged = len(found.files) - len(todo)
    labels = read_labels({path: found.files[path] for path in todo})
    resolver = LinkResolver(found.files.keys() | manifest.files.keys(), _all_labels(manifest, labels))
    for path in _reported(todo, found.files, progress):
        if stop():
            report.interrupted = True
            break
        file = _File(path, found.files[path], labels.get(path, {}))
        _index_file(file, resolver, store, manifest, splitter, report)
        if checkpoint is not None:
            checkpoint()
    report.seconds = time.monotonic() - started
    return report


def _remove_gone(found: Scan, store: InMemoryDocumentStore, manifest: Manifest, report: IndexReport) -> None:
    for path, file in list(manifest.files.items()):
        place = Path(file.file)
        if found.covers(place) and found.files.get(path) != place:
            remove_file(path, store, manifest)
            if place not in found.files.values():  # else it is indexed again, under another path
                report.removed.append(path)


def remove_file(path: str, store: InMemoryDocumentStore, manifest: Manifest) -> int:
    """Return how many documents of a file were taken out of the store; the manifest forgets it."""
    documents = store.get_documents_by_key("meta.path", [path])
    store.delete_documents([document.id for document in documents])
    manifest.files.pop(path, None)
    return len(documents)


def _is_due(path: str, manifest: Manifest, *, links_may_heal: bool) -> bool:
    known = manifest.files.get(path)
    if known is None or (known.broken_links and links_may_heal):
        return True
    try:
        return not known.is_current()
    except OSError:
        return True  # reading it again gives the reason


def _all_labels(manifest: Manifest, read: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return the labels of all files: those just read, else those that were found when the file was indexed."""
    by_file = {path: file.labels for path, file in manifest.files.items()} | dict(read)
    return {label: target for labels in by_file.values() for label, target in labels.items()}


def _reported(
    todo: Sequence[str], files: dict[str, Path], progress: Callable[[Progress], None] | None
) -> Iterator[str]:
    """Yield the paths, telling before each and at the end how far it is."""
    if progress is None:
        yield from todo
        return
    sizes = {path: files[path].stat().st_size for path in todo}
    total, done = sum(sizes.values()), 0
    for number, path in enumerate(todo):
        progress(Progress(path, number, len(todo), done, total))
        yield path
        done += sizes[path]
    progress(Progress("", len(todo), len(todo), total, total))


@dataclass(frozen=True)
class _File:
    """A file to index: its path in the knowledge base, where it is, and the places in it that others may link to."""

    path: str
    place: Path
    labels: dict[str, str]


def _index_file(
    file: _File,
    resolver: LinkResolver,
    store: InMemoryDocumentStore,
    manifest: Manifest,
    splitter: SectionSplitter,
    report: IndexReport,
) -> None:
    try:
        data = read_bytes(file.place)
        root = convert_bytes(data, file.path, resolver)
    except OSError as error:
        report.failed[file.path] = error.strerror or str(error)
        return
    except ConversionError as error:
        report.failed[file.path] = str(error).removeprefix(f"{file.path} ").removeprefix(f"{file.path}: ")
        return
    tree = splitter.run([root])["documents"] if (root.content or "").strip() else []
    _replace_tree(file.path, tree, store)
    (report.changed if file.path in manifest.files else report.added).append(file.path)
    report.documents += len(tree)
    manifest.files[file.path] = indexed(file.place, data, tree[0] if tree else None, file.labels)


def _replace_tree(path: str, tree: list[Document], store: InMemoryDocumentStore) -> None:
    kept = {document.id for document in tree}
    old = [document.id for document in store.get_documents_by_key("meta.path", [path]) if document.id not in kept]
    store.write_documents(tree, policy=DuplicatePolicy.OVERWRITE)
    store.delete_documents(old)
