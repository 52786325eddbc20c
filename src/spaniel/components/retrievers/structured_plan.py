"""How often a structured retrieval asks its store at most, told before it runs."""

from collections.abc import Callable, Iterator, Sequence
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


def planned(
    methods: Sequence[Callable[..., Any]],
    *,
    levels: int | None,
    merge: bool,
    depth: int,
    inward: bool,
    window: int,
    budget: bool,
) -> list[PlannedPart]:
    """Return the parts of a retrieval in order.

    :param methods: the store methods that search.
    :param levels: how many levels there are above the leaves at most; None: unknown.
    :param merge: whether hits are merged.
    :param depth: how many hops are made; 0: none.
    :param inward: whether links are followed to the documents that hold them.
    :param window: how many chunks are laid around a passage; 0: none.
    :param budget: whether the result is chosen to fit a budget.
    """
    return [
        *_searches(methods),
        *([_merge(levels)] if merge else []),
        *([_follow(depth, inward=inward)] if depth else []),
        *([PlannedPart("window", 1, "one for all windows together")] if window and not budget else []),
        *([PlannedPart("budget", 2, "one for all windows, one for sections and documents")] if budget else []),
    ]


def _searches(methods: Sequence[Callable[..., Any]]) -> Iterator[PlannedPart]:
    for name in (method.__name__ for method in methods):
        yield PlannedPart(name.removesuffix("_retrieval"), 1, f"one {name}")
    if len(methods) > 1:
        yield PlannedPart("fuse", 0, "it works on what was found")


def _merge(levels: int | None) -> PlannedPart:
    above = "of the hierarchy above the leaves" if levels is None else f"above the leaves: {levels}"
    return PlannedPart("merge", levels, f"one for each level {above}")


def _follow(depth: int, *, inward: bool) -> PlannedPart:
    if inward:
        return PlannedPart("follow", 2 * depth, f"two a hop, one of them for parents: depth {depth}")
    return PlannedPart("follow", depth, f"one a hop: depth {depth}")


def highest_level(store: Any) -> int | None:
    """Return the highest level that a document of a store has, asked by one request; None if the store can't tell."""
    if not hasattr(store, "get_metadata_field_min_max"):
        return None
    highest = store.get_metadata_field_min_max(f"meta.{LEVEL}").get("max")
    return highest if isinstance(highest, int) else 0
