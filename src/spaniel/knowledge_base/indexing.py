"""Bring a catalog up to date with the files below some paths."""

import os
import time
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from spaniel.components.converters.files import convert_bytes, holds_rows, labels_of, read_bytes
from spaniel.components.preprocessors import SectionSplitter
from spaniel.errors import ConversionError
from spaniel.knowledge_base.file_catalog import FileCatalog
from spaniel.knowledge_base.file_scan import Scan, reason_of, scan
from spaniel.knowledge_base.index_report import IndexReport, Progress
from spaniel.knowledge_base.indexed_file import IndexedFile, RowFields, before_rows, indexed
from spaniel.knowledge_base.row_reader import RowReader
from spaniel.text.decoding import decode
from spaniel.text.link_resolver import LinkResolver


@dataclass(frozen=True)
class IndexHooks:
    """Who looks on while it runs.

    :param progress: called before each file, and at the end.
    :param checkpoint: called after each file.
    :param stop: asked before each file whether to end here; what was done until then stays.
    """

    progress: Callable[[Progress], None] | None = None
    checkpoint: Callable[[], None] | None = None
    stop: Callable[[], bool] = lambda: False


def index_files(
    paths: Sequence[str | os.PathLike[str]],
    *,
    catalog: FileCatalog,
    splitter: SectionSplitter,
    fields: RowFields | None = None,
    watch: IndexHooks | None = None,
    leave_out: Path | None = None,
) -> IndexReport:
    """Return what was done: new and changed files are indexed, files that are gone below the paths are removed.

    :param paths: files and folders.
    :param catalog: what is indexed; it is brought up to date.
    :param splitter: cuts a file's document into its tree.
    :param fields: of rows; a file that was indexed with others is indexed anew.
    :param watch: who looks on.
    :param leave_out: a folder whose files do not count.
    :raises KnowledgeBaseError: a path does not exist, or a folder that was given can't be read.
    """
    started = time.monotonic()
    watch = watch or IndexHooks()
    taken = {path: Path(file.file) for path, file in catalog.files.items()}
    found = scan(paths, catalog.folders, taken, leave_out=leave_out)
    failed = {found.name_of(place): reason for place, reason in found.failed.items()}
    outside = [found.name_of(place) for place in found.links_outside]
    report = IndexReport(passed_over=found.passed_over, failed=failed, links_outside=outside)
    _IndexRun(catalog, splitter, fields or RowFields(), watch, found, report).go()
    report.refuse(catalog.refused())
    report.seconds = time.monotonic() - started
    return report


