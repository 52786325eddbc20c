"""Windows around hits, and their text."""

from spaniel.json_types import Json, JsonObject
from spaniel.parity.area import Area, Given, Outcome
from spaniel.parity.library import Library
from spaniel.parity.random_data import RandomData

ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def draw(rng: RandomData) -> Given:
    """Draw chunks of the alphabet by source, hits among them, and a window size."""
    rows = []
    for source in "st"[: rng.integer(1, 2)]:
        start = 0
        for number in rng.subset(range(8)):
            start = rng.integer(0, 20) if rng.flip(0.1) else start
            length = rng.integer(0, 6)
            meta = {"source_id": source, "split_id": number, "split_idx_start": start}
            rows.append({"id": f"{source}{number}", "content": ALPHABET[start : start + length], "meta": meta})
            start = min(20, start + max(0, length - rng.integer(0, 2)))
    return {"chunks": rows, "hits": rng.choices(range(len(rows)), 4), "window_size": rng.integer(0, 3)}


def run(given: Given, library: Library) -> Json:
    """Return the texts and the ids of the windows."""
    store = library.store()
    store.write_documents(library.documents(given["chunks"]))
    hits = library.documents([given["chunks"][place] for place in given["hits"]])
    found = library.get("components.retrievers.SentenceWindowRetriever")(store, given["window_size"]).run(hits)
    return [found["context_windows"], [each.id for each in found["context_documents"]]]


def explain(given: Given, our: Outcome, their: Outcome) -> str | None:
    """Explain that each character occurs once in a window, computed from the chunks' offsets."""
    if our.error is not None or their.error is not None or our.value[1] != their.value[1]:
        return None
    ids, texts = iter(our.value[1]), []
    for place in given["hits"]:
        hit = given["chunks"][place]["meta"]
        near = [row for row in given["chunks"] if _is_near(row["meta"], hit, given["window_size"])]
        assert {next(ids) for _ in near} == {row["id"] for row in near}  # noqa: S101 (the ids were compared above)
        covered = {row["meta"]["split_idx_start"] + offset for row in near for offset in range(len(row["content"]))}
        texts.append("".join(ALPHABET[offset] for offset in sorted(covered)))
    return "piece-inside" if our.value[0] == texts else None


def _is_near(meta: JsonObject, hit: JsonObject, size: int) -> bool:
    distance: int = abs(meta["split_id"] - hit["split_id"])
    return meta["source_id"] == hit["source_id"] and distance <= size


WINDOWS = Area("windows", draw, run, explain)
