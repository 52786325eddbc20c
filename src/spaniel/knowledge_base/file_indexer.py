"""Files to documents in a catalog: batches of files are converted, linked, divided and stored."""

import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from spaniel.components.preprocessors import SectionSplitter
from spaniel.errors import ConversionError, SpanielError
from spaniel.knowledge_base.file_catalog import FileCatalog
from spaniel.knowledge_base.file_links import FileLinks, merge_labels
from spaniel.knowledge_base.file_scan import FileScan
from spaniel.knowledge_base.file_steps import (
    ConvertedFile,
    Failure,
    FileSource,
    Outcome,
    SplitFile,
    describe_error,
)
from spaniel.knowledge_base.index_report import IndexReport, IndexStep, Progress
from spaniel.knowledge_base.indexed_file import IndexedFile, RowFields
from spaniel.knowledge_base.passage_embedding import EmbeddingStoppedError
from spaniel.knowledge_base.row_reader import RowReader
from spaniel.knowledge_base.step_execution import StepExecutor
from spaniel.text.link_resolver import LinkResolver

_FLUSH_SECONDS = 5.0
_MAX_BATCH_BYTES = 1 << 26
"""Converted text that waits in memory for the labels of other files."""


@dataclass
class FileIndexer:
    """Indexes files of a scan, and notes the fate of each in the report.

    :param catalog: the indexed files; updated, and flushed every few seconds.
    :param scan: has the places of the files.
    :param report: of the run.
    :param executor: converts and divides files.
    :param splitter: divides rows.
    :param fields: of rows.
    :param progress: called before each file, and at the end.
    """

    catalog: FileCatalog
    scan: FileScan
    report: IndexReport
    executor: StepExecutor
    splitter: SectionSplitter
    fields: RowFields
    progress: Callable[[Progress], None]
    _order: dict[str, int] = field(init=False)
    _labels: dict[str, dict[str, str]] = field(default_factory=dict)
    _flushed: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self._order = {path: number for number, path in enumerate(self.scan.files)}

    def index(self, paths: Sequence[str]) -> None:
        """Index files. The links of a batch are resolved by the labels of all files until then."""
        self._labels = {path: FileLinks.unpack(file.links).labels for path, file in self.list_staying().items()}
        rest = deque(self._make_source(path) for path in paths)
        converting, storing = (_StepProgress(step, rest, self.progress) for step in ("links", "files"))
        results = self.executor.run([source for source in rest if not source.holds_rows])
        with closing(results):
            while rest and not self.report.interrupted:
                batch = self._convert(rest, results, converting)
                self.executor.set_resolver(self.build_resolver())
                self._store(batch, storing)

    def build_resolver(self) -> LinkResolver:
        """Return the resolver of links to the files that are indexed, or may still be."""
        staying = self.list_staying().keys()
        paths = {path for path in self.scan.files if path not in self.report.failed} | staying
        return LinkResolver(paths, merge_labels({path: self._labels.get(path, {}) for path in paths}))

    def list_staying(self) -> dict[str, IndexedFile]:
        """Return the indexed files without those that get another path in this run."""
        return {path: file for path, file in self.catalog.files.items() if path not in self.catalog.leaving}

    def _make_source(self, path: str) -> FileSource:
        place = self.scan.files[path]
        try:
            size = place.stat().st_size
        except OSError:
            size = 0  # converting it reports the reason
        return FileSource(path, place, self.scan.kinds.get(path), size)

    def _convert(
        self, rest: deque[FileSource], results: Iterator[Outcome], progress: "_StepProgress"
    ) -> dict[FileSource, Outcome | None]:
        """Convert files of the rest, up to a size of their text. A file of rows has no outcome."""
        batch: dict[FileSource, Outcome | None] = {}
        size = 0
        while rest and size < _MAX_BATCH_BYTES:
            progress.begin(rest[0])
            result = None if rest[0].holds_rows else next(results, None)
            if result is None and not rest[0].holds_rows:
                self.report.interrupted = True
                return batch
            batch[rest.popleft()] = result
            if isinstance(result, ConvertedFile):
                self._labels[result.path] = result.labels
                size += result.size
            elif isinstance(result, Failure):
                self.report.failed[result.path] = result.reason  # no link leads there
        if not rest:
            progress.end()
        return batch

    def _store(self, batch: Mapping[FileSource, Outcome | None], progress: "_StepProgress") -> None:
        """Divide and store a batch; if the run is stopped already, all of it but the rows."""
        is_last = self.report.interrupted
        converted = [outcome for outcome in batch.values() if isinstance(outcome, ConvertedFile)]
        with closing(self.executor.run(converted, to_end=is_last)) as results:
            for source, outcome in batch.items():
                result = next(results, None) if isinstance(outcome, ConvertedFile) else outcome
                if result is None and (outcome is not None or is_last or self.executor.is_stopped()):
                    self.report.interrupted = True
                    continue
                progress.begin(source)
                self._put(source, result)
                if self.report.interrupted and not is_last:
                    break
                self.report.left -= 1
                if time.monotonic() >= self._flushed + _FLUSH_SECONDS:
                    self.catalog.flush()
                    self._flushed = time.monotonic()
        if progress.is_complete:
            progress.end()

    def _put(self, source: FileSource, result: Outcome | None) -> None:
        report, path = self.report, source.path
        is_new = path not in self.catalog.files
        try:
            if isinstance(result, SplitFile):
                self.catalog.put(path, result.file, result.tree)
                report.documents += len(result.tree)
                if result.warnings:
                    report.warnings[path] = result.warnings
            elif result is None:
                report.documents += self._put_rows(source)
            else:
                assert isinstance(result, Failure)  # noqa: S101 (nothing else is left)
                report.failed[path] = result.reason
                return
        except EmbeddingStoppedError:
            report.interrupted = True
        except ConversionError as error:
            report.failed[path] = describe_error(error, path)
        except SpanielError:
            raise  # of the store
        except (ValueError, TypeError) as error:  # metadata that JSON can't represent
            report.failed[path] = str(error)
        else:
            if path not in report.added and path not in report.changed:
                (report.added if is_new else report.changed).append(path)

    def _put_rows(self, source: FileSource) -> int:
        try:
            file = IndexedFile.from_unread_rows(source.place, self.fields, source.kind)
        except OSError as error:
            raise ConversionError(describe_error(error, source.path)) from error
        place = self._order[source.path]
        reader = RowReader(
            source.place, source.path, file, self.catalog, self.splitter, lambda path: self._order.get(path, -1) > place
        )
        count = self.catalog.put_rows(source.path, file, reader.read_batches())
        for loser in reader.losers:
            self.catalog.mark_unfinished(loser)  # the next round reads it again
        if reader.bad.count:
            self.report.bad_rows[source.path] = reader.bad
        return count


class _StepProgress:
    """Counts the files and bytes of a step."""

    def __init__(self, step: IndexStep, sources: Collection[FileSource], notify: Callable[[Progress], None]) -> None:
        self._step: IndexStep = step
        self._notify = notify
        self._total_files, self._total_bytes = len(sources), sum(source.size for source in sources)
        self._files = self._bytes = 0

    @property
    def is_complete(self) -> bool:
        return self._files == self._total_files

    def begin(self, source: FileSource) -> None:
        self._report(source.path)
        self._files, self._bytes = self._files + 1, self._bytes + source.size

    def end(self) -> None:
        self._report("")

    def _report(self, path: str) -> None:
        self._notify(Progress(self._step, path, self._files, self._total_files, self._bytes, self._total_bytes))
