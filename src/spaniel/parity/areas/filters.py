"""Filters on documents, with unusual values, and the combination of two filters by a policy."""

from typing import Any

from spaniel.json_types import Json, JsonObject
from spaniel.parity.area import Area, Given, Outcome, outcome_of
from spaniel.parity.library import HAYSTACK, Library
from spaniel.parity.random_data import PARTIAL_DATES, RandomData

ORDERING = (">", ">=", "<", "<=")
FIELDS = ["meta.x", "x", "meta.n.x", "meta.n", "meta.a.b", "meta.missing", "missing", "id", "content"]


def _draw_filters(rng: RandomData) -> Given:
    meta = {"x": rng.value(), "n": rng.choice([{"x": rng.value()}, rng.value()]), "a.b": rng.scalar()}
    return {"meta": {key: meta[key] for key in rng.subset(list(meta))}, "filters": _node(rng, 2), "strict": rng.flip()}


def _node(rng: RandomData, depth: int) -> JsonObject:
    if depth and rng.flip(0.5):
        conditions = [_node(rng, depth - 1) for _ in range(rng.integer(0, 3))]
        return {"operator": rng.choice(["AND", "OR", "NOT"]), "conditions": conditions}
    operator = rng.choice(["==", "!=", *ORDERING, "in", "not in"])
    value = [rng.scalar() for _ in range(rng.integer(0, 3))] if "in" in operator else rng.value()
    return {"field": rng.choice(FIELDS), "operator": operator, "value": value}


def _run_filters(given: Given, library: Library) -> Json:
    document = library.get("Document")(id="b", content="c%", meta=given["meta"])
    matches = library.get("utils.filters.document_matches_filter")
    return bool(matches(given["filters"], document, strict_datetime_comparison=given["strict"]))


def _explain_filters(given: Given, our: Outcome, _: Outcome) -> str | None:
    """Explain an answer by its first corrected comparison, if the others agree."""
    leaves = list(_leaves(given["filters"]))
    if our.error is not None:
        return next((entry for leaf in leaves if (entry := _fault(leaf))), None)
    corrections = [_correct(leaf, given) for leaf in leaves]
    answers = iter([answer for answer, _ in corrections])
    if our.value is not _combine(given["filters"], answers):
        return None
    return next((entry for _, entry in corrections if entry), None)


def _leaves(node: JsonObject) -> Any:
    if "field" in node:
        yield node
    for condition in node.get("conditions", ()):
        yield from _leaves(condition)


def _fault(leaf: JsonObject) -> str:
    if leaf["operator"] not in ORDERING or not isinstance(leaf["value"], (str, list, dict)):
        return ""
    return "partial-date" if leaf["value"] in PARTIAL_DATES else "no-order"


def _correct(leaf: JsonObject, given: Given) -> tuple[bool, str]:
    """Return the expected answer of a comparison, and the anchor of its correction, if any."""
    meta = dict(given["meta"])
    entry = ""
    if leaf["field"] == "meta.a.b" and "a.b" in meta:
        meta, entry = {"a": {"b": meta["a.b"]}}, "dotted-key"
    answer = outcome_of(_run_filters, {**given, "meta": meta, "filters": leaf}, HAYSTACK)
    if leaf["operator"] in ORDERING and _value_in(leaf["field"], meta) in PARTIAL_DATES:
        return False, "partial-date"
    if answer.error is not None:
        return False, "odd-value"
    return answer.value, entry


def _value_in(field: str, meta: JsonObject) -> Any:
    found: Any = meta
    for key in field.removeprefix("meta.").split("."):
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _combine(node: JsonObject, answers: Any) -> bool:
    if "field" in node:
        return bool(next(answers))
    given = [_combine(condition, answers) for condition in node["conditions"]]
    if node["operator"] == "OR":
        return any(given)
    return all(given) is (node["operator"] == "AND")


FILTERS = Area("filters", _draw_filters, _run_filters, _explain_filters)


def _draw_policies(rng: RandomData) -> Given:
    return {
        "policy": rng.choice(["replace", "merge", "merge", "merge", "MERGE", "other"]),
        "init": _filter(rng),
        "run": _filter(rng),
        "operator": rng.choice(["AND", "OR"]),
    }


def _filter(rng: RandomData) -> Any:
    if rng.flip(0.1):
        return None
    if rng.flip(0.4):
        return _comparison(rng)
    conditions = [_comparison(rng) for _ in range(rng.integer(0, 3))]
    return {"operator": rng.choice(["AND", "OR", "NOT"]), "conditions": conditions}


def _comparison(rng: RandomData) -> JsonObject:
    field = rng.choice(["meta.lang", "meta.year", "meta.n"])
    return {"field": field, "operator": rng.choice(["==", ">"]), "value": rng.integer(0, 3)}


def _run_policies(given: Given, library: Library) -> Json:
    policy = library.get("document_stores.types.FilterPolicy").from_str(given["policy"])
    apply_policy = library.get("document_stores.types.apply_filter_policy")
    combined = apply_policy(policy, given["init"], given["run"], given["operator"])
    return [str(policy), combined, given["init"], given["run"]]


POLICIES = Area("policies", _draw_policies, _run_policies)
