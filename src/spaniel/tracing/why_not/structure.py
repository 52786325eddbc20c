"""The reason why a stage did not add a document to the hits, by kind of algorithm."""

from collections.abc import Callable, Mapping

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import CHILDREN, PARENT, ROOT
from spaniel.filters.equality import plain
from spaniel.filters.field import field_path, field_value
from spaniel.json_types import Json
from spaniel.tracing.events import Followed, KeptApart, ParentMissing, short_id
from spaniel.tracing.stage import to_json
from spaniel.tracing.why_not.diagnosis import Absence, Diagnosis, diagnose_filter

_MAX_SHOWN = 8


def _diagnose_merge(absence: Absence) -> Diagnosis | None:
    for event in absence.stage.events:
        if isinstance(event, KeptApart) and event.parent == absence.id:
            figures = {"hits": event.hits, "children": event.children, "threshold": event.threshold}
            share = f"{event.hits / event.children:.2f} <= {event.threshold:g}"
            text = f"its children were kept apart: {event.hits} of {event.children} were hit ({share})"
            return Diagnosis("too_few_children", text, figures)
        if isinstance(event, ParentMissing) and event.parent == absence.id:
            return Diagnosis("not_stored", "its children were hit, but it was not in the store")
    children = plain(absence.document.meta.get(CHILDREN)) if absence.document is not None else None
    if not children:
        return None
    known = absence.trace.documents
    hits = sum(absence.id in list_ancestors(hit, known) for given in absence.stage.inputs for hit in given)
    figures = {"children": len(children), "hits": hits}
    none = "its only child is not" if len(children) == 1 else f"none of its {len(children)} children is"
    if not hits:
        return Diagnosis("no_child_hit", f"{none} among the hits", figures)
    inside = "one of the hits is a part of it" if hits == 1 else f"{hits} of the hits are parts of it"
    return Diagnosis("no_child_merged", f"{inside}, but {none} among the merged documents", figures)


def list_ancestors(document: Document, known: Mapping[str, Document]) -> set[str]:
    """Return the ids of a document's known ancestors."""
    ancestors = {document.meta[ROOT]} if document.meta.get(ROOT) else set()
    parent = document.meta.get(PARENT)
    while parent and parent not in ancestors:
        ancestors.add(parent)
        parent = known[parent].meta.get(PARENT) if parent in known else None
    return ancestors


def _diagnose_links(absence: Absence) -> Diagnosis | None:
    settings, document, known = absence.stage.settings, absence.document, absence.trace.documents
    if document is None:
        return None
    key, depth, link_keys = settings["filter_key"], settings["depth"], settings["relevant_doc_keys"]
    targets = set(_list_scalars(document, key))
    if not targets:
        return Diagnosis("no_anchor", f"no link can lead to it: it has nothing under {key}", {"filter_key": key})
    hops = dict.fromkeys((hit.id for given in absence.stage.inputs for hit in given), 0)
    hops |= {event.about: event.depth for event in absence.stage.events if isinstance(event, Followed)}
    linking = [
        id
        for id, hop in hops.items()
        if hop < depth
        and id in known
        and any(not targets.isdisjoint(_list_scalars(known[id], link_key)) for link_key in link_keys)
    ]
    if linking:
        text = f"{short_id(linking[0])} links to it now, but did not lead here then"
        failed = diagnose_filter(settings.get("filters"), document)
        return failed or Diagnosis("changed", text, {"linked_from": linking})
    values = sorted(targets, key=repr)
    others = dict.fromkeys(each.id for link_key in link_keys for each in absence.probe.fetch_by_key(link_key, values))
    shown = [other for other in others if other != absence.id][:_MAX_SHOWN]
    origins = f"; links to it are in {', '.join(map(short_id, shown))}" if shown else ""
    within = f"{depth} hop{'' if depth == 1 else 's'}"
    text = f"no link under {' or '.join(link_keys)} leads to it within {within}{origins}"
    return Diagnosis("not_linked", text, {"depth": depth, "linked_from": shown})


def _diagnose_windows(absence: Absence) -> Diagnosis | None:
    place, size = to_json(absence.stage.settings.get("place")) or {}, absence.stage.settings.get("window_size")
    number_field, source_fields = place.get("number_field", "split_id"), place.get("source_fields", ["source_id"])
    document = absence.document
    if document is None or not isinstance(document.meta.get(number_field), (int, float)):
        return None
    number = document.meta[number_field]
    distances = [
        (abs(number - hit.meta[number_field]), hit.id)
        for given in absence.stage.inputs
        for hit in given
        if all(hit.meta.get(name) == document.meta.get(name) for name in source_fields)
        and isinstance(hit.meta.get(number_field), (int, float))
    ]
    if not distances:
        return Diagnosis("no_hit_near", "no hit is from its source")
    distance, hit_id = min(distances)
    text = f"its distance from {short_id(hit_id)}, the nearest hit of its source, is {distance:g}; the window is {size}"
    return Diagnosis("no_hit_near", text, {"distance": distance, "hit": hit_id, "window_size": size})


def _list_scalars(document: Document, key: str) -> list[Json]:
    value = plain(field_value(document, field_path(key)))
    values = value if isinstance(value, (list, tuple)) else [value]
    return [item for item in values if item is not None and not isinstance(item, (list, tuple, dict))]


ADDITIONS: Mapping[str, Callable[[Absence], Diagnosis | None]] = {
    "merge_up": _diagnose_merge,
    "follow_links": _diagnose_links,
    "widen": _diagnose_windows,
}
"""The function per kind of stage that adds documents; None: it could never add the document."""
