"""Filters: whether a document matches, odd values among them."""

from typing import Any

from spaniel.dataclasses import Document
from spaniel.filters import document_matches_filter
from spaniel.parity.area import Area, Given, Outcome, outcome_of
from spaniel.parity.chance import PARTIAL_DATES, Chance
from spaniel.parity.reference import haystack

ORDERING = (">", ">=", "<", "<=")
FIELDS = ["meta.x", "x", "meta.n.x", "meta.n", "meta.a.b", "meta.missing", "missing", "id", "content"]


def draw(chance: Chance) -> Given:
    """Draw metadata, a filter, and whether dates are compared strictly."""
    meta = {"x": chance.value(), "n": chance.one_of([{"x": chance.value()}, chance.value()]), "a.b": chance.scalar()}
    return {
        "meta": {key: meta[key] for key in chance.subset(list(meta))},
        "filters": _node(chance, 2),
        "strict": chance.maybe(),
    }


def _node(chance: Chance, depth: int) -> dict[str, Any]:
    if depth and chance.maybe(0.5):
        conditions = [_node(chance, depth - 1) for _ in range(chance.whole(0, 3))]
        return {"operator": chance.one_of(["AND", "OR", "NOT"]), "conditions": conditions}
    operator = chance.one_of(["==", "!=", *ORDERING, "in", "not in"])
    value = [chance.scalar() for _ in range(chance.whole(0, 3))] if "in" in operator else chance.value()
    return {"field": chance.one_of(FIELDS), "operator": operator, "value": value}


def ours(given: Given) -> bool:
    """Return Spaniel's answer."""
    document = Document(id="b", content="c%", meta=given["meta"])
    return document_matches_filter(given["filters"], document, strict_datetime_comparison=given["strict"])


def theirs(given: Given) -> bool:
    """Return Haystack's answer."""
    document = haystack("Document")(id="b", content="c%", meta=given["meta"])
    matches = haystack("utils.filters.document_matches_filter")
    return bool(matches(given["filters"], document, strict_datetime_comparison=given["strict"]))


def explain(given: Given, our: Outcome, _: Outcome) -> str | None:
    """Explain an answer by the first comparison that is corrected, if the others give the same on the whole."""
    leaves = list(_leaves(given["filters"]))
    if our.error is not None:
        return next((entry for leaf in leaves if (entry := _fault(leaf))), None)
    corrected = [_corrected(leaf, given) for leaf in leaves]
    answers = iter([answer for answer, _ in corrected])
    if our.value is not _joined(given["filters"], answers):
        return None
    return next((entry for _, entry in corrected if entry), None)


def _leaves(node: dict[str, Any]) -> Any:
    if "field" in node:
        yield node
    for condition in node.get("conditions", ()):
        yield from _leaves(condition)


def _fault(leaf: dict[str, Any]) -> str:
    """Return why a comparison is refused whole."""
    if leaf["operator"] not in ORDERING or not isinstance(leaf["value"], (str, list, dict)):
        return ""
    return "partial-date" if leaf["value"] in PARTIAL_DATES else "no-order"


def _corrected(leaf: dict[str, Any], given: Given) -> tuple[bool, str]:
    """Return what a comparison should give: Haystack's answer, or the correction and its entry."""
    meta = dict(given["meta"])
    entry = ""
    if leaf["field"] == "meta.a.b" and "a.b" in meta:
        meta, entry = {"a": {"b": meta["a.b"]}}, "dotted-key"
    answer = outcome_of(theirs, {**given, "meta": meta, "filters": leaf})
    if leaf["operator"] in ORDERING and _value_in(leaf["field"], meta) in PARTIAL_DATES:
        return False, "partial-date"
    if answer.error is not None:
        return False, "odd-value"
    return answer.value, entry


def _value_in(field: str, meta: dict[str, Any]) -> Any:
    found: Any = meta
    for key in field.removeprefix("meta.").split("."):
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _joined(node: dict[str, Any], answers: Any) -> bool:
    if "field" in node:
        return bool(next(answers))
    given = [_joined(condition, answers) for condition in node["conditions"]]
    if node["operator"] == "OR":
        return any(given)
    return all(given) is (node["operator"] == "AND")


FILTERS = Area("filters", draw, ours, theirs, explain)
