"""Cost of an action: CPU time, which other work on the machine affects less, and memory."""

import gc
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROUNDS = 3
Action = Callable[[], object]


def cpu_seconds(action: Action) -> float:
    """Return the CPU seconds of an action, those of all threads it starts included."""
    started = time.process_time()
    action()
    return time.process_time() - started


def wall_seconds(action: Action) -> float:
    """Return the seconds of an action."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def interleaved(sides: Mapping[str, Sequence[Action]], rounds: int = ROUNDS) -> dict[str, float]:
    """Return the CPU milliseconds of an action of each side: the mean of its actions, each at the
    best of some rounds.

    The sides alternate, action by action, so that a slow moment of the machine affects all of them.
    A side may have fewer actions than another.
    """
    best = {name: [float("inf")] * len(actions) for name, actions in sides.items()}
    for _ in range(rounds):
        for number in range(max(len(actions) for actions in sides.values())):
            for name, actions in sides.items():
                if number < len(actions):
                    best[name][number] = min(best[name][number], cpu_seconds(actions[number]))
    return {name: sum(times) / len(times) * 1000 for name, times in best.items()}


def settle() -> None:
    """Take all objects there are out of the garbage collector's sight.

    Else it walks the documents of all sides, now and then, at the cost of the side that allocates
    at that moment.
    """
    gc.collect()
    gc.freeze()


def resident_megabytes() -> float:
    """Return the memory of this process, after unused memory was released."""
    gc.collect()
    release: Any = getattr(__import__("ctypes").CDLL(None), "malloc_trim", None)
    if release:
        release(0)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
