"""Following links as a whole: hop by hop, one request each, within a budget; then sampled."""

import time
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import PARENT
from spaniel.filters.field import field_path, field_value
from spaniel.strategies.links.link import DIRECTIONS, Link, LinkKeys, LinkTargets, list_link_values
from spaniel.strategies.links.selection import DEFAULT_SAMPLING, HopLimits, Sample, sampled
from spaniel.strategies.scores import deduplicate, drop_low_scores
from spaniel.strategies.store_requests import Fetch, FetchByIds, FetchByKey, FetchByKeys, StrategyRun
from spaniel.tracing import Recorder
from spaniel.tracing.events import Dropped, Followed, LedBack, LinkUnmet


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
    direction: str = "out",
    key_weights: Mapping[str, float] | None = None,
    key_quotas: Mapping[str, int] | None = None,
    score_decay: float | None = None,
    max_targets: int = 1000,
    max_documents: int | None = None,
    max_requests: int | None = None,
    max_seconds: float | None = None,
    min_score: float | None = None,
    clock: Callable[[], float] = time.monotonic,
    record: Recorder | None = None,
) -> StrategyRun[list[Document]]:
    """Return the documents and those they link to, sampled to `top_k`.

    A document links to every document whose value under `filter_key` (a scalar, or an element of a list) is among its
    own values under one of `relevant_doc_keys`. Asks once a hop, for the values of all keys together. Inward, a document
    without a value under `filter_key` counts under its parent's, which is one more request for all of a hop.

    :param documents: the originals, depth 0; never filtered.
    :param filter_key: what links point at: a metadata key, with or without ``meta.``, or ``id``.
    :param relevant_doc_keys: where links stand; the place of a key is its `source`.
    :param top_k: how many documents to return.
    :param depth: how many hops.
    :param sampling_strategy: an order of ``rank``, ``source``, ``depth``.
    :param force_keep_original_documents: whether linked documents give way to originals.
    :param filters: what linked documents must match, on every hop.
    :param direction: a key of `DIRECTIONS`: ``out`` to what is linked, ``in`` to what links, ``both``.
    :param key_weights: what a link by a key is worth, 1 by default; counts in scores.
    :param key_quotas: how many documents may come in by a key, in all hops.
    :param score_decay: a linked document scores what the one before it does, times this, times the weight of the key. None:
        it has no score.
    :param max_targets: how many new documents one hop may add.
    :param max_documents: how many new documents all hops may add.
    :param max_requests: how often the store may be asked.
    :param max_seconds: after how long no other hop begins.
    :param min_score: what an original must score to be kept and followed.
    :param clock: what tells the seconds.
    """
    keys = LinkKeys(filter_key, relevant_doc_keys, direction)
    quotas = {
        source: quota
        for source, key in enumerate(relevant_doc_keys)
        if (quota := (key_quotas or {}).get(key)) is not None
    }
    budget = HopLimits(max_targets, max_documents, max_requests, max_seconds, quotas, clock)
    weights = [(key_weights or {}).get(key, 1.0) for key in relevant_doc_keys]
    originals = drop_low_scores(deduplicate(documents, record), min_score, record)
    samples = [Sample(document, rank, 0, 0) for rank, document in enumerate(originals)]
    found = {document.id: document for document in originals}
    frontier = originals
    for hop in range(1, depth + 1 if top_k else 1):
        links = yield from _links(frontier, keys, budget, hop, record)
        if not links or not budget.allows(1, hop, record):
            break
        targets = LinkTargets((yield _request(keys.wanted(links), filters)), keys)
        if record is not None:
            record(_unmet(links, targets, list(found.values()), keys, hop))
        reached, again = _reach(links, targets, hop, found, budget, keys, record)
        reached = [_scored(sample, score_decay, weights) for sample in budget.bounded(reached, hop, record)]
        if record is not None:
            record(_followed(reached, again, relevant_doc_keys, hop))
        found |= {sample.document.id: sample.document for sample in reached}
        samples += reached
        frontier = [sample.document for sample in reached]
    return sampled(samples, sampling_strategy, top_k, keep_originals=force_keep_original_documents, record=record)


