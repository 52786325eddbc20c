"""The walk over the stages of a trace, to the first that lost a document."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from spaniel.dataclasses import Document
from spaniel.json_types import Json, JsonObject
from spaniel.tracing.events import (
    CONTENT_HASH,
    Dropped,
    Event,
    Folded,
    Followed,
    GaveWay,
    Matched,
    Merged,
    Neighbour,
    short_id,
)
from spaniel.tracing.rendering import make_label
from spaniel.tracing.stage import Stage, TraceData, to_json
from spaniel.tracing.why_not.diagnosis import Absence, Diagnosis
from spaniel.tracing.why_not.searches import SEARCHES
from spaniel.tracing.why_not.store_probe import StoreProbe, as_queryable, find_changes, find_similar_ids
from spaniel.tracing.why_not.structure import ADDITIONS, list_ancestors

_MAX_SHOWN = 3
_REFERENCE_KEYS = ("anchor", "path")
"""The metadata keys of references, in order: the anchor of a file's own document is the path."""


@dataclass(frozen=True)
class Reason:
    """The reason why a document is not among the results of a stage.

    :param stage: the number of the stage, from 1; 0: after all stages.
    :param name: the name of the stage.
    :param cause: the name of the reason, such as ``top_k``; docs/explain.md lists them.
    :param text: the reason as a sentence.
    :param figures: its figures by name.
    """

    stage: int
    name: str
    cause: str
    text: str
    figures: Mapping[str, Json] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.stage}. {self.name}: {self.text}" if self.stage else self.text


@dataclass(frozen=True)
class WhyNot:
    """The reason for a document's absence from a result.

    :param id: the id of the document.
    :param rank: the rank in the result, from 1, if it is not absent.
    :param reasons: the first stage that lost it, then the reasons of later stages.
    :param inside: the id of the result that contains its text, if any.
    :param parts: the ids of results that are parts of it.
    :param changed: detected changes of the store since.
    :param nearest: similar ids, if the store has no such document.
    :param documents: the ids of all documents that a path or an anchor refers to; empty for an id.
    """

    id: str
    rank: int | None
    reasons: tuple[Reason, ...]
    inside: str | None = None
    parts: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()
    title: str = ""
    documents: tuple[str, ...] = ()

    @property
    def first(self) -> Reason | None:
        """The first stage that lost it; None if it is in the result."""
        return self.reasons[0] if self.reasons else None

    def to_dict(self) -> JsonObject:
        """Return the answer as JSON data."""
        return {name: value for name, value in to_json(self).items() if name != "title"}

    def __str__(self) -> str:
        name = f"{short_id(self.id)}{'  ' if self.title else ''}{self.title}"
        if self.rank is not None:
            lines = [f"{name}  is at place {self.rank} of the result"]
        elif self.inside is not None:
            lines = [f"{name}  is in the result inside {short_id(self.inside)}"]
        else:
            lines = [f"{name}  is not in the result"]
        if len(self.documents) > 1:
            ids = ", ".join(map(short_id, self.documents[:_MAX_SHOWN]))
            more = ", ..." if len(self.documents) > _MAX_SHOWN else ""
            lines.append(f"It is the closest to the result of {len(self.documents)} documents: {ids}{more}")
        lines += [str(reason) for reason in self.reasons]
        if self.parts:
            lines.append(f"In the result are parts of it: {', '.join(map(short_id, self.parts))}")
        if self.nearest:
            lines.append(f"Ids like it: {', '.join(map(short_id, self.nearest))}")
        return "\n".join([*lines, *(f"The store has changed since: {change}" for change in self.changed)])


def explain_absence(trace: TraceData, reference: str, store: object = None) -> WhyNot:
    """Return the reason for a document's absence; `store` replaces the store of each stage."""
    ids = _resolve_reference(trace, reference, store)
    answer = _explain(trace, _find_closest(trace, ids, store), store)
    return answer if ids == [reference] else replace(answer, documents=tuple(ids))


