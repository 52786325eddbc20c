"""Keyword and vector search: all variants, with filters and score scaling."""

from collections.abc import Iterable, Sequence
from typing import Any

from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.json_types import Json
from spaniel.parity.area import TOLERANCE, Area, Given, Outcome, agree, outcome_of, same
from spaniel.parity.library import HAYSTACK, Library
from spaniel.parity.random_data import WORDS, RandomData

SPELLINGS = ["Straße", "STRASSE", "ﬁne"]
_EPSILON = 1e-15
Ranking = list[tuple[str, float]]


def _ranking(documents: Iterable[Any]) -> Ranking:
    """Return ids and scores, best first; scores that differ by rounding only are sorted by id.

    Documents of exactly equal scores keep their order, which is compared.
    """
    groups = _groups([(document.id, float(document.score)) for document in documents])
    return [pair for group in groups for pair in (group if len({score for _, score in group}) == 1 else sorted(group))]


def _are_best_of(found: Ranking, every: Ranking, top_k: int) -> bool:
    scores = dict(every)
    best = [score for _, score in every][:top_k]
    return same([score for _, score in found], best) and all(same(score, scores.get(id)) for id, score in found)


def _groups(pairs: Sequence[tuple[str, float]]) -> list[Ranking]:
    groups: list[Ranking] = []
    for pair in pairs:
        if groups and abs(groups[-1][-1][1] - pair[1]) < TOLERANCE:
            groups[-1].append(pair)
        else:
            groups.append([pair])
    return groups


def _draw_keywords(rng: RandomData) -> Given:
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


def _search(given: Given, library: Library) -> list[Any]:
    store = library.store(bm25_algorithm=given["variant"], bm25_parameters=given["parameters"])
    store.write_documents(library.documents(given["documents"]))
    store.delete_documents(given["deleted"])
    found: list[Any] = store.bm25_retrieval(given["query"], given["filters"], given["top_k"], given["scale"])
    return found


def _explain_keywords(given: Given, our: Outcome, _: Outcome) -> str | None:
    """Explain a difference by documents without a query term, or by case folding."""
    texts = [given["query"], *(row["content"] for row in given["documents"])]
    spelled = any(word.casefold() != word.lower() for word in " ".join(texts).split())
    folded = _fold_case(given) if spelled else given
    expected = outcome_of(_sharing_a_term, folded)
    if isinstance(expected.error, ZeroDivisionError):
        almost = {**folded, "parameters": _nearly(given["parameters"])}
        wanted = outcome_of(_sharing_a_term, {**almost, "top_k": len(given["documents"])})
        if our.error is not None or wanted.error is not None:
            return None
        return "divisor-of-0" if _are_best_of(our.value, wanted.value, given["top_k"]) else None
    if not agree(our, expected):
        return None
    return "casefold" if spelled else "okapi-results"


def _nearly(parameters: dict[str, float]) -> dict[str, float]:
    """Return parameters next to those that divide by 0 in Haystack, with equal scores."""
    nearly = dict(parameters)
    if nearly.get("k1") == 0:
        nearly["k1"] = _EPSILON
    if nearly.get("b") == 1:
        nearly["b"] = 1 - _EPSILON
    return nearly


def _fold_case(given: Given) -> Given:
    rows = [{**row, "content": row["content"].casefold()} for row in given["documents"]]
    return {**given, "documents": rows, "query": given["query"].casefold()}


def _sharing_a_term(given: Given) -> Any:
    terms = InMemoryDocumentStore().tokenizer
    wanted = set(terms(given["query"]))
    every = _search({**given, "top_k": len(given["documents"])}, HAYSTACK)
    return _ranking([found for found in every if wanted & set(terms(found.content))][: given["top_k"]])


KEYWORDS = Area("keywords", _draw_keywords, lambda given, library: _ranking(_search(given, library)), _explain_keywords)


def _draw_embeddings(rng: RandomData) -> Given:
    size = rng.integer(1, 4)
    documents = [{**row, "embedding": None if rng.flip(0.2) else _vector(rng, size)} for row in rng.documents()]
    if documents and rng.flip(0.05):
        documents[0]["embedding"] = _vector(rng, size + 1)
    query: list[Any] = _vector(rng, size + 1 if rng.flip(0.05) else size)
    return {
        "documents": documents,
        "similarity": rng.choice(["dot_product", "cosine"]),
        "query": [int(number) for number in query] if rng.flip(0.1) else query,
        "filters": rng.filter() if rng.flip(0.3) else None,
        "top_k": rng.integer(0, 10),
        "scale": rng.flip(),
        "embeddings": rng.flip(),
    }


def _vector(rng: RandomData, size: int) -> list[float]:
    return [rng.number(-2, 2) for _ in range(size)]


def _run_embeddings(given: Given, library: Library) -> Json:
    store = library.store(embedding_similarity_function=given["similarity"])
    store.write_documents(library.documents(given["documents"]))
    found = store.embedding_retrieval(*(given[key] for key in ("query", "filters", "top_k", "scale", "embeddings")))
    return [_ranking(found), sorted([document.id, document.embedding] for document in found)]


def _explain_embeddings(given: Given, our: Outcome, _: Outcome) -> str | None:
    """Explain that integers are accepted as a query, with the result of equal floats."""
    if all(isinstance(number, float) for number in given["query"]):
        return None
    expected = outcome_of(_run_embeddings, {**given, "query": [float(number) for number in given["query"]]}, HAYSTACK)
    return "query-numbers" if agree(our, expected) else None


EMBEDDINGS = Area("embeddings", _draw_embeddings, _run_embeddings, _explain_embeddings)
