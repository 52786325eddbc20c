"""The reason for a document's absence from a search, from queries with the same settings."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import CHILDREN, END, ROOT, START
from spaniel.json_types import Filters, JsonObject
from spaniel.tracing.events import Matched, short_id
from spaniel.tracing.stage import Stage, StoreRequest
from spaniel.tracing.why_not.diagnosis import Absence, Diagnosis, diagnose_filter
from spaniel.tracing.why_not.store_probe import StoreProbe

_MAX_SHOWN = 8
_GROWTH, _MAX_RANK = 8, 10_000  # lower ranks are reported as "beyond"

_NOT_STORED = Diagnosis("not_stored", "no document with this id is in the store")


def diagnose_search(absence: Absence) -> Diagnosis:
    """Return the reason for an absence from a search."""
    probe, document, settings = absence.probe, absence.document, absence.stage.settings
    if document is None and probe.store is not None:
        return _NOT_STORED
    if document is not None:
        if failed := diagnose_filter(settings.get("filters"), document):
            return failed
        if probe.excludes(document):
            return _diagnose_excluded(absence, document)
        if probe.can_search:
            if unmet := probe.list_unmet_conditions(document):
                text = f"it does not meet what the query asks for: {', '.join(unmet)}"
                return Diagnosis("condition", text, {"conditions": unmet})
            query = settings.get("query")
            unlike = None if query is None else _diagnose_terms(absence, str(query), document)
            return unlike or _diagnose_rank(absence)
    count = len(absence.stage.results)
    return Diagnosis("not_found", f"not among the {count} documents that it found; no store is there to be asked")


def _diagnose_excluded(absence: Absence, document: Document) -> Diagnosis:
    text = "the store keeps it, but searches only what has no children"
    figures: JsonObject = {"children": len(document.meta[CHILDREN])}
    root, start, end = (document.meta.get(key) for key in (ROOT, START, END))
    if root is None or not absence.probe.can_search:
        return Diagnosis("not_searched", text, figures)
    span = [(ROOT, "==", root), (START, ">=", start), (END, "<=", end)]
    inside = [{"field": f"meta.{key}", "operator": operator, "value": value} for key, operator, value in span]
    found = absence.probe.search(filters=_combine(absence.stage.settings.get("filters"), *inside), top_k=1)
    if not found:
        unlike = _diagnose_terms(absence, str(absence.stage.settings.get("query", "")), document)
        why = unlike.text if unlike else "none of its parts is found"
        return Diagnosis("not_searched", f"{text}; {why}", {**figures, **(unlike.figures if unlike else {})})
    part = found[0]
    best = f"the best of its parts, {short_id(part.id)}, "
    for event in absence.stage.events:
        if isinstance(event, Matched) and event.about == part.id:
            figures |= {"part": part.id, "rank": event.rank}
            return Diagnosis("not_searched", f"{text}; {best}was found at rank {event.rank}", figures)
    deeper = _diagnose_rank(replace(absence, id=part.id, document=part))
    figures |= {"part": part.id, **deeper.figures}
    return Diagnosis("not_searched", f"{text}; {best}has {deeper.text}", figures)


def _combine(filters: Filters | None, *conditions: Filters) -> Filters:
    return {"operator": "AND", "conditions": [*([filters] if filters else []), *conditions]}


def _diagnose_terms(absence: Absence, query: str, document: Document) -> Diagnosis | None:
    wanted, terms = absence.probe.list_terms(query), absence.probe.list_terms(document.content or "")
    if wanted is None or terms is None or set(wanted) & set(terms) or absence.probe.shares_words(query, document):
        return None
    from difflib import get_close_matches

    close = [match for term in wanted for match in get_close_matches(term, terms[:5000], n=2, cutoff=0.6)]
    shown = list(dict.fromkeys([*close, *terms]))
    more = ", ..." if len(shown) > _MAX_SHOWN else ""
    has = f"it has {', '.join(shown[:_MAX_SHOWN])}{more}" if shown else "it has no words"
    figures = {"query_terms": wanted, "document_terms": shown[:_MAX_SHOWN], "close_terms": list(dict.fromkeys(close))}
    return Diagnosis("no_common_term", f"no word in common: the query has {', '.join(wanted)}; {has}", figures)


def _diagnose_rank(absence: Absence) -> Diagnosis:
    """Return the rank of a document in a deeper search; also detect other results than before."""
    settings, probe, name = absence.stage.settings, absence.probe, absence.stage.name
    top_k = int(settings.get("top_k") or 0)
    own = {"field": "id", "operator": "==", "value": absence.id}
    alone = probe.search(filters=_combine(settings.get("filters"), own), top_k=1)
    before = [(event.about, event.score) for event in absence.stage.events if isinstance(event, Matched)]
    found = probe.search(top_k=top_k) if top_k else []
    if [(document.id, document.score) for document in found] != before:
        absence.changed.append(f"{name} finds other documents now, or with other scores")
    if not alone and "query" not in settings:  # a store need not return embeddings, so they can't be compared
        return Diagnosis("no_embedding", "it has no embedding")
    if not alone:
        return Diagnosis("no_match", "the search does not find it, at any rank")
    score, last = alone[0].score, before[-1][1] if before else None
    depth = top_k
    while all(document.id != absence.id for document in found) and depth < _MAX_RANK:
        depth = min(max(depth * _GROWTH, 10), _MAX_RANK)
        found = probe.search(top_k=depth)
        if len(found) < depth:
            break
    rank = next((rank for rank, document in enumerate(found, 1) if document.id == absence.id), None)
    figures = {"rank": rank, "top_k": top_k, "score": score, "last_score": last}
    if rank is not None and rank <= top_k:
        absence.changed.append(f"{name} finds it now, at rank {rank}")
        return Diagnosis("changed", f"it was not found then, but is now at rank {rank} of top_k {top_k}", figures)
    place = f"rank {rank}" if rank is not None else f"beyond rank {len(found):,}"
    scores = "" if score is None else f": its score is {score:.4g}"
    if scores and last is not None:
        tie = ", which comes first in the store" if last == score else ""
        scores += f", and the one at rank {len(before)} has {last:.4g}{tie}"
    return Diagnosis("top_k", f"{place} of top_k {top_k}{scores}", figures)


_METHODS = {"bm25": "bm25_retrieval", "embedding": "embedding_retrieval"}


def diagnose_both(absence: Absence) -> Diagnosis:
    """Return the reason for an absence from the two searches of a hybrid request."""
    diagnoses = {name: diagnose_search(_select_search(absence, name)) for name in _METHODS}
    first, second = diagnoses.values()
    if first == second or first.cause in {"not_stored", "not_searched"}:
        return first
    text = "; ".join(f"by {name}: {diagnosis.text}" for name, diagnosis in diagnoses.items())
    figures = {name: {"cause": diagnosis.cause, **diagnosis.figures} for name, diagnosis in diagnoses.items()}
    return Diagnosis(first.cause if first.cause == second.cause else "not_found", text, figures)


def _select_search(absence: Absence, name: str) -> Absence:
    given = absence.stage.settings.get(name) or {}
    settings = {key: value for key, value in given.items() if key != "raise_on_failure"}
    stage = Stage(f"{absence.stage.name} by {name}", settings, "search", absence.stage.store)
    stage.requests.append(StoreRequest(_METHODS[name], 0, 0.0))
    stage.results = absence.stage.results
    for event in absence.stage.events:
        if isinstance(event, Matched) and event.by == name:
            stage.record(event)
    return replace(absence, stage=stage, probe=StoreProbe(absence.probe.store, stage))


def diagnose_matching(absence: Absence) -> Diagnosis:
    """Return the reason for an absence from the documents that match a filter."""
    if absence.document is None:
        stored = absence.probe.store is not None
        return _NOT_STORED if stored else Diagnosis("not_found", "not among the documents that it found")
    failed = diagnose_filter(absence.stage.settings.get("filters"), absence.document)
    return failed or Diagnosis("changed", "it was not found then, but the filter lets it through now")


SEARCHES: Mapping[str, Callable[[Absence], Diagnosis | None]] = {
    "search": diagnose_search,
    "search_both": diagnose_both,
    "fetch_matching": diagnose_matching,
}
"""The function that explains an absence, by the kind of a stage that finds documents."""
