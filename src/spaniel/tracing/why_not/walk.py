"""Why a document is not in the result of a trace: the walk over its stages, to the first at which it fell out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from spaniel.tracing.events import Dropped, Followed, GaveWay, Matched, Merged, Neighbour, short_id
from spaniel.tracing.tree import label
from spaniel.tracing.why_not.diagnosis import Absence, Diagnosis
from spaniel.tracing.why_not.searches import SOURCES
from spaniel.tracing.why_not.store_probe import StoreProbe, askable, find_changes, nearest_ids
from spaniel.tracing.why_not.structure import ABSENCES, ancestors_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spaniel.dataclasses import Document
    from spaniel.tracing.stage import Stage
    from spaniel.tracing.trace import Trace


@dataclass(frozen=True)
class Reason:
    """Why a document did not come out of a stage.

    :param stage: the number of the stage, from 1; 0: after all stages.
    :param name: its name.
    :param cause: the reason in a word, such as ``top_k``; docs/explain.md lists them.
    :param text: the reason as a sentence.
    :param figures: its figures by name.
    """

    stage: int
    name: str
    cause: str
    text: str
    figures: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.stage}. {self.name}: {self.text}" if self.stage else self.text


@dataclass(frozen=True)
class WhyNot:
    """Why a document is not in a result.

    :param id: its id.
    :param rank: its place in the result, from 1, if it is there after all.
    :param reasons: the first stage at which it fell out, then what the later ones have to say.
    :param inside: the id of the result that holds its text, if one does.
    :param parts: the ids of results that are parts of it.
    :param changed: how the store differs from what it was, as far as it was asked.
    :param nearest: ids like it, if the store has no such document.
    """

    id: str
    rank: int | None
    reasons: tuple[Reason, ...]
    inside: str | None = None
    parts: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()
    title: str = ""

    @property
    def first(self) -> Reason | None:
        """The first stage at which it fell out; None if it is in the result."""
        return self.reasons[0] if self.reasons else None

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data."""
        return {
            "id": self.id,
            "rank": self.rank,
            "reasons": [vars(reason) | {"figures": dict(reason.figures)} for reason in self.reasons],
            "inside": self.inside,
            "parts": list(self.parts),
            "changed": list(self.changed),
            "nearest": list(self.nearest),
        }

    def __str__(self) -> str:
        name = f"{short_id(self.id)}{'  ' if self.title else ''}{self.title}"
        if self.rank is not None:
            lines = [f"{name}  is at place {self.rank} of the result"]
        elif self.inside is not None:
            lines = [f"{name}  is in the result inside {short_id(self.inside)}"]
        else:
            lines = [f"{name}  is not in the result"]
        lines += [str(reason) for reason in self.reasons]
        if self.parts:
            lines.append(f"In the result are parts of it: {', '.join(map(short_id, self.parts))}")
        if self.nearest:
            lines.append(f"Ids like it: {', '.join(map(short_id, self.nearest))}")
        return "\n".join([*lines, *(f"The store has changed since: {change}" for change in self.changed)])


def why_not(trace: Trace, id: str, store: object = None) -> WhyNot:
    """Return why a document is not in the result of a trace.

    :param store: what to ask in place of the store of each stage.
    """
    document = trace.documents.get(id)
    title = "" if document is None else label(document)
    rank = next((rank for rank, result in enumerate(trace.results, 1) if result.id == id), None)
    if rank is not None:
        return WhyNot(id, rank, (), title=title)
    return _Walk(trace, id, store).answer()


_FINDS = (Matched, Followed, Merged)
"""What brings a document in."""


