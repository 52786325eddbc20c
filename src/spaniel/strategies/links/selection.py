"""The linked documents that stay: within the limits of a hop and, at the end, within `top_k`."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from spaniel.dataclasses import Document
from spaniel.strategies.links.link import Link
from spaniel.tracing import Recorder
from spaniel.tracing.events import Dropped, HopsEnded, HubCut


@dataclass(frozen=True)
class Sample:
    """A document and its cell: its place in the list of one source at one depth; originals were reached by no link."""

    document: Document
    rank: int
    source: int
    depth: int
    link: Link | None = None


SamplingDimension = Literal["rank", "source", "depth"]
"""A sort key of sampling: the place among its source's documents, the link key, or the number of hops."""

DIMENSIONS: Mapping[str, Callable[[Sample], int]] = {
    "rank": lambda sample: sample.rank,
    "source": lambda sample: sample.source,
    "depth": lambda sample: sample.depth,
}
"""What a sampling strategy sorts by, the first name weighing most."""

DEFAULT_SAMPLING = ("rank", "source", "depth")


def sampled(
    samples: Sequence[Sample], order: Sequence[str], top_k: int, *, keep_originals: bool, record: Recorder | None
) -> list[Document]:
    """Return the documents in an order, at most `top_k`; with `keep_originals`, linked ones give way to originals."""
    ordered = sorted(samples, key=lambda sample: tuple(DIMENSIONS[name](sample) for name in order))
    kept = ordered[:top_k]
    if keep_originals and top_k:
        originals = sum(sample.depth == 0 for sample in ordered)
        linked = [sample for sample in ordered if sample.depth][: max(top_k - originals, 0)]
        chosen = {sample.document.id for sample in linked}
        kept = [sample for sample in ordered if not sample.depth or sample.document.id in chosen]
    if record is not None and len(kept) < len(ordered):
        record(_dropped(ordered, kept, top_k))
    return [sample.document for sample in kept]


def _dropped(ordered: Sequence[Sample], kept: Sequence[Sample], top_k: int) -> Iterator[Dropped]:
    stayed = {sample.document.id for sample in kept}
    for place, sample in enumerate(ordered, 1):
        if sample.document.id not in stayed:
            yield Dropped(sample.document.id, f"it came at place {place}, and top_k is {top_k}", "top_k")


@dataclass
class HopLimits:
    """Bounds on what is followed, and what was used of them; None is no bound.

    :param targets: how many documents one hop may add.
    :param documents: how many documents all hops may add.
    :param requests: how often the store may be asked.
    :param seconds: after how long no other hop begins; one that has begun is not broken off.
    :param quotas: how many documents may come in by a source, in all hops.
    :param clock: what tells the seconds.
    """

    targets: int
    documents: int | None = None
    requests: int | None = None
    seconds: float | None = None
    quotas: Mapping[int, int] = field(default_factory=dict)
    clock: Callable[[], float] = time.monotonic
    _asked: int = 0
    _added: int = 0
    _by_source: Counter[int] = field(default_factory=Counter)
    _started: float = field(init=False)

    def __post_init__(self) -> None:
        self._started = self.clock()

    def allows(self, requests: int, hop: int, record: Recorder | None) -> bool:
        """Return whether a hop that needs some requests may begin; they are then spent."""
        over = self._over(requests)
        if over is None:
            self._asked += requests
        elif record is not None:
            record(HopsEnded("", hop, over))
        return over is None

    def _over(self, requests: int) -> str | None:
        if self.requests is not None and self._asked + requests > self.requests:
            return f"max_requests is {self.requests:,}"
        if self.seconds is not None and self.clock() - self._started >= self.seconds:
            return f"max_seconds is {self.seconds:g}"
        if self.documents is not None and self._added >= self.documents:
            return f"max_documents is {self.documents:,}"
        return None

    def quota_left(self, source: int) -> int | None:
        """Return how many documents may still come in by a source; None: any number."""
        quota = self.quotas.get(source)
        return None if quota is None else quota - self._by_source[source]

    def bounded(self, reached: list[Sample], hop: int, record: Recorder | None) -> list[Sample]:
        """Return those that the hop may add, the lowest ranks first to stay; they are then spent."""
        most, cause = self.targets, "max_targets"
        reason = f"hop {hop} may add max_targets {self.targets:,} documents"
        if record is not None and len(reached) > self.targets:
            record(HubCut("", hop, len(reached), self.targets))
        if self.documents is not None and self.documents - self._added < most:
            most, cause = self.documents - self._added, "max_documents"
            reason = f"all hops may add max_documents {self.documents:,} documents"
        kept = _cut(reached, most, reason, cause, record)
        self._added += len(kept)
        self._by_source.update(sample.source for sample in kept)
        return kept


def _cut(reached: list[Sample], most: int, reason: str, cause: str, record: Recorder | None) -> list[Sample]:
    if len(reached) <= most:
        return reached
    in_turn: Sequence[Sample] = sorted(reached, key=lambda sample: (sample.rank, sample.source))
    if record is not None:
        for sample in in_turn[most:]:
            record(Dropped(sample.document.id, reason, cause))
    return sorted(in_turn[:most], key=lambda sample: (sample.source, sample.rank))
