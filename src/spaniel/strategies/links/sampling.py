"""Which of the documents found come first."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from spaniel.dataclasses import Document
from spaniel.strategies.links.link import Link
from spaniel.tracing import Recorder
from spaniel.tracing.events import Dropped


@dataclass(frozen=True)
class Sample:
    """A document and its cell: its place in the list of one source at one depth; originals were reached by no link."""

    document: Document
    rank: int
    source: int
    depth: int
    link: Link | None = None


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
