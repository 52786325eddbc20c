"""The selection of linked documents: the limits of hops, and the sampling of the result."""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from spaniel.dataclasses import Document
from spaniel.strategies.links.link import Link
from spaniel.tracing import Recorder
from spaniel.tracing.events import Dropped, HopsEnded, HubCut

SamplingDimension = Literal["rank", "source", "depth"]
"""A sort key of sampling: the place among the documents of a source, the source, or the hops."""

DEFAULT_SAMPLING: tuple[SamplingDimension, ...] = ("rank", "source", "depth")


@dataclass(frozen=True)
class Sample:
    """A document with its sort keys; the originals have no link and depth 0."""

    document: Document
    rank: int
    source: int
    depth: int
    link: Link | None = None


def sample_documents(
    samples: list[Sample], order: Sequence[SamplingDimension], top_k: int, keep_originals: bool, record: Recorder | None
) -> list[Document]:
    """Return the first `top_k` documents in an order; `keep_originals` drops linked ones first."""
    ordered = sorted(samples, key=lambda sample: [getattr(sample, dimension) for dimension in order])
    kept = ordered[:top_k]
    if keep_originals and top_k:
        originals = sum(sample.depth == 0 for sample in ordered)
        linked = [sample for sample in ordered if sample.depth][: max(top_k - originals, 0)]
        linked_ids = {sample.document.id for sample in linked}
        kept = [sample for sample in ordered if not sample.depth or sample.document.id in linked_ids]
    if record is not None and len(kept) < len(ordered):
        kept_ids = {sample.document.id for sample in kept}
        places = [(at, each.document.id) for at, each in enumerate(ordered, 1) if each.document.id not in kept_ids]
        record(Dropped(id, f"it came at place {at}, and top_k is {top_k}", "top_k") for at, id in places)
    return [sample.document for sample in kept]


@dataclass
class HopLimits:
    """Limits of the hops, and the amounts used so far; None: unlimited.

    `targets` bounds the documents added per hop, `documents` those of all hops, and `quotas` those
    of all hops by source. No hop starts after `seconds`; a running hop is not stopped.
    """

    targets: int
    documents: int | None = None
    requests: int | None = None
    seconds: float | None = None
    quotas: Mapping[int, int] = field(default_factory=dict)
    clock: Callable[[], float] = time.monotonic
    _requested: int = 0
    _added: int = 0
    _by_source: Counter[int] = field(default_factory=Counter)
    _started: float = field(init=False)

    def __post_init__(self) -> None:
        self._started = self.clock()

    def reserve_requests(self, requests: int, hop: int, record: Recorder | None) -> bool:
        """Return if a hop may make some requests, which then count as used."""
        reason = self._reason_to_end(requests)
        if reason is None:
            self._requested += requests
        elif record is not None:
            record(HopsEnded("", hop, reason))
        return reason is None

    def _reason_to_end(self, requests: int) -> str | None:
        if self.requests is not None and self._requested + requests > self.requests:
            return f"max_requests is {self.requests:,}"
        if self.seconds is not None and self.clock() - self._started >= self.seconds:
            return f"max_seconds is {self.seconds:g}"
        if self.documents is not None and self._added >= self.documents:
            return f"max_documents is {self.documents:,}"
        return None

    def remaining_quota(self, source: int) -> int | None:
        """Return the number of documents that a source may still add; None: no limit."""
        quota = self.quotas.get(source)
        return None if quota is None else quota - self._by_source[source]

    def limit_hop(self, reached: list[Sample], hop: int, record: Recorder | None) -> list[Sample]:
        """Return the samples of the lowest ranks that a hop may add, which then count as used."""
        limit, cause = self.targets, "max_targets"
        reason = f"hop {hop} may add max_targets {self.targets:,} documents"
        if record is not None and len(reached) > self.targets:
            record(HubCut("", hop, len(reached), self.targets))
        if self.documents is not None and self.documents - self._added < limit:
            limit, cause = self.documents - self._added, "max_documents"
            reason = f"all hops may add max_documents {self.documents:,} documents"
        kept = reached
        if len(reached) > limit:
            by_rank = sorted(reached, key=lambda sample: (sample.rank, sample.source))
            if record is not None:
                for sample in by_rank[limit:]:
                    record(Dropped(sample.document.id, reason, cause))
            kept = sorted(by_rank[:limit], key=lambda sample: (sample.source, sample.rank))
        self._added += len(kept)
        self._by_source.update(sample.source for sample in kept)
        return kept