def _resolve_reference(trace: TraceData, reference: str, store: object) -> list[str]:
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
        for key in _REFERENCE_KEYS:
            if found := probe.filter({"field": f"meta.{key}", "operator": "==", "value": reference}):
                return [document.id for document in found]
    for key in () if queried else _REFERENCE_KEYS:
        if ids := [id for id, document in trace.documents.items() if document.meta.get(key) == reference]:
            return ids
    return [reference]


def _find_closest(trace: TraceData, ids: Sequence[str], store: object) -> str:
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


def _explain(trace: TraceData, id: str, store: object) -> WhyNot:
    rank = trace.rank(id)
    if rank is not None:
        return WhyNot(id, rank, (), title=make_label(trace.documents[id]) if id in trace.documents else "")
    return _Walk(trace, id, store).explain()


class _Walk:
    """Visits the stages in order, and follows a document by its own id or that of its container."""

    def __init__(self, trace: TraceData, id: str, store: object) -> None:
        self._trace = trace
        self._id = self._current_id = id
        self._given_store = store
        self._reasons: list[Reason] = []
        self._inside: str | None = None
        self._last_seen: Stage | None = None
        self._stored: dict[int, Document | None] = {}
        self._changed: list[str] = []

    def explain(self) -> WhyNot:
        returned = {document.id for document in self._trace.results}
        for number, stage in enumerate(self._trace.stages, 1):
            self._visit(number, stage, returned)
        self._diagnose_last_search()
        if not self._reasons:
            last = self._last_seen
            place = f"came out of {last.name}, but is" if last is not None else "is"
            self._reasons.append(Reason(0, "", "not_returned", f"It {place} not in the returned documents."))
        parts = [each.id for each in self._trace.results if self._id in list_ancestors(each, self._trace.documents)]
        if not parts:
            self._reasons += self._explain_best_part()
        is_replaced = self._current_id != self._id and self._current_id in returned
        stored = next((document for document in self._stored.values() if document is not None), None)
        document = self._trace.documents.get(self._id) or stored
        searches = [stage for stage in self._trace.stages if stage.kind in SEARCHES]
        stores = (self._given_store, *(stage.store for stage in self._trace.stages))
        queryable = next((store for store in map(as_queryable, stores) if store is not None), None)
        changed = tuple(dict.fromkeys([*self._changed, *find_changes(searches, queryable)]))
        is_unknown = self._reasons[0].cause == "not_stored"
        similar = find_similar_ids(self._trace, queryable, self._id) if is_unknown else ()
        inside = self._current_id if is_replaced else self._inside
        title = "" if document is None else make_label(document)
        return WhyNot(self._id, None, tuple(self._reasons), inside, tuple(parts), changed, similar, title)

    def _diagnose_last_search(self) -> None:
        """Explain the absence from the last of several independent searches: it made the result."""
        last = self._trace.stages[-1] if self._trace.stages else None
        if last is not None and not self._reasons and not last.inputs and last.kind in SEARCHES:
            self._diagnose(len(self._trace.stages), last, SEARCHES[last.kind])

    def _explain_best_part(self) -> list[Reason]:
        part = self._reasons[0].figures.get("part")
        if self._reasons[0].figures.get("top_k") or part is None:  # the search did not find it
            return []
        later = _explain(self._trace, part, self._given_store).reasons
        return [replace(reason, text=f"its part {short_id(part)}: {reason.text}") for reason in later]

    def _visit(self, number: int, stage: Stage, returned: set[str]) -> None:
        given = {document.id for documents in stage.inputs for document in documents}
        found = {document.id for document in stage.results}
        own = (event for event in stage.events if event.about == self._id)
        is_found = any(isinstance(event, (Matched, Followed, Merged)) for event in own)
        if is_found or self._id in given or self._id in found:  # reasons of other branches and earlier stages are void
            self._current_id = self._id
            if not self._is_neighbour(stage, returned):
                self._reasons.clear()
        events = [event for event in stage.events if event.about == self._current_id]
        if self._current_id in found:
            self._last_seen = stage
        elif self._current_id in given or events:
            self._explain_loss(number, stage, events)
        elif self._last_seen is None and stage.kind in SEARCHES and not stage.inputs:
            self._diagnose(number, stage, SEARCHES[stage.kind])
        elif self._last_seen is None and stage.kind in ADDITIONS:
            self._diagnose(number, stage, ADDITIONS[stage.kind])
        elif self._last_seen is None and not stage.inputs:
            text = f"not among the {len(stage.results)} documents that it found"
            self._add(number, stage, Diagnosis("not_found", text))
        elif self._last_seen is not None and stage.inputs and not self._reasons:
            self._add(number, stage, _diagnose_gap(self._last_seen, self._current_id))

    def _is_neighbour(self, stage: Stage, returned: set[str]) -> bool:
        hits = [event.hit for event in stage.events if isinstance(event, Neighbour) and event.about == self._id]
        self._inside = next((hit for hit in hits if hit in returned), self._inside)
        return bool(hits) and self._inside is not None

    def _explain_loss(self, number: int, stage: Stage, events: Sequence[Event]) -> None:
        self._last_seen = None
        for event in reversed(events):
            if isinstance(event, GaveWay):
                self._add(number, stage, Diagnosis("gave_way", str(event), {"to": event.to}))
                self._follow_replacements(stage, event.to)
                return
            if isinstance(event, Folded):
                self._add(number, stage, Diagnosis("folded", str(event), {"to": event.to}))
                return
            if isinstance(event, Dropped):
                self._add(number, stage, Diagnosis(event.cause or "dropped", str(event)))
                return
        self._add(number, stage, _diagnose_unexplained(stage, self._current_id))

    def _follow_replacements(self, stage: Stage, id: str) -> None:
        """Continue with the replacement of a document, or the replacement of that, and so on."""
        found = {document.id for document in stage.results}
        replacements = {event.about: event.to for event in stage.events if isinstance(event, GaveWay)}
        while id not in found and replacements.get(id, id) != id:
            id = replacements[id]
        self._current_id = id
        self._last_seen = stage if id in found else None

    def _diagnose(self, number: int, stage: Stage, diagnose: Callable[[Absence], Diagnosis | None]) -> None:
        store = as_queryable(stage.store if self._given_store is None else self._given_store)
        document = self._find_document(stage, store)
        probe = StoreProbe(store, stage)
        diagnosis = diagnose(Absence(self._trace, stage, self._id, document, probe, self._changed))
        if diagnosis is not None:
            self._add(number, stage, diagnosis)

    def _find_document(self, stage: Stage, store: object) -> Document | None:
        if store is None:
            return self._trace.documents.get(self._id)
        if id(store) not in self._stored:
            self._stored[id(store)] = next(iter(StoreProbe(store, stage).fetch([self._id])), None)
        return self._stored[id(store)]

    def _add(self, number: int, stage: Stage, diagnosis: Diagnosis) -> None:
        self._reasons.append(Reason(number, stage.name, diagnosis.cause, diagnosis.text, diagnosis.figures))


def _diagnose_gap(last: Stage, id: str) -> Diagnosis:
    rank = next(rank for rank, document in enumerate(last.results, 1) if document.id == id)
    text = f"it came out of {last.name} at rank {rank}, but was not given on to this stage"
    return Diagnosis("not_given", text, {"rank": rank, "documents": len(last.results)})


def _diagnose_unexplained(stage: Stage, id: str) -> Diagnosis:
    ranks = [rank for given in stage.inputs for rank, document in enumerate(given, 1) if document.id == id]
    place = f"went in at rank {ranks[0]}" if ranks else "was found"
    top_k, kept = stage.settings.get("top_k"), len(stage.results)
    is_cut = isinstance(top_k, int) and kept == top_k
    limit = f" (top_k {top_k})" if is_cut else ""
    figures = {"rank": ranks[0] if ranks else None, "documents": kept}
    cause = "top_k" if is_cut else "dropped"
    return Diagnosis(cause, f"{place}, and is not among the {kept} that came out{limit}", figures)
