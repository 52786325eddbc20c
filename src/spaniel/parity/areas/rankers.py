"""Rankers: by metadata, by group, and the best at both ends."""

import importlib
from typing import Any

from spaniel.parity.area import Area, Given
from spaniel.parity.chance import Chance
from spaniel.parity.reference import haystack, our_documents, shown, their_documents

VALUES = [None, 1, 2, 2.5, True, "1", "2.5", "x", "2024-05-01", "1999-12-31T10:00", ""]


def draw(chance: Chance) -> Given:
    """Draw documents with values to rank by, a ranker and its settings."""
    kind = chance.one_of(list(_SETTINGS))
    choices: list[list[Any]] = [VALUES, [1, 2, 3], ["a", "b"]]
    values = chance.one_of(choices)
    documents = [{**row, "meta": _meta(chance, values)} for row in chance.scored(8)]
    return {"class": kind, "settings": _SETTINGS[kind](chance), "documents": documents}


def _meta(chance: Chance, values: list[Any]) -> dict[str, Any]:
    return {key: chance.one_of(values) for key in chance.subset(["rating", "group", "sub"])}


def _by_field(chance: Chance) -> dict[str, Any]:
    settings = {
        "weight": chance.one_of([0, 0.3, 1.0, 1.5]),
        "top_k": chance.one_of([None, chance.whole(0, 5)]),
        "ranking_mode": chance.one_of(["reciprocal_rank_fusion", "linear_score"]),
        "sort_order": chance.one_of(["ascending", "descending"]),
        "missing_meta": chance.one_of(["drop", "top", "bottom"]),
        "meta_value_type": chance.one_of([None, "float", "int", "date"]),
    }
    return {"meta_field": "rating", **{name: settings[name] for name in chance.subset(list(settings))}}


def _by_group(chance: Chance) -> dict[str, Any]:
    return {
        "group_by": "group",
        "subgroup_by": chance.one_of([None, "sub"]),
        "sort_docs_by": chance.one_of([None, "rating"]),
    }


def _at_both_ends(chance: Chance) -> dict[str, Any]:
    return {
        "word_count_threshold": chance.one_of([None, chance.whole(0, 8)]),
        "top_k": chance.one_of([None, chance.whole(0, 5)]),
    }


_SETTINGS = {
    "MetaFieldRanker": _by_field,
    "MetaFieldGroupingRanker": _by_group,
    "LostInTheMiddleRanker": _at_both_ends,
}


def ours(given: Given) -> Any:
    """Return Spaniel's order."""
    module = importlib.import_module("spaniel.components.rankers")
    return _ranked(getattr(module, given["class"]), given, our_documents)


def theirs(given: Given) -> Any:
    """Return Haystack's order."""
    return _ranked(haystack(f"components.rankers.{given['class']}"), given, their_documents)


def _ranked(ranker_class: Any, given: Given, build: Any) -> Any:
    return shown(ranker_class(**given["settings"]).run(documents=build(given["documents"]))["documents"])


RANKERS = Area("rankers", draw, ours, theirs)
