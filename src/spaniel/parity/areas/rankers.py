"""Rankers by metadata, by group, and lost-in-the-middle order."""

from typing import Any

from spaniel.json_types import Json, JsonObject
from spaniel.parity.area import Area, Given
from spaniel.parity.library import Library, document_data
from spaniel.parity.random_data import RandomData

VALUES = [None, 1, 2, 2.5, True, "1", "2.5", "x", "2024-05-01", "1999-12-31T10:00", ""]


def _draw(rng: RandomData) -> Given:
    kind = rng.choice(list(_SETTINGS))
    choices: list[list[Any]] = [VALUES, [1, 2, 3], ["a", "b"]]
    values = rng.choice(choices)
    documents = [{**row, "meta": _meta(rng, values)} for row in rng.documents_with_scores(8)]
    return {"class": kind, "settings": _SETTINGS[kind](rng), "documents": documents}


def _meta(rng: RandomData, values: list[Any]) -> JsonObject:
    return {key: rng.choice(values) for key in rng.subset(["rating", "group", "sub"])}


def _by_field(rng: RandomData) -> JsonObject:
    settings = {
        "weight": rng.choice([0, 0.3, 1.0, 1.5]),
        "top_k": rng.choice([None, rng.integer(0, 5)]),
        "ranking_mode": rng.choice(["reciprocal_rank_fusion", "linear_score"]),
        "sort_order": rng.choice(["ascending", "descending"]),
        "missing_meta": rng.choice(["drop", "top", "bottom"]),
        "meta_value_type": rng.choice([None, "float", "int", "date"]),
    }
    return {"meta_field": "rating", **{name: settings[name] for name in rng.subset(list(settings))}}


def _by_group(rng: RandomData) -> JsonObject:
    return {"group_by": "group", "subgroup_by": rng.choice([None, "sub"]), "sort_docs_by": rng.choice([None, "rating"])}


def _at_both_ends(rng: RandomData) -> JsonObject:
    return {
        "word_count_threshold": rng.choice([None, rng.integer(0, 8)]),
        "top_k": rng.choice([None, rng.integer(0, 5)]),
    }


_SETTINGS = {"MetaFieldRanker": _by_field, "MetaFieldGroupingRanker": _by_group, "LostInTheMiddleRanker": _at_both_ends}


def _run(given: Given, library: Library) -> Json:
    ranker = library.get(f"components.rankers.{given['class']}")(**given["settings"])
    return document_data(ranker.run(documents=library.documents(given["documents"]))["documents"])


RANKERS = Area("rankers", _draw, _run)
