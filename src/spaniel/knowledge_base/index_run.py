"""An indexing run: updates the catalog to the files below some paths."""

import os
import time
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from spaniel.components.converters.files import convert_bytes, holds_rows, labels_of, read_bytes
from spaniel.components.preprocessors import SectionSplitter
from spaniel.errors import ConversionError
from spaniel.knowledge_base.file_catalog import FileCatalog
from spaniel.knowledge_base.file_scan import FileScan, get_reason, scan_files
from spaniel.knowledge_base.index_report import IndexReport, IndexStep, Progress
from spaniel.knowledge_base.indexed_file import IndexedFile, RowFields
from spaniel.knowledge_base.row_reader import RowReader
from spaniel.knowledge_base.text_language import label_language, recognise_language
from spaniel.text.decoding import decode
from spaniel.text.link_resolver import LinkResolver

_FLUSH_SECONDS = 5.0


@dataclass
class IndexRun:
    """A run that indexes new and changed files, and removes those that no longer exist.

    Changes are flushed every few seconds.

    :param catalog: the indexed files; updated.
    :param splitter: splits a file's document into its tree.
    :param fields: of rows; a file that was indexed with others is indexed again.
    :param progress: called before each file, and at the end.
    :param is_stopped: called before each file; True ends the run and keeps the files done so far.
    """

    catalog: FileCatalog
    splitter: SectionSplitter
    fields: RowFields
    progress: Callable[[Progress], None]
    is_stopped: Callable[[], bool]
    scan: FileScan = field(init=False)
    report: IndexReport = field(init=False)

    def execute(self, paths: Sequence[str | os.PathLike[str]], exclude: Path | None) -> IndexReport:
        """Update the catalog to files and folders.

        :param exclude: a folder to skip.
        :raises KnowledgeBaseError: a path does not exist, or a given folder can't be read.
        """
        start = time.monotonic()
        before = dict(self.catalog.files)
        indexed = {path: Path(file.file) for path, file in before.items()}
        self.scan = scan = scan_files(paths, self.catalog.folders, indexed, exclude=exclude)
        self.report = IndexReport(
            passed_over=scan.passed_over,
            failed={scan.make_name(place): reason for place, reason in scan.failed.items()},
            links_outside=[scan.make_name(place) for place in scan.links_outside],
        )
        renamed = self._remove_missing()
        self.catalog.leaving = set(renamed)
        try:
            self._index_all(before)
            if not self.report.interrupted:
                self._remove_renamed(renamed)
        finally:
            self.catalog.leaving = set()
        self.report.add_rejected(self.catalog.pop_rejected())
        self.report.seconds = time.monotonic() - start
        return self.report

    def _index_all(self, before: Mapping[str, IndexedFile]) -> None:
        self.catalog.set_folders(self.scan.folders)
        todo = [path for path in self.scan.files if self._is_due(path)]
        due = set(todo)
        todo += [path for path in self.scan.files if path not in due and self._may_gain_ids(path, due)]
        labels = {path: _read_labels(path, self.scan.files[path]) for path in self._iterate("links", todo)}
        self._update_counts(todo)
        if self.report.interrupted:
            return
        staying = {path: file for path, file in self.catalog.files.items() if path not in self.catalog.leaving}
        resolver = LinkResolver(self.scan.files.keys() | staying.keys(), _merge_labels(staying, labels))
        if todo or self.report.removed:
            moved = find_moved_targets(before, labels, self.report.removed)
            todo += [path for path in self._find_outdated_links(resolver, moved) if path not in labels]
        self._update_counts(todo)
        flush_due = time.monotonic() + _FLUSH_SECONDS
        for path in self._iterate("files", todo):
            self._index(path, labels[path] if path in labels else before[path].labels, resolver)
            self.report.left -= 1
            if time.monotonic() >= flush_due:
                self.catalog.flush()
                flush_due = time.monotonic() + _FLUSH_SECONDS

    def _update_counts(self, todo: Sequence[str]) -> None:
        self.report.left, self.report.unchanged = len(todo), len(self.scan.files) - len(todo)

    def _remove_missing(self) -> dict[str, str]:
        """Remove missing files; return the new path of each file whose path has changed."""
        paths = {place: path for path, place in self.scan.files.items()}
        renamed = {}
        for path, file in list(self.catalog.files.items()):
            place = Path(file.file)
            if self.scan.covers(place) and self.scan.files.get(path) != place:
                if place in paths and path not in self.scan.files:
                    renamed[path] = paths[place]
                    continue
                self.catalog.remove(path)
                if place not in paths:  # else it is indexed again, under another path
                    self.report.removed.append(path)
        return renamed

    def _remove_renamed(self, renamed: Mapping[str, str]) -> None:
        """Remove the files under their old paths, now that they are stored under their new ones."""
        if renamed:
            self.report.add_rejected(self.catalog.pop_rejected())
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
            return True  # indexing it reports the reason

    def _may_gain_ids(self, path: str, due: Container[str]) -> bool:
        """Return True if a file with ids of its rows has changed, so that these may be free now."""
        files, leaving = self.catalog.files, self.catalog.leaving
        return any(
            other in due or other not in files or other in leaving or files[other].indexed_ns > files[path].indexed_ns
            for other in files[path].ids_taken_by
        )

    def _find_outdated_links(self, resolver: LinkResolver, moved: set[str]) -> Iterator[str]:
        """Yield scanned files with a link into a moved file, or with a repaired link."""
        for root in self.catalog.find_roots():
            path, meta = root.meta["path"], root.meta
            if path not in self.scan.files:
                continue
            is_lost = any(link.partition("#")[0] in moved for link in meta.get("links", ()))
            resolved = (resolver.resolve(link, path) for link in meta.get("broken_links", ()))
            if is_lost or any(link is not None and link.kind != "broken" for link in resolved):
                yield path

    def _iterate(self, step: IndexStep, paths: Sequence[str]) -> Iterator[str]:
        """Yield the paths and report the progress, until the run is stopped."""
        sizes = {path: _get_size(self.scan.files[path]) for path in paths}
        total, done = sum(sizes.values()), 0
        for number, path in enumerate(paths):
            if self.is_stopped():
                self.report.interrupted = True
                return
            self.progress(Progress(step, path, number, len(paths), done, total))
            yield path
            done += sizes[path]
        self.progress(Progress(step, "", len(paths), len(paths), total, total))

    def _index(self, path: str, labels: dict[str, str], resolver: LinkResolver) -> None:
        report = self.report
        done = report.changed if path in self.catalog.files else report.added
        try:
            count = self._put_rows(path) if holds_rows(path) else self._put(path, labels, resolver)
        except OSError as error:
            report.failed[path] = get_reason(error)
        except ConversionError as error:
            report.failed[path] = str(error).removeprefix(path).lstrip(" :")
        else:
            done.append(path)
            report.documents += count

    def _put(self, path: str, labels: dict[str, str], resolver: LinkResolver) -> int:
        place = self.scan.files[path]
        data = read_bytes(place)
        warnings: list[str] = []
        root = convert_bytes(data, path, resolver, report=warnings.append)
        tree = self.splitter.run([root])["documents"] if (root.content or "").strip() else []
        label_language(tree, recognise_language(root.content or ""))
        self.catalog.put(path, IndexedFile.from_document(place, data, tree[0] if tree else None, labels), tree)
        if warnings:
            self.report.warnings[path] = warnings
        return len(tree)

    def _put_rows(self, path: str) -> int:
        place = self.scan.files[path]
        file = IndexedFile.from_unread_rows(place, self.fields)
        reader = RowReader(place, path, file, self.catalog, self.splitter)
        count = self.catalog.put_rows(path, file, reader.read_batches())
        if reader.bad.count:
            self.report.bad_rows[path] = reader.bad
        return count


def find_moved_targets(
    before: Mapping[str, IndexedFile], labels: Mapping[str, Mapping[str, str]], removed: Sequence[str]
) -> set[str]:
    """Return the files whose incoming links may be outdated: removed ones, or with changed labels."""
    changed = {path for path, now in labels.items() if path in before and before[path].labels != now}
    return changed | set(removed)


def _merge_labels(files: Mapping[str, IndexedFile], read: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return the labels of all files, as just read or else as recorded."""
    by_file = {path: file.labels for path, file in files.items()} | dict(read)
    return {label: target for labels in by_file.values() for label, target in labels.items()}


def _read_labels(path: str, file: Path) -> dict[str, str]:
    """Return the link targets in a file by name; none for an unreadable file."""
    if holds_rows(path):
        return {}
    try:
        return labels_of(decode(read_bytes(file), path), path)
    except (OSError, ConversionError):
        return {}  # indexing it reports the reason


def _get_size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
