"""Rank linked passages together with hits by one score.

The score of a passage is its own score for the query, 0 without one, plus a share of the best score
of a passage that links to it. A link to a section or a document leads to the part of it that
matches the query best.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import CHILDREN, END, ROOT, START
from spaniel.filters.equality import plain
from spaniel.json_types import Filters, JsonObject
from spaniel.strategies.links.follow_links import find_links
from spaniel.strategies.links.link import Link, LinkDirection, LinkKeys, LinkTargets
from spaniel.strategies.links.selection import HopLimits
from spaniel.strategies.scores import contains, score_sort_key
from spaniel.strategies.search import search
from spaniel.strategies.store_requests import FetchByKeys, StrategyRun
from spaniel.tracing import Recorder
from spaniel.tracing.events import Dropped, Followed, LedBack

MAX_PARTS = 200
"""Best matching passages of all linked documents of a hop that are looked at."""
_MAX_RANGES = 100  # stores limit the size of a filter


@dataclass(frozen=True)
class Scoring:
    """The search that gives linked documents their own score, in a request per hop.

    :param method: of the store; None: only hits have a score.
    :param explain: the method that explains its scores in a trace.
    :param arguments: of the method, such as the query.
    """

    method: Callable[..., object] | None
    explain: Callable[..., object] | None
    arguments: JsonObject


@dataclass(frozen=True)
class Reached:
    """A linked document: the link with the highest gain, and its number in the order of links."""

    document: Document
    link: Link
    gain: float
    rank: int


def rank_links(
    ranked: Sequence[Document],
    seeds: Sequence[Document],
    first: Collection[str],
    scoring: Scoring,
    *,
    share: float,
    filter_key: str,
    relevant_doc_keys: Sequence[str],
    depth: int = 1,
    direction: LinkDirection = "out",
    filters: Filters | None = None,
    max_targets: int = 1000,
    min_score: float | None = None,
    record: Recorder | None = None,
) -> StrategyRun[list[Document]]:
    """Return hits and the passages that the best ones link to, best first.

    :param ranked: hits, best first.
    :param first: the ids of hits that count as hits only, even if they are linked.
    :param seeds: the hits whose links are followed.
    """
    keys = LinkKeys(filter_key, relevant_doc_keys, direction)
    limits = HopLimits(max_targets)
    own = {document.id: document for document in ranked}
    gains: dict[str, float] = {}
    found: dict[str, Document] = {}
    frontier: list[Document] = list(seeds)
    for hop in range(1, depth + 1):
        links = yield from find_links(frontier, keys, limits, hop, record)
        if not links:
            break
        targets = LinkTargets((yield FetchByKeys(keys.group_values(links), filters)), keys)
        reached = _reach(links, targets, share, max_targets)
        parts: list[Document] = []
        if scoring.method is not None and reached:
            within = _restrict(filters, [each.document for each in reached])
            asked = {**scoring.arguments, "filters": within, "top_k": MAX_PARTS}
            parts = yield from search(scoring.method, scoring.explain, record=record, **asked)
        known = _group_by_root([*own.values(), *(part for part in parts if part.id not in own)])
        frontier = []
        for each in reached:
            best = _find_best_part(each.document, known)
            passage = replace(best or each.document, score=(0.0 if best is None else best.score or 0.0) + each.gain)
            if gains.get(passage.id, -1.0) >= each.gain or contains(passage, each.link.origin):
                continue
            if best is None and any(contains(other, passage) or contains(passage, other) for other in found.values()):
                continue
            gains[passage.id] = each.gain
            if passage.id not in found:
                frontier.append(passage)
            found[passage.id] = passage
            if record is not None:
                record(_trace_link(passage, each, relevant_doc_keys, hop, again=passage.id in first))
        if record is not None:
            record(_trace_parts(parts, {*own, *found}))
    passages = [*(found.pop(hit.id, hit) for hit in ranked), *found.values()]
    kept = [each for each in passages if min_score is None or each.score is None or each.score >= min_score]
    return sorted(kept, key=lambda each: score_sort_key(each.score), reverse=True)


def _reach(links: Sequence[Link], targets: LinkTargets, share: float, max_targets: int) -> list[Reached]:
    """Return each linked document once, with the best link to it, the highest gain first."""
    best: dict[str, Reached] = {}
    for rank, link in enumerate(links):
        gain = share * max(link.origin.score or 0.0, 0.0)
        for document in targets.find(link):
            known = best.get(document.id)
            if document.id != link.origin.id and (known is None or gain > known.gain):
                best[document.id] = Reached(document, link, gain, rank)
    return sorted(best.values(), key=lambda each: -each.gain)[:max_targets]


def _restrict(filters: Filters | None, targets: Sequence[Document]) -> Filters:
    """Return the filter for the passages of documents: themselves, and all parts of them."""
    wholes = [each for each in targets if plain(each.meta.get(CHILDREN))]
    sections = [each for each in wholes if each.id != each.meta.get(ROOT)]
    by_root = wholes if len(sections) > _MAX_RANGES else [each for each in wholes if each.id == each.meta.get(ROOT)]
    roots = list(dict.fromkeys(each.meta[ROOT] for each in by_root if each.meta.get(ROOT)))
    parents = {each.id for each in wholes}
    conditions: list[JsonObject] = [
        {"field": "id", "operator": "in", "value": [each.id for each in targets if each.id not in parents]},
        {"field": f"meta.{ROOT}", "operator": "in", "value": roots},
    ]
    within: list[JsonObject] = [
        {
            "operator": "AND",
            "conditions": [
                {"field": f"meta.{ROOT}", "operator": "==", "value": each.meta[ROOT]},
                {"field": f"meta.{START}", "operator": ">=", "value": each.meta[START]},
                {"field": f"meta.{END}", "operator": "<=", "value": each.meta[END]},
            ],
        }
        for each in ([] if by_root is wholes else sections)
    ]
    anywhere: JsonObject = {"operator": "OR", "conditions": [each for each in conditions if each["value"]] + within}
    return {"operator": "AND", "conditions": [filters, anywhere]} if filters else anywhere


def _group_by_root(passages: Iterable[Document]) -> dict[str, list[Document]]:
    groups: dict[str, list[Document]] = {}
    for passage in passages:
        groups.setdefault(passage.meta.get(ROOT) or passage.id, []).append(passage)
    return groups


def _find_best_part(document: Document, by_root: dict[str, list[Document]]) -> Document | None:
    """Return the passage with the highest score that is a document, a part of it, or holds it."""
    passages = by_root.get(document.meta.get(ROOT) or document.id, ())
    inside = [
        each for each in passages if each.id == document.id or contains(document, each) or contains(each, document)
    ]
    return max(inside, key=lambda each: score_sort_key(each.score), default=None)


def _trace_link(
    passage: Document, reached: Reached, keys: Sequence[str], hop: int, *, again: bool
) -> Followed | LedBack:
    link = reached.link
    if again:
        return LedBack(passage.id, link.origin.id, keys[link.source], link.value, hop, link.inward)
    return Followed(passage.id, link.origin.id, keys[link.source], link.value, hop, reached.rank, link.inward)


def _trace_parts(parts: Sequence[Document], known: set[str]) -> Iterator[Dropped]:
    for part in parts:
        if part.id not in known:
            yield Dropped(part.id, "another part of the linked document matches better", "better_part")
