import asyncio
import contextvars
import io
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from typing import Any

import numpy as np
import pytest

import spaniel
from spaniel import Document
from spaniel.components.retrievers import (
    AutoMergingRetriever,
    FilterRetriever,
    RecursiveRetriever,
    SentenceWindowRetriever,
)
from spaniel.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.testing import CountingStore
from spaniel.tracing import current_trace

DOCS = [
    Document(id="a", content="red apple", embedding=[1.0, 0.0], meta={"name": "a", "links": ["b", date(2024, 5, 1)], "path": "a.md", "section": ["Fruit"]}),
    Document(id="b", content="blue sky", embedding=[0.0, 1.0], meta={"name": "b", "source_id": "s", "split_id": 0}),
]  # fmt: skip


def store() -> InMemoryDocumentStore:
    kept = InMemoryDocumentStore()
    kept.write_documents(DOCS)
    return kept


def names(trace: spaniel.Trace) -> list[str]:
    return [stage.name for stage in trace.stages]


# --- where a trace is open ------------------------------------------------------------------------


def test_no_trace_is_open_by_default():
    assert current_trace() is None


def test_every_retriever_writes_a_stage_in_the_order_of_the_runs():
    kept = store()
    with spaniel.trace() as t:
        hits = InMemoryBM25Retriever(kept).run("apple")["documents"]
        InMemoryEmbeddingRetriever(kept).run([1.0, 0.0])
        FilterRetriever(kept).run()
        AutoMergingRetriever(kept).run([])
        SentenceWindowRetriever(kept).run([DOCS[1]])
        RecursiveRetriever(kept, "name", ["links"]).run(hits)
    assert names(t) == [
        "InMemoryBM25Retriever",
        "InMemoryEmbeddingRetriever",
        "FilterRetriever",
        "AutoMergingRetriever",
        "SentenceWindowRetriever",
        "RecursiveRetriever",
    ]
    assert [len(stage.results) for stage in t.stages] == [1, 2, 2, 0, 1, 2]


def test_nothing_is_written_after_the_block():
    with spaniel.trace() as t:
        pass
    FilterRetriever(store()).run()
    assert t.stages == []


def test_an_inner_trace_takes_over_and_gives_back():
    retriever = FilterRetriever(store())
    with spaniel.trace() as outer:
        retriever.run()
        with spaniel.trace() as inner:
            retriever.run()
            retriever.run()
        retriever.run()
    assert (len(outer.stages), len(inner.stages)) == (2, 2)


def test_an_error_inside_the_block_closes_the_trace():
    with pytest.raises(RuntimeError), spaniel.trace():
        raise RuntimeError
    assert current_trace() is None


async def test_a_trace_follows_into_tasks():
    retriever = FilterRetriever(store())
    with spaniel.trace() as t:
        await asyncio.gather(*(retriever.run_async() for _ in range(5)))
    assert len(t.stages) == 5
    assert all(len(stage.requests) == 1 and len(stage.results) == 2 for stage in t.stages)


async def test_traces_of_two_tasks_do_not_mix():
    retriever = FilterRetriever(store())

    async def search(times: int) -> spaniel.Trace:
        with spaniel.trace() as t:
            for _ in range(times):
                await retriever.run_async()
        return t

    first, second = await asyncio.gather(search(1), search(3))
    assert (len(first.stages), len(second.stages)) == (1, 3)


async def test_a_trace_follows_into_to_thread():
    with spaniel.trace() as t:
        await asyncio.to_thread(FilterRetriever(store()).run)
    assert len(t.stages) == 1


def test_a_trace_follows_into_a_pool_by_a_copy_of_the_context():
    retriever = FilterRetriever(store())
    with spaniel.trace() as t, ThreadPoolExecutor(4) as pool:
        runs = [pool.submit(contextvars.copy_context().run, retriever.run) for _ in range(20)]
        assert all(len(run.result()["documents"]) == 2 for run in runs)
    assert len(t.stages) == 20


@pytest.mark.parametrize("as_coroutine", [False, True])
def test_a_trace_follows_through_a_pipeline(as_coroutine: bool):
    kept = store()
    pipeline = spaniel.Pipeline()
    pipeline.add_component("search", InMemoryBM25Retriever(kept))
    pipeline.add_component("links", RecursiveRetriever(kept, "name", ["links"]))
    pipeline.connect("search.documents", "links.documents")
    with spaniel.trace() as t:
        data = {"search": {"query": "apple"}}
        if as_coroutine:
            asyncio.run(pipeline.run_async(data))
        else:
            pipeline.run(data)
    assert names(t) == ["InMemoryBM25Retriever", "RecursiveRetriever"]


