"""The hierarchical splitter: trees of nodes of several sizes."""

from spaniel.json_types import Json
from spaniel.parity.area import Area, Given, Outcome, same
from spaniel.parity.areas.splitters import BETWEEN
from spaniel.parity.library import SPANIEL, Library, document_data
from spaniel.parity.random_data import RandomData

_OURS = ("__root_id", "__start", "__end")


def draw(rng: RandomData) -> Given:
    """Draw texts and settings."""
    return {
        "documents": [{"content": rng.text(20, between=BETWEEN), "meta": rng.meta()} for _ in range(rng.integer(1, 2))],
        "block_sizes": rng.subset([10, 7, 4, 2, 1]),
        "split_overlap": rng.choice([0, 0, 1]),
        "split_by": rng.choice(["word", "word", "period", "line", "passage"]),
    }


def run(given: Given, library: Library) -> Json:
    """Return the nodes."""
    settings = {name: given[name] for name in ("block_sizes", "split_overlap", "split_by")}
    splitter = library.get("components.preprocessors.HierarchicalDocumentSplitter")(**settings)
    return document_data(splitter.run(library.documents(given["documents"]))["documents"])


def explain(given: Given, our: Outcome, their: Outcome) -> str | None:
    """Explain the offsets of nodes in their root: they must select the node's text, all else must equal Haystack's."""
    if our.error is not None or their.error is not None:
        return None
    plain = [
        {**node, "meta": {key: node["meta"][key] for key in node["meta"] if key not in _OURS}} for node in our.value
    ]
    texts = {root.id: root.content or "" for root in SPANIEL.documents(given["documents"])}
    placed = all(
        texts.get(node["meta"]["__root_id"], "")[node["meta"]["__start"] : node["meta"]["__end"]] == node["content"]
        for node in our.value
    )
    return "tree-offsets" if placed and same(plain, their.value) else None


TREES = Area("trees", draw, run, explain)
