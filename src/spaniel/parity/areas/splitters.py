"""Splitters that cut by units, by separators and by headers, and the cleaner."""

import importlib
from typing import Any

from spaniel.parity.area import Area, Given
from spaniel.parity.chance import Chance
from spaniel.parity.reference import haystack, our_documents, shown, their_documents

BETWEEN = [" ", " ", "  ", "\n", "\n\n", ". ", "\f", "\t"]
HEADERS = ["# One\n", "## Two\n", "### Three\n", "#no header\n", "```\n# code\n```\n", "text "]


def draw(chance: Chance) -> Given:
    """Draw a splitter, its settings, and texts."""
    kind = chance.one_of(list(_SETTINGS))
    between = [*BETWEEN, *(f"\n{header}" for header in HEADERS)] if kind == "MarkdownHeaderSplitter" else BETWEEN
    documents = [
        {"content": chance.text(20, between=between), "meta": chance.meta()} for _ in range(chance.whole(1, 2))
    ]
    return {"class": kind, "settings": _SETTINGS[kind](chance), "documents": documents}


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


_SETTINGS = {
    "DocumentSplitter": _by_units,
    "RecursiveDocumentSplitter": _by_separators,
    "MarkdownHeaderSplitter": _by_headers,
    "DocumentCleaner": _cleaning,
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


SPLITTERS = Area("splitters", draw, ours, theirs)
