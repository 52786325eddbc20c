"""The origin of a document, and the reason for its presence."""

import pytest
from hypothesis import given

import spaniel
from spaniel import Document
from spaniel.components.joiners import DocumentJoiner
from spaniel.components.preprocessors import DocumentSplitter, SectionSplitter
from spaniel.components.retrievers import FilterRetriever, SentenceWindowRetriever, StructuredRetriever
from spaniel.components.retrievers.in_memory import InMemoryBM25Retriever
from spaniel.tracing.lineage import find_span
from tests.tracing.libraries import QUERIES, documents, stored

TEXT = (
    "# Dogs\n\n"
    + "A spaniel finds things. " * 30
    + "\n\n## Food\n\n"
    + "Bones and [toys](#toys). " * 40
    + "\n\n# Toys\n\nBalls.\n"
)
SECTIONS = SectionSplitter().run([Document(id="dogs", content=TEXT, meta={"path": "dogs.md", "title": "All dogs"})])[
    "documents"
]


def test_a_merged_passage_knows_its_place_its_scores_and_its_parts() -> None:
    store = stored(SECTIONS, search="leaves")
    with spaniel.trace() as t:
        [found] = StructuredRetriever(store).run("bones")["documents"]
    lineage = t.lineage(found.id)
    assert (lineage.source, lineage.root) == ("dogs.md", "dogs")
    assert TEXT[lineage.start : lineage.end] == found.content
    assert lineage.headings == ("All dogs", "Dogs", "Food")
    assert lineage.scores == {"merge": found.score}
    assert {origin.scores["bm25"] for origin in lineage.came_from} <= {hit.score for hit in t.stages[0].results}
    assert all(origin.source == "dogs.md" for origin in lineage.came_from)


@given(documents(), QUERIES)
def test_every_result_has_a_step_in_the_last_stage_and_a_reason(made: list[Document], query: str) -> None:
    with spaniel.trace() as t:
        found = StructuredRetriever(stored(made, search="leaves"), 3, follow=["links"]).run(query)["documents"]
    for rank, document in enumerate(found, 1):
        last = t.lineage(document.id).steps[-1]
        assert (last.name, last.rank, last.score) == ("follow", rank, document.score)
        assert (t.why(document.id).rank, bool(t.why(document.id).lines)) == (rank, True)


@given(documents(), QUERIES)
def test_the_scores_are_those_of_the_stages(made: list[Document], query: str) -> None:
    with spaniel.trace() as t:
        StructuredRetriever(stored(made, search="leaves"), 3).run(query)
    for stage in t.stages:
        for document in stage.results:
            assert t.lineage(document.id).scores[stage.name] == document.score


def test_a_retriever_can_return_the_lineage_itself() -> None:
    retriever = StructuredRetriever(stored(SECTIONS, search="leaves"), explain=True)
    result = retriever.run("bones spaniel")
    assert [each.id for each in result["lineage"]] == [document.id for document in result["documents"]]
    with spaniel.trace() as t:
        assert retriever.run("bones")["lineage"] == [t.lineage(document.id) for document in t.results]
    assert StructuredRetriever(retriever.document_store).run("bones")["lineage"] == []


def test_hits_in_the_windows_of_each_other_are_no_endless_story() -> None:
    chunks = [Document(id=str(n), content="x", meta={"source_id": "s", "split_id": n}) for n in range(2)]
    with spaniel.trace() as t:
        SentenceWindowRetriever(stored(chunks), 1).run(chunks)
    assert [origin.id for origin in t.lineage("0").came_from] == ["1"]
    assert str(t.why("0")).count("by way of 1") == 1


def test_a_fused_document_tells_its_ranks() -> None:
    store = stored([Document(id="a", content="red apple"), Document(id="b", content="red")])
    with spaniel.trace() as t:
        words = InMemoryBM25Retriever(store)
        DocumentJoiner("reciprocal_rank_fusion").run([words.run(query)["documents"] for query in ("apple", "red")])
    assert t.why("a").lines[-1] == "3. DocumentJoiner: fused from rank 1 of list 1, rank 2 of list 2 with score 0.992"


def test_a_result_without_an_event_has_a_reason_too() -> None:
    with spaniel.trace() as t:
        FilterRetriever(stored([Document(id="a", content="x")])).run()
    assert str(t.why("a")) == "a  'x'  is at place 1 of the result\n1. FilterRetriever: came out at rank 1"


def test_a_stranger_is_said_to_be_one() -> None:
    with spaniel.trace() as t:
        FilterRetriever(stored([])).run()
    why = t.why("nobody")
    assert (why.rank, why.lineage.steps) == (None, ())
    assert "is not in the result" in str(why)


def test_a_hash_may_be_named_by_its_start() -> None:
    [made] = [Document(content="x")]
    with spaniel.trace() as t:
        FilterRetriever(stored([made])).run()
    assert t.why(made.id[:8]).id == made.id
    assert t.lineage(made.id[:7]).steps == ()


def test_an_id_that_begins_like_another_is_not_taken_for_it() -> None:
    with spaniel.trace() as t:
        FilterRetriever(stored([Document(id="abcdef0123", content="x")])).run()
    assert t.why("abcdef01").rank is None


def test_the_places_of_chunks_are_those_in_their_source() -> None:
    source = Document(id="s", content="One two. Three four. Five six.")
    chunks = DocumentSplitter(split_by="period", split_length=1).run([source])["documents"]
    for chunk in chunks:
        root, start, end = find_span(chunk)
        assert root == "s"
        assert source.content is not None
        assert source.content[start:end] == chunk.content


@pytest.mark.parametrize("meta", [{}, {"__parent_id": "p", "source_id": "p", "split_idx_start": 3}])
def test_a_document_that_does_not_say_where_it_stands_has_no_place(meta: dict[str, object]) -> None:
    assert find_span(Document(content="x", meta=meta)) == (None, None, None)
