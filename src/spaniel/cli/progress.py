"""The progress bar of indexing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from spaniel.knowledge_base import Progress


@contextmanager
def progress_bar(*, hidden: bool) -> Iterator[Callable[[Progress], None] | None]:
    """Give what shows how far an indexing run is, on standard error; None if hidden."""
    if hidden:
        yield None
        return
    columns = [TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn()]
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Reading", total=None)

        def tell(progress: Progress) -> None:
            counted = f"{progress.files:,} of {progress.total_files:,} files"
            bar.update(task, description=counted, completed=progress.bytes, total=progress.total_bytes)

        yield tell
