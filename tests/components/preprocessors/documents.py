"""Random documents for the splitters, built twice: for Spaniel and for the reference."""

from typing import Any

import haystack
from hypothesis import strategies as st

import spaniel

PARTS = [
    "a",
    "word",
    " ",
    "  ",
    ".",
    "...",
    "\n",
    "\n\n",
    "\n\n\n",
    "\f",
    "\f\f",
    "\r\n",
    "日本語",
    "。",
    "e\u0301",
    "é",
    "😀",
    "\u2028",
]

texts = st.lists(st.sampled_from(PARTS), max_size=40).map("".join)

values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "x", "日"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("pq"), inner, max_size=2),
    max_leaves=4,
)
keys = st.sampled_from(["title", "tags", "a.b", "source_id", "page_number", "split_id", "_split_overlap"])
fields = st.fixed_dictionaries(
    {"content": texts, "meta": st.dictionaries(keys, values, max_size=3)}, optional={"id": st.sampled_from(["1", "x"])}
)
many_fields = st.lists(fields, max_size=3)


def ours(many: list[dict[str, Any]]) -> list[spaniel.Document]:
    return [spaniel.Document(**spaniel.dataclasses.copying.copy_value(each)) for each in many]


def theirs(many: list[dict[str, Any]]) -> list[haystack.Document]:
    return [haystack.Document(**spaniel.dataclasses.copying.copy_value(each)) for each in many]


def plain(documents: list[Any]) -> list[dict[str, Any]]:
    """Return documents as data that compares field by field, the order of metadata keys included."""
    return [{**document.to_dict(flatten=False), "keys": list(document.meta)} for document in documents]
