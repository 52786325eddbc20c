"""Splitters by units, separators, headers, tables, code and block sizes, and cleaners."""

from collections.abc import Callable

from spaniel.components.preprocessors.csv_tables import TableFormat, read_table
from spaniel.json_types import Json, JsonObject
from spaniel.parity.area import Area, Given, Outcome, same
from spaniel.parity.library import SPANIEL, Library, document_data
from spaniel.parity.random_data import RandomData

BETWEEN = [" ", " ", "  ", "\n", "\n\n", ". ", "\f", "\t"]
_OUR_KEYS = {"__root_id", "__start", "__end"}
HEADERS = ["# One\n", "## Two\n", "### Three\n", "#no header\n", "```\n# code\n```\n", "text "]
CELLS = ["", "", "", "a", "b c", " ", '"x,y"', '"two\nlines"', '"say ""hi"""']
CODE = [
    "import os\n", "x = 1  # one\n", "# comment\n", "\n", 'def f():\n    """Says."""\n    return 1\n',
    "@made\ndef g(\n    a,\n):\n    pass\n", "class A(B):\n    x = 1\n\n    def m(self): pass\n\n    @made\n    def n(self):\n        pass\n",
]  # fmt: skip


def _draw_splitters(rng: RandomData) -> Given:
    kind = rng.choice(list(_SETTINGS))
    settings = _SETTINGS[kind](rng)
    documents = [{"content": _content(rng, kind), "meta": rng.meta()} for _ in range(rng.integer(1, 2))]
    return {"class": kind, "settings": settings, "documents": documents}


def _content(rng: RandomData, kind: str) -> str:
    if kind == "PythonCodeSplitter":
        return "".join(rng.choice(CODE) for _ in range(rng.integer(0, 8)))
    if kind.startswith("CSV"):
        width = rng.integer(3, 5)
        rows = [[rng.choice(CELLS) for _ in range(width)] for _ in range(rng.integer(0, 8))]
        return "".join(",".join(row) + "\n" for row in rows)
    between = [*BETWEEN, *(f"\n{header}" for header in HEADERS)] if kind == "MarkdownHeaderSplitter" else BETWEEN
    return rng.text(20, between=between)


def _by_units(rng: RandomData) -> JsonObject:
    length = rng.integer(0 if rng.flip(0.1) else 1, 6)
    return {
        "split_by": rng.choice(["word", "passage", "page", "line", "period"]),
        "split_length": length,
        "split_overlap": rng.integer(0, length if rng.flip(0.1) else max(0, length - 1)),
        "split_threshold": rng.integer(0, 4),
        "skip_empty_documents": rng.flip(),
    }


def _by_separators(rng: RandomData) -> JsonObject:
    length = rng.integer(1, 20)
    separators = rng.subset(["\n\n", "\n", ".", " ", "\f"])
    return {
        "split_length": length,
        "split_overlap": rng.integer(0, length - 1),
        "split_unit": rng.choice(["word", "char"]),
        "separators": separators or [" "],
    }


def _by_code(rng: RandomData) -> JsonObject:
    least = rng.integer(1, 3)
    return {
        "min_effective_lines": least,
        "max_effective_lines": rng.integer(1 if rng.flip(0.1) else least, 6),
        "expected_chars_per_line": rng.choice([10, 45]),
        "oversized_factor": rng.integer(1, 3),
        "strip_docstrings": rng.flip(),
        "preserve_class_definition": rng.flip(),
    }


_SETTINGS: dict[str, Callable[[RandomData], JsonObject]] = {
    "DocumentSplitter": _by_units,
    "RecursiveDocumentSplitter": _by_separators,
    "MarkdownHeaderSplitter": lambda rng: {
        "keep_headers": rng.flip(),
        "secondary_split": rng.choice([None, None, "word", "passage"]),
        "split_length": rng.integer(2, 10),
    },
    "DocumentCleaner": lambda rng: {
        "remove_empty_lines": rng.flip(),
        "remove_extra_whitespaces": rng.flip(),
        "remove_substrings": rng.choice([None, ["apple"]]),
        "remove_regex": rng.choice([None, r"\bp\w+"]),
        "keep_id": rng.flip(),
        "unicode_normalization": rng.choice([None, "NFC", "NFKD"]),
        "ascii_only": rng.flip(0.2),
    },
    "CSVDocumentSplitter": lambda rng: {
        "row_split_threshold": rng.integer(0 if rng.flip(0.1) else 1, 3),
        "column_split_threshold": rng.choice([None, 1, 2]),
        "split_mode": rng.choice(["threshold", "threshold", "row-wise"]),
    },
    "CSVDocumentCleaner": lambda rng: {
        "ignore_rows": rng.integer(0, 1),
        "ignore_columns": rng.integer(0, 2),
        "remove_empty_rows": rng.flip(),
        "remove_empty_columns": rng.flip(),
        "keep_id": rng.flip(),
    },
    "PythonCodeSplitter": _by_code,
}


def _run_splitters(given: Given, library: Library) -> Json:
    splitter = library.get(f"components.preprocessors.{given['class']}")(**given["settings"])
    return document_data(splitter.run(documents=library.documents(given["documents"]))["documents"])


def _explain_splitters(given: Given, our: Outcome, their: Outcome) -> str | None:
    """Explain that a table of ignored rows and columns only is unchanged."""
    if given["class"] != "CSVDocumentCleaner" or our.error is not None or their.error is not None:
        return None
    together = zip(given["documents"], our.value, their.value, strict=True)
    explained = all(
        same(one, other)
        or (one["content"] == document["content"] and _is_ignored(document["content"], given["settings"]))
        for document, one, other in together
    )
    return "ignored-only" if explained else None


def _is_ignored(text: str, settings: JsonObject) -> bool:
    filled = read_table(text, TableFormat(skip_blank_lines=True)).filled[settings.get("ignore_rows", 0) :]
    return not any(1 in cells[settings.get("ignore_columns", 0) :] for cells in filled)


SPLITTERS = Area("splitters", _draw_splitters, _run_splitters, _explain_splitters)


def _draw_trees(rng: RandomData) -> Given:
    return {
        "documents": [{"content": rng.text(20, between=BETWEEN), "meta": rng.meta()} for _ in range(rng.integer(1, 2))],
        "block_sizes": rng.subset([10, 7, 4, 2, 1]),
        "split_overlap": rng.choice([0, 0, 1]),
        "split_by": rng.choice(["word", "word", "period", "line", "passage"]),
    }


def _run_trees(given: Given, library: Library) -> Json:
    settings = {name: given[name] for name in ("block_sizes", "split_overlap", "split_by")}
    splitter = library.get("components.preprocessors.HierarchicalDocumentSplitter")(**settings)
    return document_data(splitter.run(library.documents(given["documents"]))["documents"])


def _explain_trees(given: Given, our: Outcome, their: Outcome) -> str | None:
    """Explain the offsets of nodes in their root, if they select the node's text."""
    if our.error is not None or their.error is not None:
        return None
    plain = [
        {**node, "meta": {key: node["meta"][key] for key in node["meta"].keys() - _OUR_KEYS}} for node in our.value
    ]
    texts = {root.id: root.content or "" for root in SPANIEL.documents(given["documents"])}
    placed = all(
        texts.get(node["meta"]["__root_id"], "")[node["meta"]["__start"] : node["meta"]["__end"]] == node["content"]
        for node in our.value
    )
    return "tree-offsets" if placed and same(plain, their.value) else None


TREES = Area("trees", _draw_trees, _run_trees, _explain_trees)
