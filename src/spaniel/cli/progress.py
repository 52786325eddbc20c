"""The progress bar of indexing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from spaniel.knowledge_base import Progress

_STEPS = {"links": "Finding link targets", "files": "Indexing"}


@contextmanager
def progress_bar(console: Console, *, hidden: bool) -> Iterator[Callable[[Progress], None] | None]:
    """Give what shows how far an indexing run is; None if hidden, or where no one looks on.

    :param console: where to.
    :param hidden: whether to show nothing.
    """
    if hidden or not console.is_terminal:
        yield None
        return
    columns = [TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn()]
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("Looking for files", total=None)

        def tell(progress: Progress) -> None:
            step = f"{_STEPS[progress.step]}: {progress.files:,} of {progress.total_files:,} files"
            bar.update(task, description=step, completed=progress.bytes, total=progress.total_bytes)

        yield tell
