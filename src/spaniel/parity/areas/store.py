"""The in-memory store: sequences of writes, deletions, updates and metadata requests."""

from typing import Any

from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.json_types import Json, JsonObject
from spaniel.parity.area import Area, Given, Outcome, outcome_of, same
from spaniel.parity.library import HAYSTACK, SPANIEL, Library, document_data
from spaniel.parity.random_data import KEYS, RandomData

IDS = ["d0", "d1", "d2", "d3"]


def _draw(rng: RandomData) -> Given:
    return {"calls": [_call(rng) for _ in range(rng.integer(1, 7))]}


def _call(rng: RandomData) -> list[Any]:
    kinds: JsonObject = {
        "write": lambda: [
            [{**row, "id": rng.choice(IDS)} for row in rng.documents(3)],
            rng.choice(["none", "skip", "overwrite", "fail"]),
        ],
        "delete_documents": lambda: [rng.subset([*IDS, "unknown"])],
        "update_by_filter": lambda: [rng.filter(), {"lang": "new", "more": rng.value()}],
        "delete_by_filter": lambda: [rng.filter()],
        "count_documents_by_filter": lambda: [rng.filter()],
        "count_unique_metadata_by_filter": lambda: [rng.filter(), rng.subset([*KEYS, "meta.lang"])],
        "get_metadata_fields_info": list,
        "get_metadata_field_min_max": lambda: [rng.choice(["year", "meta.n", "lang", "missing"])],
        "get_metadata_field_unique_values": lambda: [
            *(rng.choice(KEYS), rng.choice([None, "E", "2"]), rng.integer(0, 1), rng.integer(0, 3))
        ],
    }
    name = rng.choice(["write", "write", *kinds])
    return [name, *kinds[name]()]


def _run(given: Given, library: Library) -> Json:
    store = library.store()
    policies = library.get("document_stores.types.DuplicatePolicy")
    answers = []
    for name, *arguments in given["calls"]:
        if name == "write":
            rows, policy = arguments
            answer = outcome_of(store.write_documents, library.documents(rows), policies(policy))
        else:
            answer = outcome_of(getattr(store, name), *arguments)
        answers.append(answer.value if answer.error is None else type(answer.error).__name__)
    return [answers, document_data(store.filter_documents())]


def _explain(given: Given, our: Outcome, _: Outcome) -> str | None:
    """Explain a difference by writes that Haystack leaves half done, if it vanishes without them."""
    calls = list(given["calls"])
    store = InMemoryDocumentStore(shared=False)
    refused = set()
    for place, (name, *arguments) in enumerate(calls):
        if name == "write":
            rows, policy = arguments
            written = outcome_of(store.write_documents, SPANIEL.documents(rows), DuplicatePolicy(policy))
            refused |= {place} if written.error is not None else set()
        else:
            outcome_of(getattr(store, name), *arguments)
    others = [call for place, call in enumerate(calls) if place not in refused]
    answers, stored = _run({"calls": others}, HAYSTACK)
    for place in sorted(refused):
        answers.insert(place, "DuplicateDocumentError")
    return "all-or-nothing" if refused and same(our.value, [answers, stored]) else None


STORE = Area("store", _draw, _run, _explain)
