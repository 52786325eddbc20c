"""Recursive retrieval: documents that the metadata of others points to, hop by hop."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spaniel.dataclasses import Document
from spaniel.filters.dates import iso_instant
from spaniel.filters.field import field_path, field_value
from spaniel.strategies.requests import FetchByKey, Steps
from spaniel.strategies.scores import at_least
from spaniel.tracing import Recorder
from spaniel.tracing.events import Dropped, Followed, HubCut, LedBack, LinkUnmet, Repeated


@dataclass(frozen=True)
class Sample:
    """A document and its cell: its place in the list of one source at one depth."""

    document: Document
    rank: int
    source: int
    depth: int


DIMENSIONS: Mapping[str, Callable[[Sample], int]] = {
    "rank": lambda sample: sample.rank,
    "source": lambda sample: sample.source,
    "depth": lambda sample: sample.depth,
}
"""What a sampling strategy sorts by, the first name weighing most."""

DEFAULT_SAMPLING = ("rank", "source", "depth")


@dataclass(frozen=True)
class _Link:
    """A value in the metadata of `origin`, under the key number `source`."""

    origin: Document
    source: int
    value: Any


def follow_links(
    documents: Sequence[Document],
    *,
    filter_key: str,
    relevant_doc_keys: Sequence[str],
    top_k: int,
    depth: int,
    sampling_strategy: Sequence[str] = DEFAULT_SAMPLING,
    force_keep_original_documents: bool = False,
    filters: dict[str, Any] | None = None,
    max_targets: int = 1000,
    min_score: float | None = None,
    record: Recorder | None = None,
) -> Steps[list[Document]]:
    """Return the documents and those they link to, sampled to `top_k`.

    A document links to every document whose value under `filter_key` (a scalar, or an element of a list) is among its
    own values under one of `relevant_doc_keys`. Asks once a hop, for the values of all keys together.

    :param documents: the originals, depth 0; never filtered.
    :param filter_key: what links point at: a metadata key, with or without ``meta.``, or ``id``.
    :param relevant_doc_keys: where links stand; the place of a key is its `source`.
    :param top_k: how many documents to return.
    :param depth: how many hops.
    :param sampling_strategy: an order of ``rank``, ``source``, ``depth``.
    :param force_keep_original_documents: whether linked documents give way to originals.
    :param filters: what linked documents must match, on every hop.
    :param max_targets: how many new documents one hop may add.
    :param min_score: what an original must score to be kept and followed.
    """
    found = _originals(at_least(list(documents), min_score, record), record)
    samples = [Sample(document, rank, 0, 0) for rank, document in enumerate(found.values())]
    frontier = [sample.document for sample in samples]
    for hop in range(1, depth + 1):
        links = list(_links(frontier, relevant_doc_keys))
        values = list(dict.fromkeys(link.value for link in links))
        if not values:
            break
        targets = _by_value((yield FetchByKey(filter_key, values, filters)), filter_key)
        reached = list(_reach(links, targets, relevant_doc_keys, hop, found, record))
        reached = _bounded(reached, max_targets, hop, record)
        found |= {sample.document.id: sample.document for sample in reached}
        samples += reached
        frontier = [sample.document for sample in reached]
    return _sampled(samples, sampling_strategy, top_k, force_keep_original_documents, record)


def _originals(documents: Sequence[Document], record: Recorder | None) -> dict[str, Document]:
    originals: dict[str, Document] = {}
    for document in documents:
        if document.id in originals and record is not None:
            record(Repeated(document.id))
        originals.setdefault(document.id, document)
    return originals


def _links(frontier: Sequence[Document], keys: Sequence[str]) -> Iterator[_Link]:
    """Yield source by source the first link of every document, then the second ones, and so on."""
    for source, key in enumerate(keys):
        path = field_path(key)
        rows = [(document, link_values(field_value(document, path))) for document in frontier]
        for place in range(max((len(values) for _, values in rows), default=0)):
            for document, values in rows:
                if place < len(values):
                    yield _Link(document, source, values[place])


def link_values(value: Any) -> list[Any]:
    """Return the scalars that a metadata value holds: itself, or its distinct elements.

    >>> link_values(["b", "a", "b", None])
    ['b', 'a']
    """
    values = value if isinstance(value, (list, tuple)) else [value]
    return list(dict.fromkeys(item for item in values if isinstance(item, (str, int, float)) and item == item))  # noqa: PLR0124 (NaN)


def _by_value(documents: Sequence[Document], filter_key: str) -> dict[Any, list[Document]]:
    targets: dict[Any, list[Document]] = {}
    path = field_path(filter_key)
    for document in documents:
        for value in link_values(field_value(document, path)):
            targets.setdefault(_identity(value), []).append(document)
    return targets


def _identity(value: Any) -> Any:
    """Return what equal values share: a moment in time has many spellings."""
    return iso_instant(value) or value


def _reach(
    links: Sequence[_Link],
    targets: Mapping[Any, Sequence[Document]],
    keys: Sequence[str],
    hop: int,
    found: Mapping[str, Document],
    record: Recorder | None,
) -> Iterator[Sample]:
    """Yield each new document once, in the list of the lowest source that reaches it."""
    seen = set(found)
    ranks = [0] * len(keys)
    for link in links:
        key, linked = keys[link.source], targets.get(_identity(link.value), ())
        if record is not None and not linked:
            record(LinkUnmet(link.origin.id, key, link.value, hop))
        for document in linked:
            if document.id in seen:
                if record is not None and document.id != link.origin.id:
                    record(LedBack(document.id, link.origin.id, key, link.value, hop))
                continue
            seen.add(document.id)
            rank = ranks[link.source]
            ranks[link.source] += 1
            if record is not None:
                record(Followed(document.id, link.origin.id, key, link.value, hop, rank))
            yield Sample(document, rank, link.source, hop)


def _bounded(reached: list[Sample], max_targets: int, hop: int, record: Recorder | None) -> list[Sample]:
    if len(reached) <= max_targets:
        return reached
    if record is not None:
        record(HubCut("", hop, len(reached), max_targets))
    nearest = sorted(reached, key=lambda sample: (sample.rank, sample.source))[:max_targets]
    return sorted(nearest, key=lambda sample: (sample.source, sample.rank))


def _sampled(
    samples: Sequence[Sample], order: Sequence[str], top_k: int, keep_originals: bool, record: Recorder | None
) -> list[Document]:
    ordered = sorted(samples, key=lambda sample: tuple(DIMENSIONS[name](sample) for name in order))
    kept = ordered[:top_k]
    if keep_originals:
        originals = sum(sample.depth == 0 for sample in ordered)
        linked = [sample for sample in ordered if sample.depth][: max(top_k - originals, 0)]
        chosen = {sample.document.id for sample in linked}
        kept = [sample for sample in ordered if not sample.depth or sample.document.id in chosen]
    if record is not None:
        stayed = {sample.document.id for sample in kept}
        for place, sample in enumerate(ordered):
            if sample.document.id not in stayed:
                record(Dropped(sample.document.id, f"place {place + 1} of top_k {top_k}"))
    return [sample.document for sample in kept]
