"""The in-memory store: writes, deletions, updates and questions about metadata, one after another."""

from typing import Any

from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.types import DuplicatePolicy
from spaniel.parity.area import Area, Given, Outcome, outcome_of, same
from spaniel.parity.chance import KEYS, Chance
from spaniel.parity.reference import haystack, our_documents, shown, their_documents

IDS = ["d0", "d1", "d2", "d3"]


def draw(chance: Chance) -> Given:
    """Draw what is done to a store, in turn."""
    return {"calls": [_call(chance) for _ in range(chance.whole(1, 7))]}


def _call(chance: Chance) -> list[Any]:
    kinds: dict[str, Any] = {
        "write": lambda: [
            [{**row, "id": chance.one_of(IDS)} for row in chance.documents(3)],
            chance.one_of(["none", "skip", "overwrite", "fail"]),
        ],
        "delete_documents": lambda: [chance.subset([*IDS, "unknown"])],
        "update_by_filter": lambda: [chance.filter(), {"lang": "new", "more": chance.value()}],
        "delete_by_filter": lambda: [chance.filter()],
        "count_documents_by_filter": lambda: [chance.filter()],
        "count_unique_metadata_by_filter": lambda: [chance.filter(), chance.subset([*KEYS, "meta.lang"])],
        "get_metadata_fields_info": list,
        "get_metadata_field_min_max": lambda: [chance.one_of(["year", "meta.n", "lang", "missing"])],
        "get_metadata_field_unique_values": lambda: [
            chance.one_of(KEYS),
            chance.one_of([None, "E", "2"]),
            chance.whole(0, 1),
            chance.whole(0, 3),
        ],
    }
    name = chance.one_of(["write", "write", *kinds])
    return [name, *kinds[name]()]


def ours(given: Given) -> Any:
    """Return what Spaniel answers to each call, and what is in the store at the end."""
    return _done(InMemoryDocumentStore(shared=False), given, our_documents, DuplicatePolicy)


def theirs(given: Given) -> Any:
    """Return what Haystack answers to each call, and what is in the store at the end."""
    return _done(_haystack_store(), given, their_documents, haystack("document_stores.types.DuplicatePolicy"))


def _haystack_store() -> Any:
    return haystack("document_stores.in_memory.InMemoryDocumentStore")(shared=False)


def _done(store: Any, given: Given, build: Any, policies: Any) -> Any:
    answers = []
    for name, *arguments in given["calls"]:
        if name == "write":
            rows, policy = arguments
            answer = outcome_of(store.write_documents, build(rows), policies(policy))
        else:
            answer = outcome_of(getattr(store, name), *arguments)
        answers.append(_plain(answer))
    return [answers, shown(store.filter_documents())]


def _plain(answer: Outcome) -> Any:
    return answer.value if answer.error is None else type(answer.error).__name__


def explain(given: Given, our: Outcome, _: Outcome) -> str | None:
    """Explain a difference by writes that Haystack leaves half done, if it would be the same without them."""
    calls = list(given["calls"])
    store = InMemoryDocumentStore(shared=False)
    refused = set()
    for place, (name, *arguments) in enumerate(calls):
        if name == "write":
            rows, policy = arguments
            written = outcome_of(store.write_documents, our_documents(rows), DuplicatePolicy(policy))
            refused |= {place} if written.error is not None else set()
        else:
            outcome_of(getattr(store, name), *arguments)
    others = [call for place, call in enumerate(calls) if place not in refused]
    answers, stored = theirs({"calls": others})
    for place in sorted(refused):
        answers.insert(place, "DuplicateDocumentError")
    return "all-or-nothing" if refused and same(our.value, [answers, stored]) else None


STORE = Area("store", draw, ours, theirs, explain)
