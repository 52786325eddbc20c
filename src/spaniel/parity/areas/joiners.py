"""Joiners of ranked lists."""

from itertools import chain
from typing import Any

from spaniel.json_types import Json, JsonObject
from spaniel.parity.area import Area, Given, Outcome, agree, outcome_of, same
from spaniel.parity.library import HAYSTACK, Library, document_data
from spaniel.parity.random_data import RandomData

_DOUBLES = {
    "reciprocal_rank_fusion": "rrf-double",
    "merge": "merge-double",
    "distribution_based_rank_fusion": "dbsf-double",
}


def _draw(rng: RandomData) -> Given:
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


def _run(given: Given, library: Library) -> Json:
    settings = {name: given[name] for name in ("join_mode", "weights", "top_k", "sort_by_score")}
    joiner = library.get("components.joiners.DocumentJoiner")(**settings)
    lists = [library.documents(rows) for rows in given["lists"]]
    return document_data(joiner.run(lists, top_k=given["run_top_k"])["documents"])


def _explain(given: Given, our: Outcome, _: Outcome) -> str | None:
    """Explain a difference by duplicates within a list, or by the duplicate that is kept."""
    mode = given["join_mode"]
    lists = [_without_doubles(rows, keep_first=mode == "reciprocal_rank_fusion") for rows in given["lists"]]
    expected = outcome_of(_run, {**given, "lists": lists}, HAYSTACK)
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


JOINERS = Area("joiners", _draw, _run, _explain)
