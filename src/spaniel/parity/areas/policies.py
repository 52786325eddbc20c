"""Filter policies: what comes of a component's own filter and that of a run."""

from typing import Any

from spaniel.filters import FilterPolicy, apply_filter_policy
from spaniel.parity.area import Area, Given
from spaniel.parity.chance import Chance
from spaniel.parity.reference import haystack


def draw(chance: Chance) -> Given:
    """Draw two filters, a policy and the operator that joins two comparisons."""
    return {
        "policy": chance.one_of(["replace", "merge", "merge", "merge", "MERGE", "other"]),
        "init": _filter(chance),
        "run": _filter(chance),
        "operator": chance.one_of(["AND", "OR"]),
    }


def _filter(chance: Chance) -> Any:
    if chance.maybe(0.1):
        return None
    if chance.maybe(0.4):
        return _comparison(chance)
    conditions = [_comparison(chance) for _ in range(chance.whole(0, 3))]
    return {"operator": chance.one_of(["AND", "OR", "NOT"]), "conditions": conditions}


def _comparison(chance: Chance) -> dict[str, Any]:
    field = chance.one_of(["meta.lang", "meta.year", "meta.n"])
    return {"field": field, "operator": chance.one_of(["==", ">"]), "value": chance.whole(0, 3)}


def ours(given: Given) -> Any:
    """Return Spaniel's filter, and what the given ones are afterwards."""
    policy = FilterPolicy.from_str(given["policy"])
    joined = apply_filter_policy(policy, given["init"], given["run"], given["operator"])
    return [str(policy), joined, given["init"], given["run"]]


def theirs(given: Given) -> Any:
    """Return Haystack's filter, and what the given ones are afterwards."""
    policy = haystack("document_stores.types.FilterPolicy").from_str(given["policy"])
    join = haystack("document_stores.types.apply_filter_policy")
    joined = join(policy, given["init"], given["run"], given["operator"])
    return [str(policy), joined, given["init"], given["run"]]


POLICIES = Area("policies", draw, ours, theirs)
