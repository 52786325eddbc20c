"""Why two searches that were asked at once both did not find a document: each is looked at by itself."""

from __future__ import annotations

from dataclasses import replace

from spaniel.tracing.asking import Asking
from spaniel.tracing.events import Matched
from spaniel.tracing.finding import Case, Finding
from spaniel.tracing.not_found import not_found

_METHODS = {"words": "bm25_retrieval", "vector": "embedding_retrieval"}
_OF_BOTH = {"not_stored", "not_searched"}


def found_by_neither(case: Case) -> Finding:
    """Say of each search why it did not find a document."""
    findings = {name: not_found(_alone(case, name)) for name in _METHODS}
    first, second = findings.values()
    if first == second or first.cause in _OF_BOTH:
        return first
    text = "; ".join(f"by {name}: {finding.text}" for name, finding in findings.items())
    figures = {name: {"cause": finding.cause, **finding.figures} for name, finding in findings.items()}
    return Finding(first.cause if first.cause == second.cause else "not_found", text, figures)


def _alone(case: Case, name: str) -> Case:
    """Return the case as if one of the searches had been the only one."""
    from spaniel.tracing.trace import Stage, StoreRequest

    given = case.stage.settings.get(name) or {}
    settings = {key: value for key, value in given.items() if key != "raise_on_failure"}
    stage = Stage(f"{case.stage.name} by {name}", settings, "search", case.stage.store)
    stage.requests.append(StoreRequest(_METHODS[name], 0, 0.0))
    stage.results = case.stage.results
    for event in case.stage.events:
        if isinstance(event, Matched) and event.by == name:
            stage.record(event)
    return replace(case, stage=stage, ask=Asking(case.ask.store, stage))
