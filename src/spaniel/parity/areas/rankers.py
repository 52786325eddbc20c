"""Rankers by metadata, by group, and lost-in-the-middle order; joiners of ranked lists."""

from collections.abc import Callable
from itertools import chain
from typing import Any

from spaniel.json_types import Json, JsonObject
from spaniel.parity.area import Area, Given, Outcome, agree, outcome_of, same
from spaniel.parity.library import HAYSTACK, Library, document_data
from spaniel.parity.random_data import RandomData

VALUES = [None, 1, 2, 2.5, True, "1", "2.5", "x", "2024-05-01", "1999-12-31T10:00", ""]


def _draw_rankers(rng: RandomData) -> Given:
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


def _run_rankers(given: Given, library: Library) -> Json:
    ranker = library.get(f"components.rankers.{given['class']}")(**given["settings"])
    return document_data(ranker.run(documents=library.documents(given["documents"]))["documents"])


RANKERS = Area("rankers", _draw_rankers, _run_rankers)


_DOUBLES = {
    "reciprocal_rank_fusion": "rrf-double",
    "merge": "merge-double",
    "distribution_based_rank_fusion": "dbsf-double",
}


def _draw_joiners(rng: RandomData) -> Given:
    lists = [rng.documents_with_scores() for _ in range(rng.integer(0, 4))]
    if rng.flip():
        lists = [list({row["id"]: row for row in rows}.values()) for rows in lists]
    weights = [rng.number(0, 3) for _ in range(len(lists) + (1 if rng.flip(0.1) else 0))]
    return {
        "lists": lists,
        "join_mode": rng.choice(["concatenate", *_DOUBLES]),
        "weights": weights if rng.flip() else None,
        "top_k": rng.choice([None, rng.integer(-1, 5)]),
        "sort_by_score": rng.flip(0.8),
        "run_top_k": rng.choice([None, rng.integer(-1, 5)]),
    }


def _run_joiners(given: Given, library: Library) -> Json:
    settings = {name: given[name] for name in ("join_mode", "weights", "top_k", "sort_by_score")}
    joiner = library.get("components.joiners.DocumentJoiner")(**settings)
    lists = [library.documents(rows) for rows in given["lists"]]
    return document_data(joiner.run(lists, top_k=given["run_top_k"])["documents"])


def _explain_joiners(given: Given, our: Outcome, _: Outcome) -> str | None:
    """Explain a difference by duplicates within a list, or by the duplicate that is kept."""
    mode = given["join_mode"]
    lists = [_without_doubles(rows, keep_first=mode == "reciprocal_rank_fusion") for rows in given["lists"]]
    expected = outcome_of(_run_joiners, {**given, "lists": lists}, HAYSTACK)
    if our.error is not None or expected.error is not None:
        return _DOUBLES.get(mode) if agree(our, expected) else None
    if not same(_ids_and_scores(our.value), _ids_and_scores(expected.value)) or not _are_given(our.value, given):
        return None
    return "which-copy" if lists == given["lists"] else _DOUBLES.get(mode)


def _ids_and_scores(rows: list[JsonObject]) -> list[Any]:
    return [[row["id"], row["score"]] for row in rows]


def _are_given(found: list[JsonObject], given: Given) -> bool:
    known = {(row["id"], row["content"]) for row in chain.from_iterable(given["lists"])}
    return all((row["id"], row["content"]) in known for row in found)


def _without_doubles(rows: list[JsonObject], *, keep_first: bool) -> list[JsonObject]:
    copies: dict[str, list[JsonObject]] = {}
    for row in rows:
        copies.setdefault(row["id"], []).append(row)
    return [each[0] if keep_first else max(each, key=_score) for each in copies.values()]


def _score(row: JsonObject) -> float:
    return float("-inf") if row["score"] is None else row["score"]


JOINERS = Area("joiners", _draw_joiners, _run_joiners, _explain_joiners)