def test_threads_without_the_context_write_nothing():
    with spaniel.trace() as t, ThreadPoolExecutor(1) as pool:
        pool.submit(FilterRetriever(store()).run).result()
    assert t.stages == []


# --- its contents ---------------------------------------------------------------------------------


def test_requests_are_written_and_those_for_the_trace_marked():
    counting = CountingStore(store())
    with spaniel.trace() as t:
        InMemoryBM25Retriever(counting).run("apple")
    assert counting.calls == {"bm25_retrieval": 1}
    assert len(t.events) == 1  # which terms matched is asked when the trace is read
    assert len(t.events) == 1
    assert [(request.method, request.documents, request.for_trace) for request in t.requests] == [
        ("bm25_retrieval", 1, False),
        ("explain_bm25", 0, True),
    ]
    assert counting.calls.total() == 2


def test_settings_are_those_that_are_not_at_their_default():
    with spaniel.trace() as t:
        AutoMergingRetriever(store(), 0.3).run([])
        AutoMergingRetriever(store(), 0.3, score="mean", raise_on_missing_parent=False).run([])
        SentenceWindowRetriever(store(), 2).run([])
    assert [dict(stage.settings) for stage in t.stages] == [
        {"threshold": 0.3},
        {"threshold": 0.3, "score": "mean", "raise_on_missing_parent": False},
        {"window_size": 2},
    ]


def test_events_of_one_document_are_found_over_all_stages():
    kept = store()
    with spaniel.trace() as t:
        hits = InMemoryBM25Retriever(kept).run("apple")["documents"]
        RecursiveRetriever(kept, "name", ["links"], top_k=1).run(hits)
    assert [type(event).__name__ for event in t.about("a")] == ["Matched", "LinkUnmet"]
    assert [type(event).__name__ for event in t.about("b")] == ["Followed", "Dropped"]
    assert t.about("nobody") == []


def test_a_trace_goes_through_json_unchanged():
    kept = store()
    newer = {"field": "meta.day", "operator": ">", "value": date(2024, 1, 1)}
    with spaniel.trace() as t:
        InMemoryBM25Retriever(kept).run("apple", filters=newer)
        InMemoryEmbeddingRetriever(kept).run(np.array([1.0, 0.0], dtype=np.float32))
        SentenceWindowRetriever(kept, source_id_meta_field=["source_id", "name"]).run([DOCS[1]])
        RecursiveRetriever(kept, "name", ["links"]).run(DOCS[:1])
    data = t.to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data


def test_the_data_of_a_trace_is_as_the_documentation_says():
    with spaniel.trace() as t:
        RecursiveRetriever(store(), "name", ["links"]).run(DOCS[:1])
    data = t.to_dict()
    [stage] = data["stages"]
    assert list(data) == ["schema", "stages", "results", "labels"]
    assert list(stage) == ["name", "kind", "settings", "seconds", "requests", "inputs", "events", "results"]
    assert list(stage["requests"][0]) == ["method", "documents", "seconds", "for_trace"]
    assert stage["events"][1] == {
        "event": "Followed",
        "about": "b",
        "linked_from": "a",
        "key": "links",
        "value": "b",
        "depth": 1,
        "rank": 0,
        "inward": False,
    }
    assert stage["results"] == [{"id": "a", "score": None}, {"id": "b", "score": None}]
    assert data["labels"] == {"a": "a.md > Fruit  'red apple'", "b": "'blue sky'"}


# --- as text --------------------------------------------------------------------------------------


def shown(trace: spaniel.Trace) -> list[str]:
    file = io.StringIO()
    trace.show(file)
    return file.getvalue().splitlines()


def without_times(lines: list[str]) -> list[str]:
    return [line.rpartition(", ")[0] if line.endswith(" ms") else line for line in lines]


def test_an_empty_trace_says_so():
    with spaniel.trace() as t:
        pass
    assert shown(t) == ["Nothing was retrieved while this trace was open."]


