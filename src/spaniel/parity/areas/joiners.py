"""Joining of ranked lists."""

from itertools import chain
from typing import Any

from spaniel.components.joiners import DocumentJoiner
from spaniel.parity.area import Area, Given, Outcome, agree, outcome_of, same
from spaniel.parity.chance import Chance
from spaniel.parity.reference import haystack, our_documents, shown, their_documents

_DOUBLES = {
    "reciprocal_rank_fusion": "rrf-double",
    "merge": "merge-double",
    "distribution_based_rank_fusion": "dbsf-double",
}


def draw(chance: Chance) -> Given:
    """Draw lists of documents, whose copies may differ, and how they are joined."""
    lists = [chance.scored() for _ in range(chance.whole(0, 4))]
    if chance.maybe():
        lists = [list({row["id"]: row for row in rows}.values()) for rows in lists]
    weights = [chance.real(0, 3) for _ in range(len(lists) + (1 if chance.maybe(0.1) else 0))]
    return {
        "lists": lists,
        "join_mode": chance.one_of(["concatenate", *_DOUBLES]),
        "weights": weights if chance.maybe() else None,
        "top_k": chance.one_of([None, chance.whole(-1, 5)]),
        "sort_by_score": chance.maybe(0.8),
        "run_top_k": chance.one_of([None, chance.whole(-1, 5)]),
    }


def ours(given: Given) -> Any:
    """Return Spaniel's list."""
    return _joined(DocumentJoiner, given, our_documents)


def theirs(given: Given) -> Any:
    """Return Haystack's list."""
    return _joined(haystack("components.joiners.DocumentJoiner"), given, their_documents)


def _joined(joiner_class: Any, given: Given, build: Any) -> Any:
    settings = {name: given[name] for name in ("join_mode", "weights", "top_k", "sort_by_score")}
    joiner = joiner_class(**settings)
    return shown(joiner.run([build(rows) for rows in given["lists"]], top_k=given["run_top_k"])["documents"])


def explain(given: Given, our: Outcome, _: Outcome) -> str | None:
    """Explain a difference by doubles within a list, or by which of several copies stays."""
    mode = given["join_mode"]
    choose = _first if mode == "reciprocal_rank_fusion" else _best
    lists = [_each_once(rows, choose) for rows in given["lists"]]
    expected = outcome_of(theirs, {**given, "lists": lists})
    if our.error is not None or expected.error is not None:
        return _DOUBLES.get(mode) if agree(our, expected) else None
    if not same(_ids_and_scores(our.value), _ids_and_scores(expected.value)) or not _are_given(our.value, given):
        return None
    return "which-copy" if lists == given["lists"] else _DOUBLES.get(mode)


def _ids_and_scores(rows: list[dict[str, Any]]) -> list[Any]:
    return [[row["id"], row["score"]] for row in rows]


def _are_given(found: list[dict[str, Any]], given: Given) -> bool:
    known = {(row["id"], row["content"]) for row in chain.from_iterable(given["lists"])}
    return all((row["id"], row["content"]) in known for row in found)


def _each_once(rows: list[dict[str, Any]], choose: Any) -> list[dict[str, Any]]:
    return [choose([copy for copy in rows if copy["id"] == id]) for id in dict.fromkeys(row["id"] for row in rows)]


def _first(copies: list[dict[str, Any]]) -> dict[str, Any]:
    return copies[0]


def _best(copies: list[dict[str, Any]]) -> dict[str, Any]:
    return max(copies, key=lambda row: float("-inf") if row["score"] is None else row["score"])


JOINERS = Area("joiners", draw, ours, theirs, explain)
