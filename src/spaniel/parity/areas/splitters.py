"""Splitters that cut by units, by separators, by headers, between tables and within code, and the cleaners."""

import importlib
from typing import Any

from spaniel.components.preprocessors.csv_tables import TableFormat, read_table
from spaniel.parity.area import Area, Given, Outcome, same
from spaniel.parity.chance import Chance
from spaniel.parity.reference import haystack, our_documents, shown, their_documents

BETWEEN = [" ", " ", "  ", "\n", "\n\n", ". ", "\f", "\t"]
HEADERS = ["# One\n", "## Two\n", "### Three\n", "#no header\n", "```\n# code\n```\n", "text "]

CELLS = ["", "", "", "a", "b c", " ", '"x,y"', '"two\nlines"', '"say ""hi"""']
CODE = [
    "import os\n", "x = 1  # one\n", "# comment\n", "\n", 'def f():\n    """Says."""\n    return 1\n',
    "@made\ndef g(\n    a,\n):\n    pass\n", "class A(B):\n    x = 1\n\n    def m(self): pass\n\n    @made\n    def n(self):\n        pass\n",
]  # fmt: skip


def draw(chance: Chance) -> Given:
    """Draw a splitter, its settings, and texts."""
    kind = chance.one_of(list(_SETTINGS))
    settings = _SETTINGS[kind](chance)
    documents = [{"content": _content(chance, kind), "meta": chance.meta()} for _ in range(chance.whole(1, 2))]
    return {"class": kind, "settings": settings, "documents": documents}


def _content(chance: Chance, kind: str) -> str:
    if kind == "PythonCodeSplitter":
        return "".join(chance.one_of(CODE) for _ in range(chance.whole(0, 8)))
    if kind.startswith("CSV"):
        width = chance.whole(3, 5)
        rows = [[chance.one_of(CELLS) for _ in range(width)] for _ in range(chance.whole(0, 8))]
        return "".join(",".join(row) + "\n" for row in rows)
    between = [*BETWEEN, *(f"\n{header}" for header in HEADERS)] if kind == "MarkdownHeaderSplitter" else BETWEEN
    return chance.text(20, between=between)


def _by_units(chance: Chance) -> dict[str, Any]:
    length = chance.whole(0 if chance.maybe(0.1) else 1, 6)
    return {
        "split_by": chance.one_of(["word", "passage", "page", "line", "period"]),
        "split_length": length,
        "split_overlap": chance.whole(0, length if chance.maybe(0.1) else max(0, length - 1)),
        "split_threshold": chance.whole(0, 4),
        "skip_empty_documents": chance.maybe(),
    }


def _by_separators(chance: Chance) -> dict[str, Any]:
    length = chance.whole(1, 20)
    separators = chance.subset(["\n\n", "\n", ".", " ", "\f"])
    return {
        "split_length": length,
        "split_overlap": chance.whole(0, length - 1),
        "split_unit": chance.one_of(["word", "char"]),
        "separators": separators or [" "],
    }


def _by_headers(chance: Chance) -> dict[str, Any]:
    return {
        "keep_headers": chance.maybe(),
        "secondary_split": chance.one_of([None, None, "word", "passage"]),
        "split_length": chance.whole(2, 10),
    }


def _cleaning(chance: Chance) -> dict[str, Any]:
    return {
        "remove_empty_lines": chance.maybe(),
        "remove_extra_whitespaces": chance.maybe(),
        "remove_substrings": chance.one_of([None, ["apple"]]),
        "remove_regex": chance.one_of([None, r"\bp\w+"]),
        "keep_id": chance.maybe(),
        "unicode_normalization": chance.one_of([None, "NFC", "NFKD"]),
        "ascii_only": chance.maybe(0.2),
    }


def _by_tables(chance: Chance) -> dict[str, Any]:
    return {
        "row_split_threshold": chance.whole(0 if chance.maybe(0.1) else 1, 3),
        "column_split_threshold": chance.one_of([None, 1, 2]),
        "split_mode": chance.one_of(["threshold", "threshold", "row-wise"]),
    }


def _cleaning_tables(chance: Chance) -> dict[str, Any]:
    return {
        "ignore_rows": chance.whole(0, 1),
        "ignore_columns": chance.whole(0, 2),
        "remove_empty_rows": chance.maybe(),
        "remove_empty_columns": chance.maybe(),
        "keep_id": chance.maybe(),
    }


def _by_code(chance: Chance) -> dict[str, Any]:
    least = chance.whole(1, 3)
    return {
        "min_effective_lines": least,
        "max_effective_lines": chance.whole(1 if chance.maybe(0.1) else least, 6),
        "expected_chars_per_line": chance.one_of([10, 45]),
        "oversized_factor": chance.whole(1, 3),
        "strip_docstrings": chance.maybe(),
        "preserve_class_definition": chance.maybe(),
    }


_SETTINGS = {
    "DocumentSplitter": _by_units,
    "RecursiveDocumentSplitter": _by_separators,
    "MarkdownHeaderSplitter": _by_headers,
    "DocumentCleaner": _cleaning,
    "CSVDocumentSplitter": _by_tables,
    "CSVDocumentCleaner": _cleaning_tables,
    "PythonCodeSplitter": _by_code,
}


def ours(given: Given) -> Any:
    """Return Spaniel's chunks."""
    module = importlib.import_module("spaniel.components.preprocessors")
    return _chunks(getattr(module, given["class"]), given, our_documents)


def theirs(given: Given) -> Any:
    """Return Haystack's chunks."""
    return _chunks(haystack(f"components.preprocessors.{given['class']}"), given, their_documents)


def _chunks(splitter_class: Any, given: Given, build: Any) -> Any:
    splitter = splitter_class(**given["settings"])
    return shown(splitter.run(documents=build(given["documents"]))["documents"])


def explain(given: Given, our: Outcome, their: Outcome) -> str | None:
    """Explain that a table with nothing besides the ignored rows and columns stays as it is."""
    if given["class"] != "CSVDocumentCleaner" or our.error is not None or their.error is not None:
        return None
    together = zip(given["documents"], our.value, their.value, strict=True)
    explained = all(
        same(one, other)
        or (one["content"] == document["content"] and _is_ignored(document["content"], given["settings"]))
        for document, one, other in together
    )
    return "ignored-only" if explained else None


def _is_ignored(text: str, settings: dict[str, Any]) -> bool:
    filled = read_table(text, TableFormat(skip_blank_lines=True)).filled[settings.get("ignore_rows", 0) :]
    return not any(1 in cells[settings.get("ignore_columns", 0) :] for cells in filled)


SPLITTERS = Area("splitters", draw, ours, theirs, explain)
