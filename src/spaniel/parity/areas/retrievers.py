"""Auto-merging of hits on leaves into their ancestors, and windows around hits."""

from spaniel.components.preprocessors import HierarchicalDocumentSplitter
from spaniel.dataclasses import Document
from spaniel.json_types import Json, JsonObject
from spaniel.parity.area import Area, Given, Outcome, outcome_of
from spaniel.parity.library import HAYSTACK, Library
from spaniel.parity.random_data import RandomData

ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def _draw_merging(rng: RandomData) -> Given:
    words = rng.integer(2, 30)
    return {
        "words": words,
        "block_sizes": rng.choice([[8, 4], [9, 3], [16, 4, 2]]),
        "hits": rng.choices(range(words), 8) if rng.flip(0.3) else rng.subset(range(words))[:8],
        "parents": rng.choices(range(4), 1) if rng.flip(0.2) else [],
        "scored": rng.flip(0.3),
        "root_stored": rng.flip(0.9),
        "threshold": rng.choice([0.1, 0.3, 0.5, 0.6, 0.9]),
    }


def _tree(given: Given) -> list[Document]:
    text = " ".join(f"w{number}" for number in range(given["words"]))
    splitter = HierarchicalDocumentSplitter(block_sizes=given["block_sizes"], split_by="word")
    return splitter.run([Document(content=text)])["documents"]


def _hits(given: Given, tree: list[Document]) -> list[JsonObject]:
    leaves = [node for node in tree if not node.meta["__children_ids"] and node.meta["__parent_id"]]
    inner = [node for node in tree if node.meta["__children_ids"] and node.meta["__parent_id"]]
    chosen = [leaves[place] for place in given["hits"] if place < len(leaves)]
    chosen += [inner[place] for place in given["parents"] if place < len(inner)]
    scores = [1 / (2 + place) if given["scored"] else None for place in range(len(chosen))]
    return [{**node.to_dict(), "score": score} for node, score in zip(chosen, scores, strict=True)]


def _run_merging(given: Given, library: Library) -> Json:
    tree = _tree(given)
    stored = [node.to_dict() for node in tree if given["root_stored"] or node.meta["__parent_id"]]
    return _merge(library, stored, _hits(given, tree), given["threshold"])


def _merge(library: Library, stored: list[JsonObject], hits: list[JsonObject], threshold: float) -> list[str]:
    document, store = library.get("Document"), library.store()
    store.write_documents([document.from_dict(row) for row in stored])
    retriever = library.get("components.retrievers.AutoMergingRetriever")(store, threshold)
    return [found.id for found in retriever.run([document.from_dict(row) for row in hits])["documents"]]


def _explain_merging(given: Given, our: Outcome, _: Outcome) -> str | None:
    """Explain a difference by duplicate hits, nested results, or score order."""
    if our.error is not None:
        return None
    tree = _tree(given)
    hits = _hits(given, tree)
    distinct = list({hit["id"]: hit for hit in hits}.values())
    nodes = [node.to_dict() for node in tree]
    if not given["root_stored"]:  # a stored root that no hits are enough for
        nodes[0]["__children_ids"] = [*nodes[0]["__children_ids"], *map(str, range(1000))]
    wanted = outcome_of(_merge, HAYSTACK, nodes, distinct, given["threshold"])
    if wanted.error is not None:
        return None
    parents = {node.id: node.meta["__parent_id"] for node in tree}
    once = list(dict.fromkeys(wanted.value))
    outermost = [id for id in once if not _has_ancestor_in(id, once, parents)]
    if given["scored"]:
        return "parent-scores" if sorted(our.value) == sorted(outermost) else None
    if our.value != outermost:
        return None
    if len(distinct) < len(hits):
        return "leaf-twice"
    return "leaf-and-parent" if outermost != wanted.value else "climb-ends"


def _has_ancestor_in(id: str, others: list[str], parents: dict[str, str | None]) -> bool:
    above = parents.get(id)
    while above and above not in others:
        above = parents.get(above)
    return bool(above)


MERGING = Area("merging", _draw_merging, _run_merging, _explain_merging)


def _draw_windows(rng: RandomData) -> Given:
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


def _run_windows(given: Given, library: Library) -> Json:
    store = library.store()
    store.write_documents(library.documents(given["chunks"]))
    hits = library.documents([given["chunks"][place] for place in given["hits"]])
    found = library.get("components.retrievers.SentenceWindowRetriever")(store, given["window_size"]).run(hits)
    return [found["context_windows"], [each.id for each in found["context_documents"]]]


def _explain_windows(given: Given, our: Outcome, their: Outcome) -> str | None:
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


WINDOWS = Area("windows", _draw_windows, _run_windows, _explain_windows)
