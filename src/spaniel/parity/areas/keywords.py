"""Keyword search: all BM25 variants and parameters, with filters and score scaling."""

from typing import Any

from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.json_types import Json
from spaniel.parity.area import Area, Given, Outcome, agree, outcome_of
from spaniel.parity.areas.rankings import are_best_of, ranking
from spaniel.parity.library import HAYSTACK, Library
from spaniel.parity.random_data import WORDS, RandomData

SPELLINGS = ["Straße", "STRASSE", "ﬁne"]
_EPSILON = 1e-15


def draw(rng: RandomData) -> Given:
    """Draw documents, some of them deleted, settings and a query."""
    words = WORDS + SPELLINGS if rng.flip(0.1) else WORDS
    documents = [{**row, "content": rng.text(12, words)} for row in rng.documents()]
    variant = rng.choice(["BM25Okapi", "BM25L", "BM25Plus"])
    third = "epsilon" if variant == "BM25Okapi" else "delta"
    parameters = {"k1": rng.number(0, 3), "b": rng.number(0, 1), third: rng.number(0, 2)}
    return {
        "documents": documents,
        "deleted": rng.choices([row["id"] for row in documents], 2),
        "variant": variant,
        "parameters": {name: parameters[name] for name in rng.subset(list(parameters))},
        "query": rng.text(4, words),
        "filters": rng.filter() if rng.flip(0.3) else None,
        "top_k": rng.integer(0, 10),
        "scale": rng.flip(),
    }


def run(given: Given, library: Library) -> Json:
    """Return the ranking."""
    return ranking(_search(given, library))


def _search(given: Given, library: Library) -> list[Any]:
    store = library.store(bm25_algorithm=given["variant"], bm25_parameters=given["parameters"])
    store.write_documents(library.documents(given["documents"]))
    store.delete_documents(given["deleted"])
    found: list[Any] = store.bm25_retrieval(given["query"], given["filters"], given["top_k"], given["scale"])
    return found


def explain(given: Given, our: Outcome, _: Outcome) -> str | None:
    """Explain a difference by documents without a query term, or by case folding."""
    spelled = any(word.casefold() != word.lower() for word in _all_text(given).split())
    folded = _fold_case(given) if spelled else given
    expected = outcome_of(_sharing_a_term, folded)
    if isinstance(expected.error, ZeroDivisionError):
        almost = {**folded, "parameters": _nearly(given["parameters"])}
        wanted = outcome_of(_sharing_a_term, {**almost, "top_k": len(given["documents"])})
        if our.error is not None or wanted.error is not None:
            return None
        return "divisor-of-0" if are_best_of(our.value, wanted.value, given["top_k"]) else None
    if not agree(our, expected):
        return None
    return "casefold" if spelled else "okapi-results"


def _nearly(parameters: dict[str, float]) -> dict[str, float]:
    """Return parameters next to those that divide by 0 in Haystack; scores are equal within the tolerance."""
    nearly = dict(parameters)
    if nearly.get("k1") == 0:
        nearly["k1"] = _EPSILON
    if nearly.get("b") == 1:
        nearly["b"] = 1 - _EPSILON
    return nearly


def _all_text(given: Given) -> str:
    return " ".join([given["query"], *(row["content"] for row in given["documents"])])


def _fold_case(given: Given) -> Given:
    rows = [{**row, "content": row["content"].casefold()} for row in given["documents"]]
    return {**given, "documents": rows, "query": given["query"].casefold()}


def _sharing_a_term(given: Given) -> Any:
    terms = InMemoryDocumentStore().tokenizer
    wanted = set(terms(given["query"]))
    every = _search({**given, "top_k": len(given["documents"])}, HAYSTACK)
    return ranking([found for found in every if wanted & set(terms(found.content))][: given["top_k"]])


KEYWORDS = Area("keywords", draw, run, explain)
