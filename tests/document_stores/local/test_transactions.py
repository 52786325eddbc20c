"""Calls grouped in transactions leave the store as the same calls leave a new one."""

import os

import pytest

from spaniel import Document
from spaniel.document_stores.local import LocalDocumentStore
from tests.document_stores.local.faults import workload
from tests.document_stores.local.processes import another_process

HISTORIES = int(os.environ.get("SPANIEL_HISTORIES", "40"))
FIRST = int(os.environ.get("SPANIEL_FIRST_HISTORY", "0"))


@pytest.mark.parametrize("seed", range(FIRST, FIRST + HISTORIES))
def test_random_transactions_equal_single_calls(tmp_path, seed):
    kinds = {"transaction": 6, "write": 2, "bulk": 1, "clear": 0.5, "reopen": 1, "rebuild": 0.5, "compact": 0.5}
    steps = workload.steps(seed, 8, kinds)
    with workload.small_limits():
        store, state = LocalDocumentStore(tmp_path / "kb"), {}
        reader = another_process(tmp_path / "kb")
        for step in steps:
            store = workload.apply(store, step)
            state = workload.after(state, step)
            assert store.filter_documents() == list(state.values()), step.kind
            expected = workload.answers(workload.fresh(state.values()))
            assert workload.answers(store) == expected, step.kind
            assert workload.answers(reader) == expected, step.kind
        assert store.check() == []
        reader.close()
        store.close()
        workload.verify(tmp_path / "kb", [state], f"seed {seed}")


def documents(first: int, last: int, word: str = "apple") -> list[Document]:
    return [Document(id=f"d{number}", content=f"{word} n{number}") for number in range(first, last)]


@pytest.mark.parametrize("size", [10, 59, 60, 61, 200])
@pytest.mark.parametrize("cleared", ["before", "after", "between"])
def test_a_transaction_that_clears_keeps_only_later_writes(tmp_path, size, cleared):
    with workload.small_limits(), LocalDocumentStore(tmp_path / "kb") as store:
        store.write_documents(documents(1000, 1100, "old apple"))
        with store.transaction():
            if cleared != "before":
                store.write_documents(documents(0, size))
            store.delete_all_documents()
            if cleared != "after":
                store.write_documents(documents(5000, 5000 + size))
        kept = [] if cleared == "after" else documents(5000, 5000 + size)
        fresh = workload.fresh(kept)
        assert store.bm25_retrieval("old") == []
        for query in ("apple", "n5003"):
            assert store.bm25_retrieval(query, top_k=500) == fresh.bm25_retrieval(query, top_k=500)
        assert store.search_statistics() == fresh.search_statistics()
        assert store.check() == []
