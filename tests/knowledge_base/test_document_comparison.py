"""Comparison of the documents of two stores."""

from collections import Counter
from datetime import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaniel import Document
from spaniel.dataclasses import ByteStream, SparseEmbedding
from spaniel.knowledge_base.document_comparison import compare, compute_digest

DOCUMENTS = st.dictionaries(st.text("abé\U0001f600z", max_size=3), st.sampled_from(["", "x", "y"])).map(
    lambda texts: [Document(id=f"i{id}", content=text) for id, text in texts.items()]
)


def in_order(documents: list[Document]) -> list[Document]:
    return sorted(documents, key=lambda document: document.id)


@given(DOCUMENTS, DOCUMENTS)
def test_lists_documents_that_are_not_in_both(one: list[Document], other: list[Document]) -> None:
    left, right = ({document.id: document.content for document in side} for side in (one, other))
    found = compare(in_order(one), in_order(other))
    assert set(found.first) == {id for id, _ in left.items() ^ right.items()}
    assert (found.differing, found.documents) == (len(found.first), len(one))
    assert (found.checksum == found.copied) == (left.items() <= right.items())


@given(DOCUMENTS, DOCUMENTS)
def test_other_documents_of_the_target_may_be_allowed(one: list[Document], other: list[Document]) -> None:
    ids = {document.id for document in one}
    both = in_order(one + [document for document in other if document.id not in ids])
    assert compare(in_order(one), both, allow_others=True).differing == 0


@given(DOCUMENTS)
def test_the_checksum_does_not_depend_on_the_order(documents: list[Document]) -> None:
    same = compare(in_order(documents), in_order(documents))
    assert same.checksum == same.copied == sum(map(compute_digest, documents)) % 2**128


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"content": "b"}, "its content differs"),
        ({"meta": {"n": 2}}, "its metadata differs"),
        ({"meta": {"n": 1.0}}, "its metadata differs"),
        ({"score": 1.5}, "its score differs"),
        ({"embedding": [1.0, 2.5]}, "its embedding differs"),
        ({"embedding": None, "content": None}, "its content, embedding differs"),
        ({"blob": ByteStream(b"x")}, "its blob differs"),
        ({"sparse_embedding": SparseEmbedding([1], [0.5])}, "its sparse embedding differs"),
    ],
)
def test_every_part_of_a_document_counts(changes, fault: str) -> None:
    one = Document(id="a", content="a", meta={"n": 1}, embedding=[1.0, 2.0])
    assert compare([one], [one.independent_copy(**changes)]).first == {"a": fault}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"meta": {"a": 1, "b": 2}}, {"meta": {"b": 2, "a": 1}}),
        ({"meta": {"when": datetime(2024, 5, 17)}}, {"meta": {"when": "2024-05-17T00:00:00"}}),  # noqa: DTZ001
        ({"meta": {"pair": (1, 2)}}, {"meta": {"pair": [1, 2]}}),
        ({"meta": {"n": float("nan")}}, {"meta": {"n": None}}),
        ({"meta": {"_routing": "x"}}, {}),
        ({"embedding": [0.1, 1 / 3]}, {"embedding": np.array([0.1, 1 / 3], np.float32).tolist()}),
        ({"meta": {"n": 2**70}}, {"meta": {"n": 2**70}}),
        ({"meta": {"half": "\ud800"}}, {"meta": {"half": "\ud800"}}),
    ],
)
def test_values_that_a_server_stores_alike_are_equal(one, other) -> None:
    assert compare([Document(id="a", **one)], [Document(id="a", **other)]).differing == 0


def test_of_very_many_ids_the_first_hundred_are_kept() -> None:
    found = compare([Document(id=f"{n:03}") for n in range(150)], [])
    assert (found.differing, len(found.first)) == (150, 100)


def test_reports_progress() -> None:
    calls: Counter[int] = Counter()
    compare([Document(id="a"), Document(id="b")], [], progress=lambda done: calls.update([done]))
    assert calls == {1: 1, 2: 1}