class _Walk:
    """Goes over the stages in order, and knows under which id the document goes on: its own, or that of what holds it."""

    def __init__(self, trace: Trace, id: str, store: object) -> None:
        self._trace = trace
        self._id = self._as = id
        self._given_store = store
        self._reasons: list[Reason] = []
        self._inside: str | None = None
        self._present: Stage | None = None
        self._stored: dict[int, Document | None] = {}
        self._changed: list[str] = []

    def answer(self) -> WhyNot:
        returned = {document.id for document in self._trace.results}
        for number, stage in enumerate(self._trace.stages, 1):
            self._pass(number, stage, returned)
        self._ask_last_search()
        if not self._reasons:
            last = self._present
            where = f"came out of {last.name}, but is" if last is not None else "is"
            self._reasons.append(Reason(0, "", "not_returned", f"It {where} not in what was returned."))
        parts = [each.id for each in self._trace.results if self._id in ancestors_of(each, self._trace.documents)]
        if not parts:
            self._reasons += self._of_best_part()
        inside = self._as if self._as != self._id and self._as in returned else self._inside
        stored = next((document for document in self._stored.values() if document is not None), None)
        document = self._trace.documents.get(self._id) or stored
        stores = (self._given_store, *(stage.store for stage in self._trace.stages))
        searches = [stage for stage in self._trace.stages if stage.kind in SOURCES]
        asked = next((store for store in map(askable, stores) if store is not None), None)
        return WhyNot(
            self._id,
            None,
            tuple(self._reasons),
            inside,
            tuple(parts),
            tuple(dict.fromkeys([*self._changed, *find_changes(searches, asked)])),
            nearest_ids(self._trace, asked, self._id) if self._reasons[0].cause == "not_stored" else (),
            "" if document is None else label(document),
        )

    def _ask_last_search(self) -> None:
        """Where several searches ran one after the other, the last one is what the result is from."""
        last = self._trace.stages[-1] if self._trace.stages else None
        if last is not None and not self._reasons and not last.inputs and last.kind in SOURCES:
            self._not_there(len(self._trace.stages), last, SOURCES[last.kind])

    def _of_best_part(self) -> list[Reason]:
        """Return why the best part of a document that is only kept did not come through, if it was found."""
        part = self._reasons[0].figures.get("part")
        if self._reasons[0].figures.get("top_k") or part is None:  # it was not found
            return []
        later = why_not(self._trace, part, self._given_store).reasons
        return [replace(reason, text=f"its part {short_id(part)}: {reason.text}") for reason in later]

    def _pass(self, number: int, stage: Stage, returned: set[str]) -> None:
        given = {document.id for documents in stage.inputs for document in documents}
        found = {document.id for document in stage.results}
        came = any(event.about == self._id and isinstance(event, _FINDS) for event in stage.events)
        if came or self._id in given or self._id in found:  # what was said of other branches and earlier stages is void
            self._as = self._id
            if not self._in_window(stage, returned):
                self._reasons.clear()
        events = [event for event in stage.events if event.about == self._as]
        if self._as in found:
            self._present = stage
        elif self._as in given or events:
            self._lost(number, stage, events)
        elif self._present is None and stage.kind in SOURCES and not stage.inputs:
            self._not_there(number, stage, SOURCES[stage.kind])
        elif self._present is None and stage.kind in ABSENCES:
            self._not_there(number, stage, ABSENCES[stage.kind])
        elif self._present is None and not stage.inputs:
            self._add(
                number, stage, Diagnosis("not_found", f"not among the {len(stage.results)} documents that it found")
            )
        elif self._present is not None and stage.inputs and not self._reasons:
            self._add(number, stage, _between(self._present, self._as))

    def _in_window(self, stage: Stage, returned: set[str]) -> bool:
        """Return whether a document is there only as the neighbour of a hit that was returned."""
        hits = [event.hit for event in stage.events if isinstance(event, Neighbour) and event.about == self._id]
        self._inside = next((hit for hit in hits if hit in returned), self._inside)
        return bool(hits) and self._inside is not None

    def _lost(self, number: int, stage: Stage, events: list[Any]) -> None:
        self._present = None
        for event in reversed(events):
            if isinstance(event, GaveWay):
                self._add(number, stage, Diagnosis("gave_way", str(event), {"to": event.to}))
                self._as = event.to
                found = {document.id for document in stage.results}
                while self._as not in found:  # what it gave way to may have given way in its turn
                    way = [each for each in stage.events if isinstance(each, GaveWay) and each.about == self._as]
                    if not way or way[-1].to == self._as:
                        break
                    self._as = way[-1].to
                self._present = stage if self._as in found else None
                return
            if isinstance(event, Dropped):
                self._add(number, stage, Diagnosis(event.cause or "dropped", str(event)))
                return
        self._add(number, stage, _unexplained(stage, self._as))

    def _not_there(self, number: int, stage: Stage, investigate: Any) -> None:
        store = askable(stage.store if self._given_store is None else self._given_store)
        case = Absence(
            self._trace, stage, self._id, self._document(stage, store), StoreProbe(store, stage), self._changed
        )
        finding = investigate(case)
        if finding is not None:
            self._add(number, stage, finding)

    def _document(self, stage: Stage, store: object) -> Document | None:
        """Return the document as it is stored, or as it was seen if there is no store to ask."""
        if store is None:
            return self._trace.documents.get(self._id)
        if id(store) not in self._stored:
            self._stored[id(store)] = next(iter(StoreProbe(store, stage).documents([self._id])), None)
        return self._stored[id(store)]

    def _add(self, number: int, stage: Stage, finding: Diagnosis) -> None:
        self._reasons.append(Reason(number, stage.name, finding.cause, finding.text, finding.figures))


def _between(last: Stage, id: str) -> Diagnosis:
    rank = next(rank for rank, document in enumerate(last.results, 1) if document.id == id)
    text = f"it came out of {last.name} at rank {rank}, but was not given on to this stage"
    return Diagnosis("not_given", text, {"rank": rank, "documents": len(last.results)})


def _unexplained(stage: Stage, id: str) -> Diagnosis:
    ranks = [rank for given in stage.inputs for rank, document in enumerate(given, 1) if document.id == id]
    place = f"went in at rank {ranks[0]}" if ranks else "was found"
    top_k, kept = stage.settings.get("top_k"), len(stage.results)
    cut = isinstance(top_k, int) and kept == top_k
    limit = f" (top_k {top_k})" if cut else ""
    figures = {"rank": ranks[0] if ranks else None, "documents": kept}
    return Diagnosis(
        "top_k" if cut else "dropped", f"{place}, and is not among the {kept} that came out{limit}", figures
    )
