"""An indexing run: updates the catalog to the files below some paths."""

import os
import time
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from spaniel.components.converters.files import holds_rows
from spaniel.components.preprocessors import SectionSplitter
from spaniel.errors import ConversionError
from spaniel.knowledge_base.file_catalog import FileCatalog
from spaniel.knowledge_base.file_indexer import FileIndexer
from spaniel.knowledge_base.file_limits import FileLimits
from spaniel.knowledge_base.file_links import digest_targets
from spaniel.knowledge_base.file_scan import FileScan, scan_files
from spaniel.knowledge_base.file_selection import SelectionChange
from spaniel.knowledge_base.index_report import IndexReport, Progress
from spaniel.knowledge_base.indexed_file import RowFields
from spaniel.knowledge_base.step_execution import StepExecutor

_MAX_ROUNDS = 8  # a second one for outdated links, a third for ids of rows; then for links again


@dataclass
class IndexRun:
    """A run that indexes new and changed files, and removes those that no longer exist.

    Files are converted in batches. When a batch is converted, the labels in it are known, and its
    links are resolved; at the end, files whose links lead elsewhere by now are read again.

    :param catalog: the indexed files; updated, and flushed every few seconds.
    :param splitter: splits a file's document into its tree.
    :param fields: of rows; a file that was indexed with others is indexed again.
    :param progress: called before each file, and at the end.
    :param is_stopped: called before each file; True ends the run and keeps the files read so far.
    :param jobs: as in `StepExecutor`, and `limits`.
    """

    catalog: FileCatalog
    splitter: SectionSplitter
    fields: RowFields
    progress: Callable[[Progress], None]
    is_stopped: Callable[[], bool]
    jobs: int | None = None
    limits: FileLimits = field(default_factory=FileLimits)
    scan: FileScan = field(init=False)
    report: IndexReport = field(init=False)

    def execute(
        self, paths: Sequence[str | os.PathLike[str]], exclude: Path | None, change: SelectionChange | None = None
    ) -> IndexReport:
        """Update the catalog to files and folders.

        :param exclude: a folder to skip.
        :param change: of the selection of files.
        :raises KnowledgeBaseError: a path does not exist, or a given folder can't be read.
        """
        start = time.monotonic()
        indexed = {path: Path(file.file) for path, file in self.catalog.files.items()}
        self.scan = scan = scan_files(
            paths, self.catalog.folders, indexed, exclude=exclude, change=change, is_stopped=self.is_stopped
        )
        if self.is_stopped():
            return IndexReport(interrupted=True)
        self.report = IndexReport(
            passed_over=scan.passed_over,
            ignored=scan.num_ignored,
            failed={scan.make_name(place): reason for place, reason in scan.failed.items()},
            links_outside=[scan.make_name(place) for place in scan.links_outside],
        )
        renamed = self._remove_missing()
        self.catalog.leaving = set(renamed)
        try:
            self.catalog.set_folders(scan.folders)
            with StepExecutor(self.splitter, self.jobs, self.limits, self.is_stopped) as executor:
                self._index_all(executor)
            if not self.report.interrupted:
                self._remove_renamed(renamed)
        finally:
            self.catalog.leaving = set()
        self.report.add_rejected(self.catalog.pop_rejected())
        self.report.seconds = time.monotonic() - start
        return self.report

    def _index_all(self, executor: StepExecutor) -> None:
        """Index changed files, then those with links that lead elsewhere because of that."""
        scan, report = self.scan, self.report
        indexer = FileIndexer(self.catalog, scan, report, executor, self.splitter, self.fields, self.progress)
        due = set()
        for path in scan.files:
            if self.is_stopped():
                report.interrupted = True
                return
            if self._is_due(path):
                due.add(path)
        report.unchanged = len(scan.files)
        for _ in range(_MAX_ROUNDS):
            todo = [path for path in scan.files if path in due or self._may_gain_ids(path, due)]
            report.left = len(todo)
            report.unchanged -= sum(path not in report.added and path not in report.changed for path in todo)
            indexer.index(todo)
            if report.interrupted:
                return
            resolver, staying = indexer.build_resolver(), indexer.list_staying()
            outdated: set[str] = set()
            if (targets := digest_targets(resolver)) != self.catalog.link_targets:
                outdated = {path for path, file in staying.items() if file.has_outdated_links(path, resolver)}
            due = {path for path, file in staying.items() if file.is_unfinished} | outdated
            due = {path for path in due if path in scan.files and path not in report.failed}
            if not due and not any(self._may_gain_ids(path, due) for path in scan.files):
                # Files outside of the scan stay outdated until their folder is indexed.
                self.catalog.set_link_targets("" if outdated else targets)
                return

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
        kind = self.scan.kinds.get(path)
        if known is None or known.kind != kind or (holds_rows(path, kind=kind) and known.fields != self.fields):
            return True
        if known is not None and known.embedder != (
            "" if self.catalog.embedding is None else self.catalog.embedding.id
        ):
            return True
        try:
            return not known.is_current()
        except (OSError, ConversionError):
            return True  # indexing it reports the reason

    def _may_gain_ids(self, path: str, due: Container[str]) -> bool:
        """Return True if a file with ids of its rows has changed, so that these may be free now."""
        files, leaving = self.catalog.files, self.catalog.leaving
        return path in files and any(
            other in due or other not in files or other in leaving or files[other].indexed_ns > files[path].indexed_ns
            for other in files[path].ids_taken_by
        )
