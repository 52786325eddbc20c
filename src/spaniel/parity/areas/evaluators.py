"""Evaluators: what a result is worth."""

import importlib
from typing import Any

from spaniel.parity.area import Area, Given, Outcome
from spaniel.parity.chance import Chance
from spaniel.parity.reference import haystack, our_documents, their_documents

NAMES = ["DocumentMAPEvaluator", "DocumentMRREvaluator", "DocumentNDCGEvaluator", "DocumentRecallEvaluator"]


def draw(chance: Chance) -> Given:
    """Draw questions with what should be and what was found, an evaluator and its settings."""
    name = chance.one_of(NAMES)
    settings: dict[str, Any] = {
        "document_comparison_field": chance.one_of(
            ["content", "id", "meta.file", "score" if chance.maybe(0.3) else "id"]
        )
    }
    if name == "DocumentRecallEvaluator":
        settings["mode"] = chance.one_of(["single_hit", "multi_hit"])
    questions = chance.whole(0, 4)
    return {
        "class": name,
        "settings": settings,
        "truths": [_documents(chance) for _ in range(questions)],
        "retrieved": [_documents(chance) for _ in range(questions + (1 if chance.maybe(0.05) else 0))],
    }


def _documents(chance: Chance) -> list[dict[str, Any]]:
    kinds: list[list[float | None]] = [[None], [None], [0.0, 0.5, 1.0, 3.0], [None, 1.0]]
    scores = chance.one_of(kinds)
    return [
        {**row, "score": chance.one_of(scores), "meta": {"file": chance.one_of([None, "x", "y", 1, 1.0, True])}}
        for row in chance.scored(chance.one_of([0, 5, 5]))
    ]


def ours(given: Given) -> Any:
    """Return Spaniel's scores."""
    module = importlib.import_module("spaniel.components.evaluators")
    return _scores(getattr(module, given["class"]), given, our_documents)


def theirs(given: Given) -> Any:
    """Return Haystack's scores."""
    return _scores(haystack(f"components.evaluators.{given['class']}"), given, their_documents)


def _scores(evaluator_class: Any, given: Given, build: Any) -> Any:
    truths, retrieved = ([build(rows) for rows in given[key]] for key in ("truths", "retrieved"))
    found = evaluator_class(**given["settings"]).run(truths, retrieved)
    return [float(found["score"]), [float(score) for score in found["individual_scores"]]]


def explain(given: Given, our: Outcome, _: Outcome) -> str | None:
    """Explain that an unknown field is noticed even if there is no document that could have it."""
    unknown = given["settings"]["document_comparison_field"] == "score"
    return "comparison-field" if unknown and isinstance(our.error, ValueError) else None


EVALUATORS = Area("evaluators", draw, ours, theirs, explain)