def test_a_trace_is_printed_as_a_tree_with_dropped_documents_below():
    kept = store()
    with spaniel.trace() as t:
        hits = InMemoryBM25Retriever(kept).run("apple")["documents"]
        RecursiveRetriever(kept, "name", ["links"], top_k=1).run(hits)
    score = f"{hits[0].score:.3f}"
    assert without_times(shown(t)) == [
        "1. InMemoryBM25Retriever  query='apple', top_k=10",
        "   1 document, 1 store request (bm25_retrieval), 1 more for this trace",
        f"   └─ a  {score}  a.md > Fruit  'red apple'",
        f"         matched at rank 1 with score {score}: apple ×1 ({hits[0].score:.2f})",
        "",
        "2. RecursiveRetriever  filter_key='name', relevant_doc_keys=['links'], top_k=1, depth=1",
        "   1 document, 1 store request (get_documents_by_key)",
        f"   └─ a  {score}  a.md > Fruit  'red apple'",
        "         its link links = datetime.date(2024, 5, 1) leads to no document here (hop 1)",
        "   not in the result: 1 document",
        "   └─ b  'blue sky'",
        "         followed links = 'b' from a (hop 1)",
        "         dropped: it came at place 2, and top_k is 1",
    ]


def test_events_of_the_whole_stage_precede_the_documents():
    docs = [Document(id="o", meta={"links": ["hub"]}), *(Document(id=f"h{n}", meta={"name": "hub"}) for n in range(3))]
    kept = InMemoryDocumentStore()
    kept.write_documents(docs)
    with spaniel.trace() as t:
        RecursiveRetriever(kept, "name", ["links"], max_targets=2).run(docs[:1])
    assert shown(t)[2] == "   hop 1 found 3 documents and kept 2 (max_targets)"


def test_a_long_trace_is_cut():
    docs = [Document(id=f"d{n}", content=f"word {n}") for n in range(50)]
    kept = InMemoryDocumentStore()
    kept.write_documents(docs)
    with spaniel.trace() as t:
        InMemoryBM25Retriever(kept, top_k=50).run("word")
    assert shown(t)[-1] == "   └─ and 30 more documents"


def test_many_events_of_one_document_are_cut():
    docs = [Document(id=f"d{n}", meta={"links": ["t"]}) for n in range(12)]
    target = Document(id="t", content="target", meta={"name": "t"})
    kept = InMemoryDocumentStore()
    kept.write_documents([target])
    with spaniel.trace() as t:
        RecursiveRetriever(kept, "name", ["links"], top_k=20).run(docs)
    assert any(line.endswith("and 4 more events") for line in shown(t))


def test_an_embedding_is_shown_by_its_size():
    kept = InMemoryDocumentStore()
    kept.write_documents([Document(embedding=[1.0] * 768)])
    with spaniel.trace() as t:
        InMemoryEmbeddingRetriever(kept).run([1.0] * 768)
    assert "query_embedding=<768 numbers>" in shown(t)[0]


def test_a_trace_is_printed_to_standard_output(capsys: pytest.CaptureFixture[str]):
    with spaniel.trace() as t:
        FilterRetriever(store()).run()
    t.show()
    assert capsys.readouterr().out.startswith("1. FilterRetriever\n   2 documents, 1 store request (filter_documents)")


@pytest.mark.parametrize("content", [None, "", "a\nb   c", "x" * 5000])
def test_any_document_can_be_labelled(content: str | None):
    kept = InMemoryDocumentStore()
    kept.write_documents([Document(id="a", content=content)])
    with spaniel.trace() as t:
        FilterRetriever(kept).run()
    lines: list[Any] = shown(t)
    assert len(lines) == 3
    assert len(lines[2]) < 70


def test_terms_that_no_longer_explain_a_score_are_left_out():
    kept = InMemoryDocumentStore()
    kept.write_documents([Document(id="a", content="sky"), Document(id="b", content="sea")])
    with spaniel.trace() as t:
        InMemoryBM25Retriever(kept).run("sky")
    kept.write_documents([Document(id=f"c{n}", content="sky") for n in range(9)])
    [event] = t.events
    assert event.terms == ()


def test_a_trace_can_be_read_when_its_store_fails():
    class Closed(CountingStore):
        def explain_bm25(self, *_: Any, **__: Any) -> Any:
            raise OSError("the store is closed")

    kept = Closed(store())
    with spaniel.trace() as t:
        InMemoryBM25Retriever(kept).run("apple")
    assert [str(event) for event in t.events] == [f"matched at rank 1 with score {t.results[0].score:.3f}"]
