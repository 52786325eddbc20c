"""Light queries beside a slow one, with and without a writer."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count, cycle

from benchmarks import clock
from benchmarks.corpus import Corpus, corpus
from benchmarks.engines import Store
from benchmarks.rows import Row, row
from benchmarks.targets import READERS, WITHOUT_WRITER

ROUNDS, SECONDS = 4, 1.5
SLOW_MS = 100
BATCH, PAUSE = 5, 0.005
"""Documents of a write, and seconds between two writes."""
BETWEEN = 0.0005
"""Seconds between two light queries."""
PERCENTILES = (50, 90, 99)


def rows(size: int) -> list[Row]:
    """Return the times of light queries, those without the writer as the other side."""
    made = corpus(size)
    store = Store(made)
    slow = _slow_query(store, made)
    clock.settle()
    light = cycle(made.queries["keyword"])
    times: dict[bool, list[float]] = {False: [], True: []}
    slow_times: list[float] = []
    writes: list[float] = []
    for _ in range(ROUNDS):
        for writing in times:
            with _running(lambda: slow_times.append(_ms(lambda: store.ask(slow)))):
                if not writing:
                    times[writing] += _asked(store, light)
                    continue
                with _running(_writer(store, made, size, writes)):
                    times[writing] += _asked(store, light)
    per_second = len(writes) / (ROUNDS * SECONDS)
    note = f"{per_second:.0f} writes of {BATCH} documents a second; the slow query takes {_percentile(slow_times, 50):.0f} ms"
    return [
        row(
            WITHOUT_WRITER,
            f"{READERS}, p{percent}",
            size,
            _percentile(times[True], percent),
            _percentile(times[False], percent),
            "ms of wall time",
            note,
        )
        for percent in PERCENTILES
    ]


def _slow_query(store: Store, made: Corpus) -> str:
    """Return a query long enough to take `seconds`, or of all words of the texts."""
    words = list(dict.fromkeys(" ".join(made.texts).split()))
    number = 1000
    while number < len(words) and min(_ms(lambda: store.ask(" ".join(words[:number]))) for _ in range(3)) < SLOW_MS:  # noqa: B023 (run at once)
        number = number * 5 // 4
    return " ".join(words[:number])


def _asked(store: Store, queries: Iterator[str]) -> list[float]:
    """Return the milliseconds of each light query of some seconds."""
    times = []
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        times.append(_ms(lambda: store.ask(next(queries))))
        time.sleep(BETWEEN)
    return times


def _writer(store: Store, made: Corpus, size: int, writes: list[float]) -> Callable[[], None]:
    """Return a function that writes a small batch and sleeps: new documents, or replacements of
    earlier ones.
    """
    numbers = count()

    def write() -> None:
        first = next(numbers) % 200 * BATCH
        writes.append(
            _ms(lambda: store.put(range(size + first, size + first + BATCH), made.texts[first : first + BATCH]))
        )
        time.sleep(PAUSE)

    return write


@contextmanager
def _running(action: Callable[[], object]) -> Iterator[None]:
    """Do something in a thread, again and again, for the block."""
    stopped = threading.Event()

    def work() -> None:
        while not stopped.is_set():
            action()

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.1)
    try:
        yield
    finally:
        stopped.set()
        thread.join()


def _ms(action: clock.Action) -> float:
    return clock.wall_seconds(action) * 1000


def _percentile(times: list[float], percent: int) -> float:
    return sorted(times)[len(times) * percent // 100]
