"""The stages of a structured retrieval and the bounds of their store requests."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from spaniel.dataclasses.hierarchy import LEVEL


@dataclass(frozen=True)
class PlannedPart:
    """A part of a structured retrieval.

    :param name: the name of its stage in a trace.
    :param requests: the maximum number of store requests; None: it depends on the stored documents.
    :param why: the reason for that number.
    """

    name: str
    requests: int | None
    why: str

    def __str__(self) -> str:
        bound = "no bound known" if self.requests is None else f"at most {self.requests}"
        return f"{self.name}: {bound} ({self.why})"


def plan_parts(
    methods: Sequence[Callable[..., object]],
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
    :param levels: the maximum number of levels above the leaves; None: unknown.
    :param merge: hits are merged.
    :param depth: the number of hops.
    :param inward: links are followed to the documents that hold them.
    :param window: the number of chunks around a passage.
    :param budget: the result is chosen to fit a budget.
    """
    parts = list(_plan_searches(methods))
    if merge:
        above = "of the hierarchy above the leaves" if levels is None else f"above the leaves: {levels}"
        parts.append(PlannedPart("merge", levels, f"one for each level {above}"))
    if depth:
        why = f"two per hop, one of them for parents: depth {depth}" if inward else f"one per hop: depth {depth}"
        parts.append(PlannedPart("follow", 2 * depth if inward else depth, why))
    if budget:
        parts.append(PlannedPart("budget", 2, "one for all windows, one for sections and documents"))
    elif window:
        parts.append(PlannedPart("window", 1, "one for all windows together"))
    return parts


def _plan_searches(methods: Sequence[Callable[..., object]]) -> Iterator[PlannedPart]:
    for name in (method.__name__ for method in methods):
        yield PlannedPart(name.removesuffix("_retrieval"), 1, f"one {name}")
    if len(methods) > 1:
        yield PlannedPart("fuse", 0, "it works on the found documents")


def fetch_max_level(store: object) -> int | None:
    """Return the highest level of a stored document; None if the store lacks the method."""
    find_bounds = getattr(store, "get_metadata_field_min_max", None)
    if find_bounds is None:
        return None
    highest = find_bounds(f"meta.{LEVEL}").get("max")
    return highest if isinstance(highest, int) else 0
