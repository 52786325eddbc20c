"""The splitter that makes a tree: nodes of several sizes, each with its parent and children."""

from typing import Any

from spaniel.components.preprocessors import HierarchicalDocumentSplitter
from spaniel.parity.area import Area, Given, Outcome, same
from spaniel.parity.areas.splitters import BETWEEN
from spaniel.parity.chance import Chance
from spaniel.parity.reference import haystack, our_documents, shown, their_documents

_OURS = ("__root_id", "__start", "__end")


def draw(chance: Chance) -> Given:
    """Draw texts, and how they are cut."""
    return {
        "documents": [
            {"content": chance.text(20, between=BETWEEN), "meta": chance.meta()} for _ in range(chance.whole(1, 2))
        ],
        "block_sizes": chance.subset([10, 7, 4, 2, 1]),
        "split_overlap": chance.one_of([0, 0, 1]),
        "split_by": chance.one_of(["word", "word", "period", "line", "passage"]),
    }


def ours(given: Given) -> Any:
    """Return Spaniel's nodes."""
    return _nodes(HierarchicalDocumentSplitter, given, our_documents)


def theirs(given: Given) -> Any:
    """Return Haystack's nodes."""
    return _nodes(haystack("components.preprocessors.HierarchicalDocumentSplitter"), given, their_documents)


def _nodes(splitter_class: Any, given: Given, build: Any) -> Any:
    splitter = splitter_class(
        block_sizes=given["block_sizes"], split_overlap=given["split_overlap"], split_by=given["split_by"]
    )
    return shown(splitter.run(build(given["documents"]))["documents"])


def explain(given: Given, our: Outcome, their: Outcome) -> str | None:
    """Explain that nodes say where they stand in the root: the text there must be theirs, all else Haystack's."""
    if our.error is not None or their.error is not None:
        return None
    plain = [
        {**node, "meta": {key: node["meta"][key] for key in node["meta"] if key not in _OURS}} for node in our.value
    ]
    texts = {root.id: root.content or "" for root in our_documents(given["documents"])}
    placed = all(
        texts.get(node["meta"]["__root_id"], "")[node["meta"]["__start"] : node["meta"]["__end"]] == node["content"]
        for node in our.value
    )
    return "tree-offsets" if placed and same(plain, their.value) else None


TREES = Area("trees", draw, ours, theirs, explain)
