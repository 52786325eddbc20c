"""Why a stage did not find or add a document: a function for each kind of algorithm. Those about a search ask the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from spaniel.dataclasses.hierarchy import CHILDREN, END, PARENT, ROOT, START
from spaniel.filters import Comparison, Filter, matches, parse_filter
from spaniel.filters.equality import plain
from spaniel.filters.field import field_path, field_value
from spaniel.tracing.events import KeptApart, Matched, ParentMissing, short_id

if TYPE_CHECKING:
    from spaniel.dataclasses import Document
    from spaniel.tracing.asking import Asking
    from spaniel.tracing.trace import Stage, Trace

_SHOWN = 8
_LONGEST_VALUE = 60
_GROWTH, _DEEPEST = 8, 10_000  # a deeper rank is told as "beyond"


@dataclass(frozen=True)
class Finding:
    """A reason, not yet tied to a stage."""

    cause: str
    text: str
    figures: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """A document that a stage did not find.

    :param document: as it is stored; if no store can be asked, as it was seen.
    :param ask: asks the store.
    :param changed: takes what is found to have changed in the store.
    """

    trace: Trace
    stage: Stage
    id: str
    document: Document | None
    ask: Asking
    changed: list[str]


def _not_found(case: Case) -> Finding:
    """Say why a search did not find a document."""
    count = len(case.stage.results)
    if case.document is None:
        if case.ask.store is None:
            return Finding("not_found", f"not among the {count} documents that it found; no store is there to be asked")
        return _NOT_STORED
    if failed := _failed(case.stage.settings.get("filters"), case.document):
        return failed
    if case.ask.only_keeps(case.document):
        return _only_kept(case, case.document)
    if not case.ask.can_search:
        return Finding("not_found", f"not among the {count} documents that it found; no store is there to be asked")
    if "query" in case.stage.settings:
        unlike = _no_common_term(case, str(case.stage.settings["query"]), case.document)
    else:
        unlike = Finding("no_embedding", "it has no embedding") if case.document.embedding is None else None
    return unlike or _rank(case)


def _only_kept(case: Case, document: Document) -> Finding:
    """Say that a document with children is not searched, and what became of the best of its parts."""
    text = "the store keeps it, but searches only what has no children"
    figures: dict[str, Any] = {"children": len(document.meta[CHILDREN])}
    root, start, end = (document.meta.get(key) for key in (ROOT, START, END))
    if root is None or not case.ask.can_search:
        return Finding("not_searched", text, figures)
    place = [(ROOT, "==", root), (START, ">=", start), (END, "<=", end)]
    inside = [{"field": f"meta.{key}", "operator": operator, "value": value} for key, operator, value in place]
    found = case.ask.search(filters=_both(case.stage.settings.get("filters"), *inside), top_k=1)
    if not found:
        unlike = _no_common_term(case, str(case.stage.settings.get("query", "")), document)
        why = unlike.text if unlike else "none of its parts is found"
        return Finding("not_searched", f"{text}; {why}", {**figures, **(unlike.figures if unlike else {})})
    part = found[0]
    rank = next(
        (event.rank for event in case.stage.events if isinstance(event, Matched) and event.about == part.id), None
    )
    best = f"the best of its parts, {short_id(part.id)}, "
    if rank is not None:
        return Finding(
            "not_searched", f"{text}; {best}was found at rank {rank}", {**figures, "part": part.id, "rank": rank}
        )
    deeper = _rank(replace(case, id=part.id, document=part))
    return Finding("not_searched", f"{text}; {best}has {deeper.text}", {**figures, "part": part.id, **deeper.figures})


def _both(filters: Any, *conditions: dict[str, Any]) -> dict[str, Any]:
    return {"operator": "AND", "conditions": [*([filters] if filters else []), *conditions]}


_NOT_STORED = Finding("not_stored", "no document with this id is in the store")


def _no_common_term(case: Case, query: str, document: Document) -> Finding | None:
    wanted, terms = case.ask.terms(query), case.ask.terms(document.content or "")
    if wanted is None or terms is None or set(wanted) & set(terms):
        return None
    from difflib import get_close_matches

    close = [term for word in wanted for term in get_close_matches(word, terms[:5000], n=2, cutoff=0.6)]
    instead = list(dict.fromkeys([*close, *terms]))
    more = ", ..." if len(instead) > _SHOWN else ""
    has = f"it has {', '.join(instead[:_SHOWN])}{more}" if instead else "it has no words"
    figures = {"query_terms": wanted, "document_terms": instead[:_SHOWN], "close_terms": list(dict.fromkeys(close))}
    return Finding("no_common_term", f"no word in common: the query has {', '.join(wanted)}; {has}", figures)


def _rank(case: Case) -> Finding:
    """Say how far down the search a document stands; also notice whether the search gives what it gave."""
    settings = case.stage.settings
    top_k = int(settings.get("top_k") or 0)
    own = {"field": "id", "operator": "==", "value": case.id}
    alone = case.ask.search(filters=_both(settings.get("filters"), own), top_k=1)
    before = [(event.about, event.score) for event in case.stage.events if isinstance(event, Matched)]
    found = case.ask.search(top_k=top_k) if top_k else []
    if [(document.id, document.score) for document in found] != before:
        case.changed.append(f"{case.stage.name} finds other documents now, or with other scores")
    if not alone:
        return Finding("no_match", "the search does not find it, at any rank")
    score, last = alone[0].score, before[-1][1] if before else None
    depth = top_k
    while all(document.id != case.id for document in found) and depth < _DEEPEST:
        depth = min(max(depth * _GROWTH, 10), _DEEPEST)
        found = case.ask.search(top_k=depth)
        if len(found) < depth:
            break
    rank = next((rank for rank, document in enumerate(found, 1) if document.id == case.id), None)
    figures = {"rank": rank, "top_k": top_k, "score": score, "last_score": last}
    if rank is not None and rank <= top_k:
        case.changed.append(f"{case.stage.name} finds it now, at rank {rank}")
        return Finding("changed", f"it was not found then, but is now at rank {rank} of top_k {top_k}", figures)
    place = f"rank {rank}" if rank is not None else f"beyond rank {len(found):,}"
    scores = "" if score is None else f": its score is {score:.4g}"
    if scores and last is not None:
        tie = ", which comes first in the store" if last == score else ""
        scores += f", and the one at rank {len(before)} has {last:.4g}{tie}"
    return Finding("top_k", f"{place} of top_k {top_k}{scores}", figures)


def _not_matching(case: Case) -> Finding:
    """Say why a plain filter did not find a document."""
    if case.document is None:
        return _NOT_STORED if case.ask.store is not None else Finding("not_found", "not among what it found")
    failed = _failed(case.stage.settings.get("filters"), case.document)
    return failed or Finding("changed", "it was not found then, but the filter lets it through now")


def _not_merged(case: Case) -> Finding | None:
    """Say why hits did not give way to a parent; None for a document without children."""
    for event in case.stage.events:
        if isinstance(event, KeptApart) and event.parent == case.id:
            share = event.hits / event.children
            text = (
                f"its children were kept apart: {event.hits} of {event.children} were hit "
                f"({share:.2f} <= {event.threshold:g})"
            )
            figures = {"hits": event.hits, "children": event.children, "threshold": event.threshold}
            return Finding("too_few_children", text, figures)
        if isinstance(event, ParentMissing) and event.parent == case.id:
            return Finding("not_stored", "its children were hit, but it was not in the store")
    children = plain(case.document.meta.get(CHILDREN)) if case.document is not None else None
    if not children:
        return None
    below = [
        each.id for given in case.stage.inputs for each in given if case.id in ancestors_of(each, case.trace.documents)
    ]
    figures = {"children": len(children), "hits": len(below)}
    none = "its only child is not" if len(children) == 1 else f"none of its {len(children)} children is"
    if below:
        number = "one of the hits stands" if len(below) == 1 else f"{len(below)} of the hits stand"
        return Finding("no_child_merged", f"{number} in it, but {none} among what they merged into", figures)
    return Finding("no_child_hit", f"{none} among the hits", figures)


def ancestors_of(document: Document, known: Mapping[str, Document]) -> set[str]:
    """Return the ids of a document's ancestors, as far as they are known."""
    above = {document.meta[ROOT]} if document.meta.get(ROOT) else set()
    parent = document.meta.get(PARENT)
    while parent and parent not in above:
        above.add(parent)
        parent = known[parent].meta.get(PARENT) if parent in known else None
    return above


