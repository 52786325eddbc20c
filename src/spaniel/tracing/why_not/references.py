"""The documents that a reference means: an id, the path of a file, or the anchor of a section."""

from collections.abc import Sequence

from spaniel.tracing.events import CONTENT_HASH
from spaniel.tracing.stage import TraceData
from spaniel.tracing.why_not.store_probe import StoreProbe, as_queryable

_KEYS = ("anchor", "path")
"""The metadata keys of references, in order: the anchor of a file's own document is the path."""


def resolve_reference(trace: TraceData, reference: str, store: object) -> list[str]:
    """Return the ids of the documents that a reference means; the reference itself if none."""
    if reference in trace.documents or CONTENT_HASH.fullmatch(reference):
        return [reference]
    queried: list[object] = []
    for stage in trace.stages:
        queryable = as_queryable(stage.store if store is None else store)
        if queryable is None or queryable in queried:
            continue
        queried.append(queryable)
        probe = StoreProbe(queryable, stage)
        if found := probe.fetch([reference]):
            return [found[0].id]
        for key in _KEYS:
            if found := probe.filter({"field": f"meta.{key}", "operator": "==", "value": reference}):
                return [document.id for document in found]
    for key in () if queried else _KEYS:
        if ids := [id for id, document in trace.documents.items() if document.meta.get(key) == reference]:
            return ids
    return [reference]


def find_closest(trace: TraceData, ids: Sequence[str], store: object) -> str:
    """Return the document closest to the result: in it, in a late stage, or best in a search."""
    returned = [document.id for document in trace.results if document.id in ids]
    for stage in reversed(trace.stages):
        returned += [document.id for document in stage.results if document.id in ids]
    if returned or len(ids) == 1:
        return (returned or list(ids))[0]
    for stage in trace.stages:
        probe = StoreProbe(as_queryable(stage.store if store is None else store), stage)
        if stage.kind == "search" and probe.can_search:
            found = probe.search(filters={"field": "id", "operator": "in", "value": list(ids)}, top_k=1)
            return found[0].id if found else ids[0]
    return ids[0]
