"""Windows around hits, and the text of one."""

from typing import Any

from spaniel.components.retrievers import SentenceWindowRetriever
from spaniel.dataclasses import Document
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.parity.area import Area, Given, Outcome
from spaniel.parity.chance import Chance
from spaniel.parity.reference import haystack

ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def draw(chance: Chance) -> Given:
    """Draw chunks of some sources, hits among them, and a size; each chunk is a piece of the alphabet."""
    rows = []
    for source in "st"[: chance.whole(1, 2)]:
        start = 0
        for number in chance.subset(range(8)):
            start = chance.whole(0, 20) if chance.maybe(0.1) else start
            length = chance.whole(0, 6)
            meta = {"source_id": source, "split_id": number, "split_idx_start": start}
            rows.append({"id": f"{source}{number}", "content": ALPHABET[start : start + length], "meta": meta})
            start = min(20, start + max(0, length - chance.whole(0, 2)))
    return {"chunks": rows, "hits": chance.some_of(range(len(rows)), 4), "window_size": chance.whole(0, 3)}


def ours(given: Given) -> Any:
    """Return the texts and the ids of Spaniel's windows."""
    return _windows(SentenceWindowRetriever, InMemoryDocumentStore, given, Document)


def theirs(given: Given) -> Any:
    """Return the texts and the ids of Haystack's windows."""
    retriever = haystack("components.retrievers.SentenceWindowRetriever")
    store = haystack("document_stores.in_memory.InMemoryDocumentStore")
    return _windows(retriever, store, given, haystack("Document"))


def _windows(retriever_class: Any, store_class: Any, given: Given, document: Any) -> Any:
    store = store_class(shared=False)
    store.write_documents([document(**row) for row in given["chunks"]])
    hits = [document(**given["chunks"][place]) for place in given["hits"]]
    found = retriever_class(store, given["window_size"]).run(hits)
    return [found["context_windows"], [each.id for each in found["context_documents"]]]


def explain(given: Given, our: Outcome, their: Outcome) -> str | None:
    """Explain that each character comes once in a window: its chunks say which characters there are."""
    if our.error is not None or their.error is not None or our.value[1] != their.value[1]:
        return None
    ids, texts = iter(our.value[1]), []
    for place in given["hits"]:
        hit = given["chunks"][place]["meta"]
        near = [row for row in given["chunks"] if _is_near(row["meta"], hit, given["window_size"])]
        assert {next(ids) for _ in near} == {row["id"] for row in near}  # noqa: S101 (the ids were compared)
        covered = {row["meta"]["split_idx_start"] + offset for row in near for offset in range(len(row["content"]))}
        texts.append("".join(ALPHABET[offset] for offset in sorted(covered)))
    return "piece-inside" if our.value[0] == texts else None


def _is_near(meta: dict[str, Any], hit: dict[str, Any], size: int) -> bool:
    distance: int = abs(meta["split_id"] - hit["split_id"])
    return meta["source_id"] == hit["source_id"] and distance <= size


WINDOWS = Area("windows", draw, ours, theirs, explain)