def _not_linked(case: Case) -> Finding | None:
    """Say why no link led to a document."""
    from spaniel.tracing.events import Followed

    settings, document = case.stage.settings, case.document
    if document is None:
        return None
    key, depth = settings["filter_key"], settings["depth"]
    targets = set(_scalars(field_value(document, field_path(key))))
    if not targets:
        return Finding("no_anchor", f"no link can lead to it: it has nothing under {key}", {"filter_key": key})
    hops = {event.about: event.depth for event in case.stage.events if isinstance(event, Followed)}
    origins = dict.fromkeys([each.id for given in case.stage.inputs for each in given], 0) | hops
    links = settings["relevant_doc_keys"]
    pointing = [
        origin
        for origin, hop in origins.items()
        if hop < depth and origin in case.trace.documents and _points(case.trace.documents[origin], links, targets)
    ]
    if pointing:
        failed = _failed(settings.get("filters"), document)
        return failed or Finding(
            "changed", f"{short_id(pointing[0])} links to it now, but did not lead here then", {"linked_from": pointing}
        )
    others = dict.fromkeys(each.id for link in links for each in case.ask.holding(link, sorted(targets, key=repr)))
    shown = [other for other in others if other != case.id][:_SHOWN]
    from_where = f"; links to it stand in {', '.join(map(short_id, shown))}" if shown else ""
    hop = f"{depth} hop{'' if depth == 1 else 's'}"
    return Finding(
        "not_linked",
        f"no link under {' or '.join(links)} leads to it within {hop}{from_where}",
        {"depth": depth, "linked_from": shown},
    )