class _IndexRun:
    """One run: what it works on, and what it has found so far."""

    def __init__(
        self,
        catalog: FileCatalog,
        splitter: SectionSplitter,
        fields: RowFields,
        watch: IndexHooks,
        found: Scan,
        report: IndexReport,
    ) -> None:
        self.catalog, self.splitter, self.fields = catalog, splitter, fields
        self.watch, self.found, self.report = watch, found, report

    def go(self) -> None:
        known = dict(self.catalog.files)
        renamed = self._remove_gone()
        self.catalog.leaving = set(renamed)
        try:
            self._index_all(known)
            if not self.report.interrupted:
                self._remove_renamed(renamed)
        finally:
            self.catalog.leaving = set()

    def _index_all(self, known: Mapping[str, IndexedFile]) -> None:
        self.catalog.set_folders(self.found.folders)
        todo = [path for path in self.found.files if self._is_due(path)]
        due = set(todo)
        todo += [path for path in self.found.files if path not in due and self._may_get_ids(path, due)]
        labels = {path: read_labels(path, self.found.files[path]) for path in self._each("links", todo)}
        self._count(todo)
        if self.report.interrupted:
            return
        staying = {path: file for path, file in self.catalog.files.items() if path not in self.catalog.leaving}
        resolver = LinkResolver(self.found.files.keys() | staying.keys(), _joined(staying, labels))
        if todo or self.report.removed:
            moved = moved_places(known, labels, self.report.removed)
            todo += [path for path in self._to_link_anew(resolver, moved) if path not in labels]
        self._count(todo)
        for path in self._each("files", todo):
            self._index(path, labels[path] if path in labels else known[path].labels, resolver)
            self.report.left -= 1
            if self.watch.checkpoint is not None:
                self.watch.checkpoint()

    def _count(self, todo: Sequence[str]) -> None:
        self.report.left, self.report.unchanged = len(todo), len(self.found.files) - len(todo)

    def _remove_gone(self) -> dict[str, str]:
        """Remove the files that are gone; return the new path of each that is indexed again under another one."""
        paths = {place: path for path, place in self.found.files.items()}
        renamed = {}
        for path, file in list(self.catalog.files.items()):
            place = Path(file.file)
            if self.found.covers(place) and self.found.files.get(path) != place:
                if place in paths and path not in self.found.files:
                    renamed[path] = paths[place]
                    continue
                self.catalog.remove(path)
                if place not in paths:  # else it is indexed again, under another path
                    self.report.removed.append(path)
        return renamed

    def _remove_renamed(self, renamed: Mapping[str, str]) -> None:
        """Remove the files under their old paths, now that they are there under their new ones."""
        if renamed:
            self.report.refuse(self.catalog.refused())
        for path, new in renamed.items():
            if new not in self.report.failed:
                self.catalog.remove(path)

    def _is_due(self, path: str) -> bool:
        known = self.catalog.files.get(path)
        if known is not None and holds_rows(path) and known.fields != self.fields:
            return True
        try:
            return known is None or not known.is_current()
        except (OSError, ConversionError):
            return True  # reading it again gives the reason

    def _may_get_ids(self, path: str, due: Container[str]) -> bool:
        """Return whether rows of a file may no longer be left out, as a file that held their ids is gone or has changed."""
        files, leaving = self.catalog.files, self.catalog.leaving
        return any(
            other in due or other not in files or other in leaving or files[other].indexed_ns > files[path].indexed_ns
            for other in files[path].ids_taken_by
        )

    def _to_link_anew(self, resolver: LinkResolver, moved: set[str]) -> Iterator[str]:
        """Yield the files below the given paths with a link into a file of `moved`, or a broken one that works now."""
        for root in self.catalog.roots():
            path, meta = root.meta["path"], root.meta
            if path not in self.found.files:
                continue
            lost = any(link.partition("#")[0] in moved for link in meta.get("links", ()))
            found = (resolver.resolve(link, path) for link in meta.get("broken_links", ()))
            if lost or any(link is not None and link.kind != "broken" for link in found):
                yield path

    def _each(self, step: str, paths: Sequence[str]) -> Iterator[str]:
        """Yield the paths, telling before each and at the end how far it is, until it is to stop."""
        tell = self.watch.progress
        sizes = {path: _size(self.found.files[path]) for path in paths}
        total, done = sum(sizes.values()), 0
        for number, path in enumerate(paths):
            if self.watch.stop():
                self.report.interrupted = True
                return
            if tell is not None:
                tell(Progress(step, path, number, len(paths), done, total))
            yield path
            done += sizes[path]
        if tell is not None:
            tell(Progress(step, "", len(paths), len(paths), total, total))

    def _index(self, path: str, labels: dict[str, str], resolver: LinkResolver) -> None:
        report = self.report
        done = report.changed if path in self.catalog.files else report.added
        try:
            count = self._put_rows(path) if holds_rows(path) else self._put(path, labels, resolver)
        except OSError as error:
            report.failed[path] = reason_of(error)
        except ConversionError as error:
            report.failed[path] = str(error).removeprefix(path).lstrip(" :")
        else:
            done.append(path)
            report.documents += count

    def _put(self, path: str, labels: dict[str, str], resolver: LinkResolver) -> int:
        place = self.found.files[path]
        data = read_bytes(place)
        root = convert_bytes(data, path, resolver)
        tree = self.splitter.run([root])["documents"] if (root.content or "").strip() else []
        self.catalog.put(path, indexed(place, data, tree[0] if tree else None, labels), tree)
        return len(tree)

    def _put_rows(self, path: str) -> int:
        place = self.found.files[path]
        record = before_rows(place, self.fields)
        reader = RowReader(place, path, record, self.catalog, self.splitter)
        count = self.catalog.put_rows(path, record, reader.batches())
        if reader.bad.count:
            self.report.bad_rows[path] = reader.bad
        return count


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def moved_places(
    known: Mapping[str, IndexedFile], labels: Mapping[str, Mapping[str, str]], removed: Sequence[str]
) -> set[str]:
    """Return the files that links may no longer lead to as they did: they are gone, or their named places have changed."""
    changed = {path for path, now in labels.items() if path in known and known[path].labels != now}
    return changed | set(removed)


def _joined(files: Mapping[str, IndexedFile], read: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return the labels of all files: those just read, else those that were found when the file was indexed."""
    by_file = {path: file.labels for path, file in files.items()} | dict(read)
    return {label: target for labels in by_file.values() for label, target in labels.items()}


def read_labels(path: str, file: Path) -> dict[str, str]:
    """Return the named places of a file, each with its address; none if it can't be read: indexing it tells the reason.

    :param path: in the knowledge base.
    :param file: where it is.
    """
    if holds_rows(path):
        return {}
    try:
        return labels_of(decode(read_bytes(file), path), path)
    except (OSError, ConversionError):
        return {}
