"""The in-memory store: sequences of writes, deletions, updates and metadata requests."""

from typing import Any

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


def _execute(store: Any, library: Library, name: str, *arguments: Any) -> Outcome:
    if name == "write":
        rows, policy = arguments
        policies = library.get("document_stores.types.DuplicatePolicy")
        return outcome_of(store.write_documents, library.documents(rows), policies(policy))
    return outcome_of(getattr(store, name), *arguments)


def _run(given: Given, library: Library) -> Json:
    store = library.store()
    answers = [_execute(store, library, *call) for call in given["calls"]]
    plain = [answer.value if answer.error is None else type(answer.error).__name__ for answer in answers]
    return [plain, document_data(store.filter_documents())]


def _explain(given: Given, our: Outcome, _: Outcome) -> str | None:
    """Explain a difference by writes that Haystack leaves half done."""
    calls, store = given["calls"], SPANIEL.store()
    failed = [_execute(store, SPANIEL, *call).error is not None and call[0] == "write" for call in calls]
    others = [call for call, has_failed in zip(calls, failed, strict=True) if not has_failed]
    answers, stored = _run({"calls": others}, HAYSTACK)
    for place, has_failed in enumerate(failed):
        if has_failed:
            answers.insert(place, "DuplicateDocumentError")
    return "all-or-nothing" if any(failed) and same(our.value, [answers, stored]) else None


STORE = Area("store", _draw, _run, _explain)
