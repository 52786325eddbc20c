"""How often a structured retrieval asks its store at most, told before it runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from spaniel.dataclasses.hierarchy import LEVEL


@dataclass(frozen=True)
class PlannedPart:
    """A part of a structured retrieval.

    :param name: that of its stage in a trace.
    :param requests: how often it asks the store at most; None: that depends on what is stored.
    :param why: why so often.
    """

    name: str
    requests: int | None
    why: str

    def __str__(self) -> str:
        often = "no bound known" if self.requests is None else f"at most {self.requests}"
        return f"{self.name}: {often} ({self.why})"


def planned(methods: Sequence[str], *, levels: int | None, merge: bool, depth: int, window: int) -> list[PlannedPart]:
    """Return the parts of a retrieval in order.

    :param methods: the store methods that search.
    :param levels: how many levels there are above the leaves at most; None: unknown.
    :param merge: whether hits are merged.
    :param depth: how many hops are made; 0: none.
    :param window: how many chunks are laid around a passage; 0: none.
    """
    return list(_parts(methods, levels, merge, depth, window))


def _parts(methods: Sequence[str], levels: int | None, merge: bool, depth: int, window: int) -> Iterator[PlannedPart]:
    for method in methods:
        yield PlannedPart(method.removesuffix("_retrieval"), 1, f"one {method}")
    if len(methods) > 1:
        yield PlannedPart("fuse", 0, "it works on what was found")
    if merge:
        above = "of the hierarchy above the leaves" if levels is None else f"above the leaves: {levels}"
        yield PlannedPart("merge", levels, f"one for each level {above}")
    if depth:
        yield PlannedPart("follow", depth, f"one a hop: depth {depth}")
    if window:
        yield PlannedPart("window", 1, "one for all windows together")


def highest_level(store: Any) -> int | None:
    """Return the highest level that a document of a store has, asked by one request; None if the store can't tell."""
    if not hasattr(store, "get_metadata_field_min_max"):
        return None
    highest = store.get_metadata_field_min_max(f"meta.{LEVEL}").get("max")
    return highest if isinstance(highest, int) else 0
