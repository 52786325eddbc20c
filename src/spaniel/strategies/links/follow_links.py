"""Follow links hop by hop, with a request per hop and limits, and sample the result."""

import time
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import PARENT
from spaniel.filters.field import field_path, field_value
from spaniel.json_types import Filters, Json
from spaniel.strategies.links.link import DIRECTIONS, Link, LinkDirection, LinkKeys, LinkTargets, list_link_values
from spaniel.strategies.links.selection import DEFAULT_SAMPLING, HopLimits, Sample, SamplingDimension, sample_documents
from spaniel.strategies.scores import deduplicate, drop_low_scores
from spaniel.strategies.store_requests import FetchByIds, FetchByKeys, StrategyRun
from spaniel.tracing import Recorder
from spaniel.tracing.events import Dropped, Followed, LedBack, LinkUnmet


def follow_links(
    documents: Sequence[Document],
    *,
    filter_key: str,
    relevant_doc_keys: Sequence[str],
    top_k: int,
    depth: int,
    sampling_strategy: Sequence[SamplingDimension] = DEFAULT_SAMPLING,
    force_keep_original_documents: bool = False,
    filters: Filters | None = None,
    direction: LinkDirection = "out",
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
    """Return documents and the documents that they link to, sampled to `top_k`.

    A document links to every document whose value under `filter_key`, a scalar or an element of a
    list, is among its own values under any of `relevant_doc_keys`. A hop is a request for the
    values of all keys. Inward, a document without a value under `filter_key` has its parent's,
    which costs a further request per hop. docs/links.md describes the parameters.
    """
    keys = LinkKeys(filter_key, relevant_doc_keys, direction)
    by_key = key_quotas or {}
    quotas = {source: by_key[key] for source, key in enumerate(relevant_doc_keys) if by_key.get(key) is not None}
    limits = HopLimits(max_targets, max_documents, max_requests, max_seconds, quotas, clock)
    weights = [(key_weights or {}).get(key, 1.0) for key in relevant_doc_keys]
    originals = drop_low_scores(deduplicate(documents, record), min_score, record)
    samples = [Sample(document, rank, 0, 0) for rank, document in enumerate(originals)]
    found = {document.id: document for document in originals}
    frontier = originals
    for hop in range(1, depth + 1 if top_k else 1):
        links = yield from find_links(frontier, keys, limits, hop, record)
        if not links or not limits.reserve_requests(1, hop, record):
            break
        targets = LinkTargets((yield FetchByKeys(keys.group_values(links), filters)), keys)
        if record is not None:
            record(_trace_unmet(links, targets, list(found.values()), hop))
        reached, again = _resolve(links, targets, hop, found, limits, record)
        reached = [_score(sample, score_decay, weights) for sample in limits.limit_hop(reached, hop, record)]
        if record is not None:
            record(_trace_followed(reached, again, relevant_doc_keys, hop))
        found |= {sample.document.id: sample.document for sample in reached}
        samples += reached
        frontier = [sample.document for sample in reached]
    return sample_documents(samples, sampling_strategy, top_k, force_keep_original_documents, record)


def find_links(
    frontier: Sequence[Document], keys: LinkKeys, limits: HopLimits, hop: int, record: Recorder | None
) -> StrategyRun[list[Link]]:
    """Return the links of documents; inward ones may need a request for parents."""
    targets: dict[str, list[Json]] = {}
    if True in DIRECTIONS[keys.direction]:
        path = field_path(keys.target)
        targets = {document.id: list_link_values(field_value(document, path)) for document in frontier}
        parents = {each.id: each.meta[PARENT] for each in frontier if not targets[each.id] and each.meta.get(PARENT)}
        if parents and not limits.reserve_requests(1, hop, record):
            return []
        if parents:
            fetched: list[Document] = yield FetchByIds(list(dict.fromkeys(parents.values())))
            values = {parent.id: list_link_values(field_value(parent, path)) for parent in fetched}
            targets |= {id: values.get(parent, []) for id, parent in parents.items()}
    return list(keys.iterate_links(frontier, targets))


def _resolve(
    links: Sequence[Link],
    targets: LinkTargets,
    hop: int,
    found: Container[str],
    limits: HopLimits,
    record: Recorder | None,
) -> tuple[list[Sample], list[tuple[Document, Link]]]:
    """Return each new document once, under its lowest source, and the links to known documents."""
    reached: dict[str, Sample] = {}
    again: list[tuple[Document, Link]] = []
    over_quota: dict[str, int] = {}
    resolved: set[tuple[str, Json, int | None]] = set()
    ranks: Counter[int] = Counter()
    for link in links:
        linked = targets.find(link)
        # A document over the quota of a source may be added by another source with the same target.
        way = targets.keys.target_key(link), link.value, link.source if limits.quotas else None
        if way in resolved and (len(linked) > 1 or record is None):
            continue  # the many targets of a hub are not visited again for each of its many links
        resolved.add(way)
        quota = limits.remaining_quota(link.source)
        for document in linked:
            if document.id in found or document.id in reached:
                again.append((document, link))
            elif quota is not None and ranks[link.source] >= quota:
                over_quota.setdefault(document.id, link.source)
            else:
                reached[document.id] = Sample(document, ranks[link.source], link.source, hop, link)
                ranks[link.source] += 1
    if record is not None:
        for id, source in over_quota.items():
            if id not in reached:
                used_up = f"the quota of {targets.keys.links[source]}, {limits.quotas[source]:,} documents, is used up"
                record(Dropped(id, f"hop {hop}: {used_up}", "quota"))
    return list(reached.values()), again


def _score(sample: Sample, decay: float | None, weights: Sequence[float]) -> Sample:
    origin = sample.link.origin.score if sample.link is not None else None
    if decay is None or origin is None:
        return sample
    return replace(sample, document=replace(sample.document, score=origin * decay * weights[sample.source]))


def _trace_unmet(
    links: Sequence[Link], targets: LinkTargets, found: Sequence[Document], hop: int
) -> Iterator[LinkUnmet]:
    before = LinkTargets(found, targets.keys)
    for link in links:
        if not link.inward and not targets.find(link) and not before.find(link):
            yield LinkUnmet(link.origin.id, targets.keys.links[link.source], link.value, hop)


def _trace_followed(
    reached: Sequence[Sample], again: Sequence[tuple[Document, Link]], keys: Sequence[str], hop: int
) -> Iterator[Followed | LedBack]:
    for sample in reached:
        if link := sample.link:
            key = keys[link.source]
            yield Followed(sample.document.id, link.origin.id, key, link.value, hop, sample.rank, link.inward)
    for document, link in again:
        if document.id != link.origin.id:
            yield LedBack(document.id, link.origin.id, keys[link.source], link.value, hop, link.inward)
