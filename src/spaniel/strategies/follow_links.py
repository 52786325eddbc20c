"""Recursive retrieval: documents that the metadata of others points to, hop by hop."""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import count
from typing import Any

from spaniel.dataclasses import Document
from spaniel.filters.dates import iso_instant
from spaniel.filters.equality import plain
from spaniel.filters.field import field_path, field_value
from spaniel.strategies.requests import FetchByKey, Steps
from spaniel.strategies.scores import at_least, distinct_best
from spaniel.tracing import Recorder
from spaniel.tracing.events import Dropped, Followed, HubCut, LedBack, LinkUnmet

_SCALARS = (str, int, float, date)


@dataclass(frozen=True)
class _Link:
    """A value in the metadata of `origin`, under the key number `source`."""

    origin: Document
    source: int
    value: Any


@dataclass(frozen=True)
class Sample:
    """A document and its cell: its place in the list of one source at one depth; originals were reached by no link."""

    document: Document
    rank: int
    source: int
    depth: int
    link: _Link | None = None


DIMENSIONS: Mapping[str, Callable[[Sample], int]] = {
    "rank": lambda sample: sample.rank,
    "source": lambda sample: sample.source,
    "depth": lambda sample: sample.depth,
}
"""What a sampling strategy sorts by, the first name weighing most."""

DEFAULT_SAMPLING = ("rank", "source", "depth")


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
    originals = at_least(distinct_best(documents, record), min_score, record)
    samples = [Sample(document, rank, 0, 0) for rank, document in enumerate(originals)]
    found = {document.id: document for document in originals}
    frontier = originals
    for hop in range(1, depth + 1 if top_k else 1):
        links = list(_links(frontier, relevant_doc_keys))
        values = list(dict.fromkeys(link.value for link in links))
        if not values:
            break
        targets = _Targets((yield FetchByKey(filter_key, values, filters)), filter_key)
        if record is not None:
            _record_unmet(links, targets, _Targets(found.values(), filter_key), relevant_doc_keys, hop, record)
        reached, again = _reach(links, targets, hop, found, traced=record is not None)
        reached = _bounded(reached, max_targets, hop, record)
        if record is not None:
            _record_links(reached, again, relevant_doc_keys, hop, record)
        found |= {sample.document.id: sample.document for sample in reached}
        samples += reached
        frontier = [sample.document for sample in reached]
    return _sampled(samples, sampling_strategy, top_k, force_keep_original_documents, record)


def _links(frontier: Sequence[Document], keys: Sequence[str]) -> Iterator[_Link]:
    """Yield source by source the first link of every document, then the second ones, and so on."""
    for source, key in enumerate(keys):
        path = field_path(key)
        rows = [(document, link_values(field_value(document, path))) for document in frontier]
        for place in count():
            rows = [row for row in rows if len(row[1]) > place]
            if not rows:
                break
            for document, values in rows:
                yield _Link(document, source, values[place])


def link_values(value: Any) -> list[Any]:
    """Return the scalars that a metadata value holds: itself, or its distinct elements.

    >>> link_values(["b", "a", "b", None])
    ['b', 'a']
    """
    value = plain(value)
    values = value if isinstance(value, (list, tuple)) else [value]
    return list(dict.fromkeys(item for item in values if isinstance(item, _SCALARS) and item == item))  # noqa: PLR0124 (NaN)


class _Targets:
    """Documents by their values under a key, in store order; equal values meet, as in a filter's ``==``."""

    def __init__(self, documents: Iterable[Document], filter_key: str) -> None:
        self._documents: dict[Any, list[tuple[int, Document]]] = {}
        self._found: dict[Any, list[Document]] = {}  # many links may lead to one hub
        path = field_path(filter_key)
        for position, document in enumerate(documents):
            for value in link_values(field_value(document, path)):
                for filed in _filed_under(value):
                    self._documents.setdefault(filed, []).append((position, document))

    def of(self, value: Any) -> list[Document]:
        """Return the documents that hold a value, each once."""
        if value not in self._found:
            held = dict(pair for sought in _sought_under(value) for pair in self._documents.get(sought, ()))
            self._found[value] = [held[position] for position in sorted(held)]
        return self._found[value]


