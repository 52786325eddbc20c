"""Rankers by metadata, by group, and lost-in-the-middle order."""

from collections.abc import Callable
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
    documents = [
        {**row, "meta": {key: rng.choice(values) for key in rng.subset(["rating", "group", "sub"])}}
        for row in rng.documents_with_scores(8)
    ]
    return {"class": kind, "settings": _SETTINGS[kind](rng), "documents": documents}


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


_SETTINGS: dict[str, Callable[[RandomData], JsonObject]] = {
    "MetaFieldRanker": _by_field,
    "MetaFieldGroupingRanker": lambda rng: {
        "group_by": "group",
        "subgroup_by": rng.choice([None, "sub"]),
        "sort_docs_by": rng.choice([None, "rating"]),
    },
    "LostInTheMiddleRanker": lambda rng: {
        name: rng.choice([None, rng.integer(0, limit)]) for name, limit in (("word_count_threshold", 8), ("top_k", 5))
    },
}


def _run(given: Given, library: Library) -> Json:
    ranker = library.get(f"components.rankers.{given['class']}")(**given["settings"])
    return document_data(ranker.run(documents=library.documents(given["documents"]))["documents"])


RANKERS = Area("rankers", _draw, _run)
