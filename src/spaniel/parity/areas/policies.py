"""Filter policies: the combination of a component's filter and that of a run."""

from typing import Any

from spaniel.json_types import Json, JsonObject
from spaniel.parity.area import Area, Given
from spaniel.parity.library import Library
from spaniel.parity.random_data import RandomData


def draw(rng: RandomData) -> Given:
    """Draw two filters, a policy, and the operator for two comparisons."""
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


def run(given: Given, library: Library) -> Json:
    """Return the combined filter, and the given ones afterwards."""
    policy = library.get("document_stores.types.FilterPolicy").from_str(given["policy"])
    apply_policy = library.get("document_stores.types.apply_filter_policy")
    combined = apply_policy(policy, given["init"], given["run"], given["operator"])
    return [str(policy), combined, given["init"], given["run"]]


POLICIES = Area("policies", draw, run)