def _links(
    frontier: Sequence[Document], keys: LinkKeys, budget: HopLimits, hop: int, record: Recorder | None
) -> StrategyRun[list[Link]]:
    """Return the links of documents; inward, those without a value that links point at have their parents'."""
    targets: dict[str, list[Any]] = {}
    if True in DIRECTIONS[keys.direction]:
        path = field_path(keys.target)
        targets = {document.id: list_link_values(field_value(document, path)) for document in frontier}
        parents = {each.id: each.meta[PARENT] for each in frontier if not targets[each.id] and each.meta.get(PARENT)}
        if parents and not budget.allows(1, hop, record):
            return []
        if parents:
            fetched: list[Document] = yield FetchByIds(list(dict.fromkeys(parents.values())))
            values = {parent.id: list_link_values(field_value(parent, path)) for parent in fetched}
            targets |= {id: values.get(parent, []) for id, parent in parents.items()}
    return list(keys.follow(frontier, targets))


def _request(wanted: Mapping[str, list[Any]], filters: dict[str, Any] | None) -> Fetch:
    if len(wanted) > 1:
        return FetchByKeys(wanted, filters)
    [(key, values)] = wanted.items()
    return FetchByKey(key, values, filters)


def _reach(
    links: Sequence[Link],
    targets: LinkTargets,
    hop: int,
    found: Container[str],
    budget: HopLimits,
    keys: LinkKeys,
    record: Recorder | None,
) -> tuple[list[Sample], list[tuple[Document, Link]]]:
    """Return each new document once, in the list of the lowest source that reaches it; and which links led back."""
    reached: dict[str, Sample] = {}
    again: list[tuple[Document, Link]] = []
    over: dict[str, int] = {}
    followed: set[tuple[str, Any, int | None]] = set()
    ranks: Counter[int] = Counter()
    for link in links:
        linked = targets.of(link)
        # What is over the quota of one source may come in by another that leads the same way.
        way = keys.sought(link), link.value, link.source if budget.quotas else None
        if way in followed and (len(linked) > 1 or record is None):
            continue  # the many targets of a hub are not gone through again for each of its many links
        followed.add(way)
        left = budget.quota_left(link.source)
        for document in linked:
            if document.id in found or document.id in reached:
                again.append((document, link))
            elif left is not None and ranks[link.source] >= left:
                over.setdefault(document.id, link.source)
            else:
                reached[document.id] = Sample(document, ranks[link.source], link.source, hop, link)
                ranks[link.source] += 1
    if record is not None:
        for id, source in over.items():
            if id not in reached:
                key = keys.links[source]
                record(
                    Dropped(
                        id, f"hop {hop}: the quota of {key}, {budget.quotas[source]:,} documents, is used up", "quota"
                    )
                )
    return list(reached.values()), again


def _scored(sample: Sample, decay: float | None, weights: Sequence[float]) -> Sample:
    origin = sample.link.origin.score if sample.link is not None else None
    if decay is None or origin is None:
        return sample
    return replace(sample, document=replace(sample.document, score=origin * decay * weights[sample.source]))


def _unmet(
    links: Sequence[Link], targets: LinkTargets, found: Sequence[Document], keys: LinkKeys, hop: int
) -> Iterator[LinkUnmet]:
    """Yield the links that lead neither to what a hop brought nor to what was there before."""
    before = LinkTargets(found, keys)
    for link in links:
        if not link.inward and not targets.of(link) and not before.of(link):
            yield LinkUnmet(link.origin.id, keys.links[link.source], link.value, hop)


def _followed(
    reached: Sequence[Sample], again: Sequence[tuple[Document, Link]], keys: Sequence[str], hop: int
) -> Iterator[Followed | LedBack]:
    for sample in reached:
        if link := sample.link:
            key = keys[link.source]
            yield Followed(sample.document.id, link.origin.id, key, link.value, hop, sample.rank, link.inward)
    for document, link in again:
        if document.id != link.origin.id:
            yield LedBack(document.id, link.origin.id, keys[link.source], link.value, hop, link.inward)
