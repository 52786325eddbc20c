"""Keyword search: all three variants of BM25, any parameters, filters, scaled or not."""

from typing import Any

from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.parity.area import Area, Given, Outcome, agree, outcome_of
from spaniel.parity.areas.rankings import are_best_of, ranking
from spaniel.parity.chance import WORDS, Chance
from spaniel.parity.reference import haystack, our_documents, their_documents

SPELLINGS = ["Straße", "STRASSE", "ﬁne"]
_VERY_LITTLE = 1e-15


def draw(chance: Chance) -> Given:
    """Draw documents, some deleted again, settings and a query."""
    words = WORDS + SPELLINGS if chance.maybe(0.1) else WORDS
    documents = [{**row, "content": chance.text(12, words)} for row in chance.documents()]
    variant = chance.one_of(["BM25Okapi", "BM25L", "BM25Plus"])
    third = "epsilon" if variant == "BM25Okapi" else "delta"
    parameters = {"k1": chance.real(0, 3), "b": chance.real(0, 1), third: chance.real(0, 2)}
    return {
        "documents": documents,
        "deleted": chance.some_of([row["id"] for row in documents], 2),
        "variant": variant,
        "parameters": {name: parameters[name] for name in chance.subset(list(parameters))},
        "query": chance.text(4, words),
        "filters": chance.filter() if chance.maybe(0.3) else None,
        "top_k": chance.whole(0, 10),
        "scale": chance.maybe(),
    }


def ours(given: Given) -> Any:
    """Return ids and scores of Spaniel's search."""
    return ranking(_found(InMemoryDocumentStore, given, our_documents))


def theirs(given: Given) -> Any:
    """Return ids and scores of Haystack's search."""
    return ranking(_their_documents(given))


def _their_documents(given: Given) -> list[Any]:
    store: Any = haystack("document_stores.in_memory.InMemoryDocumentStore")
    return _found(store, given, their_documents)


def _found(store_class: Any, given: Given, build: Any) -> list[Any]:
    store = store_class(bm25_algorithm=given["variant"], bm25_parameters=given["parameters"], shared=False)
    store.write_documents(build(given["documents"]))
    store.delete_documents(given["deleted"])
    found: list[Any] = store.bm25_retrieval(given["query"], given["filters"], given["top_k"], given["scale"])
    return found


def explain(given: Given, our: Outcome, _: Outcome) -> str | None:
    """Explain a difference by documents that share no term with the query, or by spellings of one word."""
    spelled = any(word.casefold() != word.lower() for word in _all_text(given).split())
    folded = _folded(given) if spelled else given
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
    """Return parameters next to those by which Haystack divides by 0; scores are the same to within the tolerance."""
    nearly = dict(parameters)
    if nearly.get("k1") == 0:
        nearly["k1"] = _VERY_LITTLE
    if nearly.get("b") == 1:
        nearly["b"] = 1 - _VERY_LITTLE
    return nearly


def _all_text(given: Given) -> str:
    return " ".join([given["query"], *(row["content"] for row in given["documents"])])


def _folded(given: Given) -> Given:
    rows = [{**row, "content": row["content"].casefold()} for row in given["documents"]]
    return {**given, "documents": rows, "query": given["query"].casefold()}


def _sharing_a_term(given: Given) -> Any:
    terms = InMemoryDocumentStore().tokenizer
    wanted = set(terms(given["query"]))
    every = _their_documents({**given, "top_k": len(given["documents"])})
    return ranking([found for found in every if wanted & set(terms(found.content))][: given["top_k"]])


KEYWORDS = Area("keywords", draw, ours, theirs, explain)
