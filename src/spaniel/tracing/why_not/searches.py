"""Why a search did not find a document: it asks the store, with the settings that the search had."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spaniel.dataclasses.hierarchy import CHILDREN, END, ROOT, START
from spaniel.tracing.events import Matched, short_id
from spaniel.tracing.why_not.diagnosis import Absence, Diagnosis, filtered_out
from spaniel.tracing.why_not.store_probe import StoreProbe

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spaniel.dataclasses import Document


_SHOWN = 8
_GROWTH, _DEEPEST = 8, 10_000  # a deeper rank is told as "beyond"


def not_found(case: Absence) -> Diagnosis:
    """Say why a search did not find a document."""
    count = len(case.stage.results)
    if case.document is None:
        if case.ask.store is None:
            return Diagnosis(
                "not_found", f"not among the {count} documents that it found; no store is there to be asked"
            )
        return _NOT_STORED
    if failed := filtered_out(case.stage.settings.get("filters"), case.document):
        return failed
    if case.ask.only_keeps(case.document):
        return _only_kept(case, case.document)
    if not case.ask.can_search:
        return Diagnosis("not_found", f"not among the {count} documents that it found; no store is there to be asked")
    query = case.stage.settings.get("query")
    unlike = None if query is None else _no_common_term(case, str(query), case.document)
    return unlike or _rank(case)


def _only_kept(case: Absence, document: Document) -> Diagnosis:
    """Say that a document with children is not searched, and what became of the best of its parts."""
    text = "the store keeps it, but searches only what has no children"
    figures: dict[str, Any] = {"children": len(document.meta[CHILDREN])}
    root, start, end = (document.meta.get(key) for key in (ROOT, START, END))
    if root is None or not case.ask.can_search:
        return Diagnosis("not_searched", text, figures)
    place = [(ROOT, "==", root), (START, ">=", start), (END, "<=", end)]
    inside = [{"field": f"meta.{key}", "operator": operator, "value": value} for key, operator, value in place]
    found = case.ask.search(filters=_both(case.stage.settings.get("filters"), *inside), top_k=1)
    if not found:
        unlike = _no_common_term(case, str(case.stage.settings.get("query", "")), document)
        why = unlike.text if unlike else "none of its parts is found"
        return Diagnosis("not_searched", f"{text}; {why}", {**figures, **(unlike.figures if unlike else {})})
    part = found[0]
    rank = next(
        (event.rank for event in case.stage.events if isinstance(event, Matched) and event.about == part.id), None
    )
    best = f"the best of its parts, {short_id(part.id)}, "
    if rank is not None:
        return Diagnosis(
            "not_searched", f"{text}; {best}was found at rank {rank}", {**figures, "part": part.id, "rank": rank}
        )
    deeper = _rank(replace(case, id=part.id, document=part))
    return Diagnosis("not_searched", f"{text}; {best}has {deeper.text}", {**figures, "part": part.id, **deeper.figures})


def _both(filters: Any, *conditions: dict[str, Any]) -> dict[str, Any]:
    return {"operator": "AND", "conditions": [*([filters] if filters else []), *conditions]}


_NOT_STORED = Diagnosis("not_stored", "no document with this id is in the store")


def _no_common_term(case: Absence, query: str, document: Document) -> Diagnosis | None:
    wanted, terms = case.ask.terms(query), case.ask.terms(document.content or "")
    if wanted is None or terms is None or set(wanted) & set(terms):
        return None
    from difflib import get_close_matches

    close = [term for word in wanted for term in get_close_matches(word, terms[:5000], n=2, cutoff=0.6)]
    instead = list(dict.fromkeys([*close, *terms]))
    more = ", ..." if len(instead) > _SHOWN else ""
    has = f"it has {', '.join(instead[:_SHOWN])}{more}" if instead else "it has no words"
    figures = {"query_terms": wanted, "document_terms": instead[:_SHOWN], "close_terms": list(dict.fromkeys(close))}
    return Diagnosis("no_common_term", f"no word in common: the query has {', '.join(wanted)}; {has}", figures)


def _rank(case: Absence) -> Diagnosis:
    """Say how far down the search a document stands; also notice whether the search gives what it gave."""
    settings = case.stage.settings
    top_k = int(settings.get("top_k") or 0)
    own = {"field": "id", "operator": "==", "value": case.id}
    alone = case.ask.search(filters=_both(settings.get("filters"), own), top_k=1)
    before = [(event.about, event.score) for event in case.stage.events if isinstance(event, Matched)]
    found = case.ask.search(top_k=top_k) if top_k else []
    if [(document.id, document.score) for document in found] != before:
        case.changed.append(f"{case.stage.name} finds other documents now, or with other scores")
    if not alone and "query" not in settings:  # a store need not give embeddings out, so they can't be looked at
        return Diagnosis("no_embedding", "it has no embedding")
    if not alone:
        return Diagnosis("no_match", "the search does not find it, at any rank")
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
        return Diagnosis("changed", f"it was not found then, but is now at rank {rank} of top_k {top_k}", figures)
    place = f"rank {rank}" if rank is not None else f"beyond rank {len(found):,}"
    scores = "" if score is None else f": its score is {score:.4g}"
    if scores and last is not None:
        tie = ", which comes first in the store" if last == score else ""
        scores += f", and the one at rank {len(before)} has {last:.4g}{tie}"
    return Diagnosis("top_k", f"{place} of top_k {top_k}{scores}", figures)


def not_matching(case: Absence) -> Diagnosis:
    """Say why a plain filter did not find a document."""
    if case.document is None:
        return _NOT_STORED if case.ask.store is not None else Diagnosis("not_found", "not among what it found")
    failed = filtered_out(case.stage.settings.get("filters"), case.document)
    return failed or Diagnosis("changed", "it was not found then, but the filter lets it through now")


_METHODS = {"words": "bm25_retrieval", "vector": "embedding_retrieval"}
_OF_BOTH = {"not_stored", "not_searched"}


def found_by_neither(case: Absence) -> Diagnosis:
    """Say of each search why it did not find a document."""
    findings = {name: not_found(_alone(case, name)) for name in _METHODS}
    first, second = findings.values()
    if first == second or first.cause in _OF_BOTH:
        return first
    text = "; ".join(f"by {name}: {finding.text}" for name, finding in findings.items())
    figures = {name: {"cause": finding.cause, **finding.figures} for name, finding in findings.items()}
    return Diagnosis(first.cause if first.cause == second.cause else "not_found", text, figures)


def _alone(case: Absence, name: str) -> Absence:
    """Return the case as if one of the searches had been the only one."""
    from spaniel.tracing.stage import Stage, StoreRequest

    given = case.stage.settings.get(name) or {}
    settings = {key: value for key, value in given.items() if key != "raise_on_failure"}
    stage = Stage(f"{case.stage.name} by {name}", settings, "search", case.stage.store)
    stage.requests.append(StoreRequest(_METHODS[name], 0, 0.0))
    stage.results = case.stage.results
    for event in case.stage.events:
        if isinstance(event, Matched) and event.by == name:
            stage.record(event)
    return replace(case, stage=stage, ask=StoreProbe(case.ask.store, stage))


SOURCES: Mapping[str, Callable[[Absence], Diagnosis | None]] = {
    "search": not_found,
    "search_both": found_by_neither,
    "fetch_matching": not_matching,
}
"""By the kind of a stage that finds documents: why it did not find one."""
