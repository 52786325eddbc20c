"""Why a stage did not find or add a document: a function for each kind of algorithm."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from spaniel.dataclasses.hierarchy import CHILDREN, PARENT, ROOT
from spaniel.filters.equality import plain
from spaniel.filters.field import field_path, field_value
from spaniel.tracing.events import Followed, KeptApart, ParentMissing, short_id
from spaniel.tracing.why_not.diagnosis import Absence, Diagnosis, filtered_out

if TYPE_CHECKING:
    from spaniel.dataclasses import Document

_SHOWN = 8


def _not_merged(case: Absence) -> Diagnosis | None:
    """Say why hits did not give way to a parent; None for a document without children."""
    for event in case.stage.events:
        if isinstance(event, KeptApart) and event.parent == case.id:
            share = event.hits / event.children
            text = (
                f"its children were kept apart: {event.hits} of {event.children} were hit "
                f"({share:.2f} <= {event.threshold:g})"
            )
            figures = {"hits": event.hits, "children": event.children, "threshold": event.threshold}
            return Diagnosis("too_few_children", text, figures)
        if isinstance(event, ParentMissing) and event.parent == case.id:
            return Diagnosis("not_stored", "its children were hit, but it was not in the store")
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
        return Diagnosis("no_child_merged", f"{number} in it, but {none} among what they merged into", figures)
    return Diagnosis("no_child_hit", f"{none} among the hits", figures)


def ancestors_of(document: Document, known: Mapping[str, Document]) -> set[str]:
    """Return the ids of a document's ancestors, as far as they are known."""
    above = {document.meta[ROOT]} if document.meta.get(ROOT) else set()
    parent = document.meta.get(PARENT)
    while parent and parent not in above:
        above.add(parent)
        parent = known[parent].meta.get(PARENT) if parent in known else None
    return above


def _not_linked(case: Absence) -> Diagnosis | None:
    """Say why no link led to a document."""
    settings, document = case.stage.settings, case.document
    if document is None:
        return None
    key, depth = settings["filter_key"], settings["depth"]
    targets = set(_scalars(field_value(document, field_path(key))))
    if not targets:
        return Diagnosis("no_anchor", f"no link can lead to it: it has nothing under {key}", {"filter_key": key})
    hops = {event.about: event.depth for event in case.stage.events if isinstance(event, Followed)}
    origins = dict.fromkeys([each.id for given in case.stage.inputs for each in given], 0) | hops
    links = settings["relevant_doc_keys"]
    pointing = [
        origin
        for origin, hop in origins.items()
        if hop < depth and origin in case.trace.documents and _points(case.trace.documents[origin], links, targets)
    ]
    if pointing:
        failed = filtered_out(settings.get("filters"), document)
        return failed or Diagnosis(
            "changed", f"{short_id(pointing[0])} links to it now, but did not lead here then", {"linked_from": pointing}
        )
    others = dict.fromkeys(each.id for link in links for each in case.ask.holding(link, sorted(targets, key=repr)))
    shown = [other for other in others if other != case.id][:_SHOWN]
    from_where = f"; links to it stand in {', '.join(map(short_id, shown))}" if shown else ""
    hop = f"{depth} hop{'' if depth == 1 else 's'}"
    return Diagnosis(
        "not_linked",
        f"no link under {' or '.join(links)} leads to it within {hop}{from_where}",
        {"depth": depth, "linked_from": shown},
    )


def _not_near(case: Absence) -> Diagnosis | None:
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
        return Diagnosis("no_hit_near", "no hit is from its source")
    distance, hit = min(hits)
    text = f"it stands {distance:g} from {short_id(hit)}, the nearest hit of its source; the window is {size}"
    return Diagnosis("no_hit_near", text, {"distance": distance, "hit": hit, "window_size": size})


def _points(document: Document, keys: list[str], targets: set[Any]) -> bool:
    return any(not targets.isdisjoint(_scalars(field_value(document, field_path(key)))) for key in keys)


def _scalars(value: Any) -> list[Any]:
    value = plain(value)
    values = value if isinstance(value, (list, tuple)) else [value]
    return [item for item in values if item is not None and not isinstance(item, (list, tuple, dict))]


ABSENCES: Mapping[str, Callable[[Absence], Diagnosis | None]] = {
    "merge_up": _not_merged,
    "merged": _not_merged,
    "follow_links": _not_linked,
    "followed": _not_linked,
    "widen": _not_near,
    "widened": _not_near,
}
"""By the kind of a stage that can add documents to those given: why it did not add one; None where it never could."""