# A moment has many spellings. One without a time zone equals one of the same clock time in any zone.


def _filed_under(value: Any) -> list[Any]:
    moment = iso_instant(value)
    if moment is None:
        return [value]
    return [moment] if moment.tzinfo is None else [moment, ("zoned", moment.replace(tzinfo=None))]


def _sought_under(value: Any) -> list[Any]:
    moment = iso_instant(value)
    if moment is None:
        return [value]
    return [moment, ("zoned", moment) if moment.tzinfo is None else moment.replace(tzinfo=None)]


def _reach(
    links: Sequence[_Link], targets: _Targets, hop: int, found: Container[str], *, traced: bool
) -> tuple[list[Sample], list[tuple[Document, _Link]]]:
    """Return each new document once, in the list of the lowest source that reaches it; and which links led back."""
    reached: dict[str, Sample] = {}
    again: list[tuple[Document, _Link]] = []
    followed: set[Any] = set()
    ranks: Counter[int] = Counter()
    for link in links:
        linked = targets.of(link.value)
        if link.value in followed and (len(linked) > 1 or not traced):
            continue  # the many targets of a hub are not gone through again for each of its many links
        followed.add(link.value)
        for document in linked:
            if document.id in found or document.id in reached:
                again.append((document, link))
                continue
            reached[document.id] = Sample(document, ranks[link.source], link.source, hop, link)
            ranks[link.source] += 1
    return list(reached.values()), again


def _bounded(reached: list[Sample], max_targets: int, hop: int, record: Recorder | None) -> list[Sample]:
    if len(reached) <= max_targets:
        return reached
    in_turn = sorted(reached, key=lambda sample: (sample.rank, sample.source))
    if record is not None:
        record(HubCut("", hop, len(reached), max_targets))
        for sample in in_turn[max_targets:]:
            record(Dropped(sample.document.id, f"hop {hop} may add max_targets {max_targets:,} documents"))
    return sorted(in_turn[:max_targets], key=lambda sample: (sample.source, sample.rank))


def _sampled(
    samples: Sequence[Sample], order: Sequence[str], top_k: int, keep_originals: bool, record: Recorder | None
) -> list[Document]:
    ordered = sorted(samples, key=lambda sample: tuple(DIMENSIONS[name](sample) for name in order))
    kept = ordered[:top_k]
    if keep_originals and top_k:
        originals = sum(sample.depth == 0 for sample in ordered)
        linked = [sample for sample in ordered if sample.depth][: max(top_k - originals, 0)]
        chosen = {sample.document.id for sample in linked}
        kept = [sample for sample in ordered if not sample.depth or sample.document.id in chosen]
    if record is not None:
        stayed = {sample.document.id for sample in kept}
        for place, sample in enumerate(ordered, 1):
            if sample.document.id not in stayed:
                record(Dropped(sample.document.id, f"it came at place {place}, and top_k is {top_k}"))
    return [sample.document for sample in kept]


def _record_unmet(
    links: Sequence[_Link], targets: _Targets, found: _Targets, keys: Sequence[str], hop: int, record: Recorder
) -> None:
    for link in links:
        if not targets.of(link.value) and not found.of(link.value):
            record(LinkUnmet(link.origin.id, keys[link.source], link.value, hop))


def _record_links(
    reached: Sequence[Sample],
    again: Sequence[tuple[Document, _Link]],
    keys: Sequence[str],
    hop: int,
    record: Recorder,
) -> None:
    for sample in reached:
        if link := sample.link:
            record(Followed(sample.document.id, link.origin.id, keys[link.source], link.value, hop, sample.rank))
    for document, link in again:
        if document.id != link.origin.id:
            record(LedBack(document.id, link.origin.id, keys[link.source], link.value, hop))