def _not_near(case: Case) -> Finding | None:
    """Say how far a document stands from the hits whose windows were laid."""
    place, size = plain(case.stage.settings.get("place")), case.stage.settings.get("window_size")
    number_field = getattr(place, "number_field", "split_id")
    source_fields = getattr(place, "source_fields", ("source_id",))
    if isinstance(place, Mapping):  # a trace that was loaded
        number_field, source_fields = place["number_field"], place["source_fields"]
    document = case.document
    if document is None or not isinstance(document.meta.get(number_field), (int, float)):
        return None
    own = document.meta[number_field]
    hits = [
        (abs(own - hit.meta[number_field]), hit.id)
        for given in case.stage.inputs
        for hit in given
        if all(hit.meta.get(name) == document.meta.get(name) for name in source_fields)
        and isinstance(hit.meta.get(number_field), (int, float))
    ]
    if not hits:
        return Finding("no_hit_near", "no hit is from its source")
    distance, hit = min(hits)
    text = f"it stands {distance:g} from {short_id(hit)}, the nearest hit of its source; the window is {size}"
    return Finding("no_hit_near", text, {"distance": distance, "hit": hit, "window_size": size})


def _points(document: Document, keys: list[str], targets: set[Any]) -> bool:
    return any(not targets.isdisjoint(_scalars(field_value(document, field_path(key)))) for key in keys)


def _scalars(value: Any) -> list[Any]:
    value = plain(value)
    values = value if isinstance(value, (list, tuple)) else [value]
    return [item for item in values if item is not None and not isinstance(item, (list, tuple, dict))]


# --- filters ---------------------------------------------------------------------------------------------------------


def _failed(filters: Any, document: Document) -> Finding | None:
    """Return by which conditions of a filter a document is kept out; None if it passes."""
    if not filters:
        return None
    parsed = parse_filter(filters)
    if matches(parsed, document):
        return None
    failing = list(_failing(parsed, document))
    told = "; ".join(_condition(each, document) for each in failing)
    fields = {each.field: plain(field_value(document, each.path)) for each in failing if isinstance(each, Comparison)}
    return Finding("filtered", f"filtered out by {told}", {"values": fields})


def _failing(filter: Filter, document: Document) -> Iterator[Filter]:
    """Yield the smallest parts of a filter by which it fails."""
    if isinstance(filter, Comparison) or filter.operator != "AND":
        yield filter
        return
    for condition in filter.conditions:
        if not matches(condition, document):
            yield from _failing(condition, document)


def _condition(filter: Filter, document: Document) -> str:
    if isinstance(filter, Comparison):
        return f"{_said(filter)}, as its value is {_shown(plain(field_value(document, filter.path)))}"
    return f"{filter.operator} of {' and '.join(_said(each) for each in filter.conditions)}"


def _said(filter: Filter) -> str:
    if isinstance(filter, Comparison):
        return f"{filter.field} {filter.operator} {_shown(filter.value)}"
    return f"{filter.operator} ({', '.join(_said(each) for each in filter.conditions)})"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}..."


SOURCES: Mapping[str, Callable[[Case], Finding | None]] = {"search": _not_found, "all_matching": _not_matching}
"""By the kind of a stage that finds documents: why it did not find one."""

ABSENCES: Mapping[str, Callable[[Case], Finding | None]] = {
    "merge_up": _not_merged,
    "merged": _not_merged,
    "follow_links": _not_linked,
    "followed": _not_linked,
    "widen": _not_near,
    "widened": _not_near,
}
"""By the kind of a stage that can add documents to those given: why it did not add one; None where it never could."""
