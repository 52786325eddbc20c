"""Evaluators of retrieval results."""

from spaniel.json_types import Json, JsonObject
from spaniel.parity.area import Area, Given, Outcome
from spaniel.parity.library import Library
from spaniel.parity.random_data import RandomData

NAMES = ["DocumentMAPEvaluator", "DocumentMRREvaluator", "DocumentNDCGEvaluator", "DocumentRecallEvaluator"]


def _draw(rng: RandomData) -> Given:
    name = rng.choice(NAMES)
    settings: JsonObject = {
        "document_comparison_field": rng.choice(["content", "id", "meta.file", "score" if rng.flip(0.3) else "id"])
    }
    if name == "DocumentRecallEvaluator":
        settings["mode"] = rng.choice(["single_hit", "multi_hit"])
    queries = rng.integer(0, 4)
    return {
        "class": name,
        "settings": settings,
        "judgments": [_documents(rng) for _ in range(queries)],
        "retrieved": [_documents(rng) for _ in range(queries + (1 if rng.flip(0.05) else 0))],
    }


def _documents(rng: RandomData) -> list[JsonObject]:
    kinds: list[list[float | None]] = [[None], [None], [0.0, 0.5, 1.0, 3.0], [None, 1.0]]
    scores = rng.choice(kinds)
    return [
        {**row, "score": rng.choice(scores), "meta": {"file": rng.choice([None, "x", "y", 1, 1.0, True])}}
        for row in rng.documents_with_scores(rng.choice([0, 5, 5]))
    ]


def _run(given: Given, library: Library) -> Json:
    judgments, retrieved = ([library.documents(rows) for rows in given[key]] for key in ("judgments", "retrieved"))
    evaluator = library.get(f"components.evaluators.{given['class']}")(**given["settings"])
    found = evaluator.run(judgments, retrieved)
    return [float(found["score"]), [float(score) for score in found["individual_scores"]]]


def _explain(given: Given, our: Outcome, _: Outcome) -> str | None:
    """Explain that an unknown field is an error even without documents."""
    unknown = given["settings"]["document_comparison_field"] == "score"
    return "comparison-field" if unknown and isinstance(our.error, ValueError) else None


EVALUATORS = Area("evaluators", _draw, _run, _explain)
