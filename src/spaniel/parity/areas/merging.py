"""Auto-merging: hits on leaves, climbed up their tree."""

from typing import Any

from spaniel.components.preprocessors import HierarchicalDocumentSplitter
from spaniel.components.retrievers import AutoMergingRetriever
from spaniel.dataclasses import Document
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.parity.area import Area, Given, Outcome, outcome_of
from spaniel.parity.chance import Chance
from spaniel.parity.reference import haystack


def draw(chance: Chance) -> Given:
    """Draw a tree, the leaves that were found, and a threshold."""
    words = chance.whole(2, 30)
    return {
        "words": words,
        "block_sizes": chance.one_of([[8, 4], [9, 3], [16, 4, 2]]),
        "hits": chance.some_of(range(words), 8) if chance.maybe(0.3) else chance.subset(range(words))[:8],
        "parents": chance.some_of(range(4), 1) if chance.maybe(0.2) else [],
        "scored": chance.maybe(0.3),
        "root_stored": chance.maybe(0.9),
        "threshold": chance.one_of([0.1, 0.3, 0.5, 0.6, 0.9]),
    }


def _tree(given: Given) -> list[Document]:
    text = " ".join(f"w{number}" for number in range(given["words"]))
    splitter = HierarchicalDocumentSplitter(block_sizes=given["block_sizes"], split_by="word")
    return splitter.run([Document(content=text)])["documents"]


def _hits(given: Given, tree: list[Document]) -> list[dict[str, Any]]:
    leaves = [node for node in tree if not node.meta["__children_ids"] and node.meta["__parent_id"]]
    inner = [node for node in tree if node.meta["__children_ids"] and node.meta["__parent_id"]]
    chosen = [leaves[place] for place in given["hits"] if place < len(leaves)]
    chosen += [inner[place] for place in given["parents"] if place < len(inner)]
    scores = [1 / (2 + place) if given["scored"] else None for place in range(len(chosen))]
    return [{**node.to_dict(), "score": score} for node, score in zip(chosen, scores, strict=True)]


def _stored(given: Given, tree: list[Document]) -> list[dict[str, Any]]:
    return [node.to_dict() for node in tree if given["root_stored"] or node.meta["__parent_id"]]


def ours(given: Given) -> list[str]:
    """Return the ids of Spaniel's result."""
    tree = _tree(given)
    store = InMemoryDocumentStore(shared=False)
    store.write_documents([Document.from_dict(row) for row in _stored(given, tree)])
    hits = [Document.from_dict(row) for row in _hits(given, tree)]
    return [found.id for found in AutoMergingRetriever(store, given["threshold"]).run(hits)["documents"]]


def theirs(given: Given) -> list[str]:
    """Return the ids of Haystack's result."""
    tree = _tree(given)
    return _merged_by_haystack(_stored(given, tree), _hits(given, tree), given["threshold"])


def _merged_by_haystack(stored: list[dict[str, Any]], hits: list[dict[str, Any]], threshold: float) -> list[str]:
    document = haystack("Document")
    store = haystack("document_stores.in_memory.InMemoryDocumentStore")(shared=False)
    store.write_documents([document.from_dict(row) for row in stored])
    retriever = haystack("components.retrievers.AutoMergingRetriever")(store, threshold)
    return [found.id for found in retriever.run([document.from_dict(row) for row in hits])["documents"]]


def explain(given: Given, our: Outcome, _: Outcome) -> str | None:
    """Explain a difference by what is done once here: a hit, a text, and by the order that scores give."""
    if our.error is not None:
        return None
    tree = _tree(given)
    hits = _hits(given, tree)
    distinct = list({hit["id"]: hit for hit in hits}.values())
    nodes = [node.to_dict() for node in tree]
    if not given["root_stored"]:  # one that is stored, but that no hits are enough for
        nodes[0]["__children_ids"] = [*nodes[0]["__children_ids"], *map(str, range(1000))]
    wanted = outcome_of(_merged_by_haystack, nodes, distinct, given["threshold"])
    if wanted.error is not None:
        return None
    parents = {node.id: node.meta["__parent_id"] for node in tree}
    once = list(dict.fromkeys(wanted.value))
    outermost = [id for id in once if not _stands_in(id, once, parents)]
    if given["scored"]:
        return "parent-scores" if sorted(our.value) == sorted(outermost) else None
    if our.value != outermost:
        return None
    if len(distinct) < len(hits):
        return "leaf-twice"
    return "leaf-and-parent" if outermost != wanted.value else "climb-ends"


def _stands_in(id: str, others: list[str], parents: dict[str, str | None]) -> bool:
    above = parents.get(id)
    while above and above not in others:
        above = parents.get(above)
    return bool(above)


MERGING = Area("merging", draw, ours, theirs, explain)
