import logging
import random
from typing import Any

import pytest

from spaniel import Document
from spaniel.components.preprocessors import DocumentSplitter
from spaniel.components.retrievers import SentenceWindowRetriever
from tests.components.retrievers.conftest import Way, ids


def chunks(source: Any = "s", texts: str = "abcdefg", **meta: Any) -> list[Document]:
    """Return one chunk per letter: ``s0`` with split_id 0 and the text "a", and so on."""
    return [
        Document(
            id=f"{source}{place}",
            content=text,
            meta={"source_id": source, "split_id": place, "split_idx_start": place, **meta},
        )
        for place, text in enumerate(texts)
    ]


CHUNKS = chunks()


# --- the window -----------------------------------------------------------------------------------


def test_a_window_holds_the_chunks_before_and_after_the_hit(way: Way):
    found = way.run(SentenceWindowRetriever(way.store(CHUNKS), 2), retrieved_documents=[CHUNKS[3]])
    assert found["context_windows"] == ["bcdef"]
    assert ids(found["context_documents"]) == ["s1", "s2", "s3", "s4", "s5"]


@pytest.mark.parametrize(("place", "text"), [(0, "abc"), (6, "efg")])
def test_a_window_ends_where_the_source_ends(way: Way, place: int, text: str):
    found = way.run(SentenceWindowRetriever(way.store(CHUNKS), 2), retrieved_documents=[CHUNKS[place]])
    assert found["context_windows"] == [text]


def test_chunks_of_other_sources_stay_out(way: Way):
    store = way.store([*CHUNKS, *chunks("t"), *chunks(None)])
    found = way.run(SentenceWindowRetriever(store, 1), retrieved_documents=[CHUNKS[3]])
    assert ids(found["context_documents"]) == ["s2", "s3", "s4"]


def test_the_window_size_of_a_run_wins(way: Way):
    retriever = SentenceWindowRetriever(way.store(CHUNKS), 3)
    assert way.run(retriever, retrieved_documents=[CHUNKS[3]], window_size=1)["context_windows"] == ["cde"]


def test_chunks_are_sorted_by_number_whatever_their_order_in_the_store(way: Way):
    shuffled = [*CHUNKS]
    random.Random(1).shuffle(shuffled)
    found = way.run(SentenceWindowRetriever(way.store(shuffled), 2), retrieved_documents=[CHUNKS[3]])
    assert ids(found["context_documents"]) == ["s1", "s2", "s3", "s4", "s5"]


def test_windows_come_in_the_order_of_the_hits_and_repeat_shared_chunks(way: Way):
    found = way.run(SentenceWindowRetriever(way.store(CHUNKS), 1), retrieved_documents=[CHUNKS[3], CHUNKS[2]])
    assert found["context_windows"] == ["cde", "bcd"]
    assert ids(found["context_documents"]) == ["s2", "s3", "s4", "s1", "s2", "s3"]


def test_a_hit_given_twice_has_two_windows(way: Way):
    found = way.run(SentenceWindowRetriever(way.store(CHUNKS), 1), retrieved_documents=[CHUNKS[3], CHUNKS[3]])
    assert found["context_windows"] == ["cde", "cde"]


def test_no_hits_give_no_windows(way: Way):
    found = way.run(SentenceWindowRetriever(way.store(CHUNKS)), retrieved_documents=[])
    assert found == {"context_windows": [], "context_documents": []}


@pytest.mark.parametrize("size", [0, -1])
def test_a_window_size_below_1_is_an_error(way: Way, size: int):
    with pytest.raises(ValueError, match=f"The window_size parameter must be greater than 0, but is {size}"):
        SentenceWindowRetriever(way.store(), size)
    with pytest.raises(ValueError, match="window_size"):
        way.run(SentenceWindowRetriever(way.store()), retrieved_documents=[], window_size=size)


def test_many_windows_are_the_same_as_few(way: Way):
    sources = [chunks(f"s{number}-", "abcde") for number in range(120)]
    retriever = SentenceWindowRetriever(way.store([chunk for source in sources for chunk in source]), 1)
    found = way.run(retriever, retrieved_documents=[source[number % 5] for number, source in enumerate(sources)])
    expected = ["ab", "abc", "bcd", "cde", "de"] * 24
    assert found["context_windows"] == expected
    assert len(found["context_documents"]) == sum(map(len, expected))


# --- which fields ---------------------------------------------------------------------------------


def test_the_fields_can_be_named(way: Way):
    docs = [Document(id=text, content=text, meta={"file": "f", "line": place}) for place, text in enumerate("abc")]
    retriever = SentenceWindowRetriever(way.store(docs), 1, source_id_meta_field="file", split_id_meta_field="line")
    assert way.run(retriever, retrieved_documents=[docs[0]])["context_windows"] == ["ab"]


def test_several_source_fields_must_all_match(way: Way):
    docs = [
        Document(id=f"{file}{part}{place}", content=text, meta={"file": file, "part": part, "split_id": place})
        for file in "xy"
        for part in (1, 2)
        for place, text in enumerate("ab")
    ]
    retriever = SentenceWindowRetriever(way.store(docs), 1, source_id_meta_field=["file", "part"])
    found = way.run(retriever, retrieved_documents=[docs[2]])
    assert ids(found["context_documents"]) == ["x20", "x21"]


def test_numbers_may_be_fractions(way: Way):
    docs = [Document(id=str(n), content=str(n), meta={"source_id": "s", "split_id": n}) for n in (0.5, 1.5, 3.0)]
    assert way.run(SentenceWindowRetriever(way.store(docs), 1), retrieved_documents=docs[:1])["context_windows"] == [
        "0.51.5"
    ]


def test_a_source_may_be_named_by_a_list(way: Way):
    docs = chunks(["a", 1], "abc")
    found = way.run(SentenceWindowRetriever(way.store([*docs, *chunks("s")]), 1), retrieved_documents=[docs[0]])
    assert ids(found["context_documents"]) == [docs[0].id, docs[1].id]


# --- hits without their place -------- ------------------------------------------------------------


@pytest.mark.parametrize(("field", "message"), [("split_id", "'split_id'"), ("source_id", "'source_id'")])
def test_a_missing_field_is_an_error_that_names_it(way: Way, field: str, message: str):
    hit = CHUNKS[0].independent_copy()
    del hit.meta[field]
    with pytest.raises(ValueError, match=f"The retrieved documents must have {message} in their metadata.*s0"):
        way.run(SentenceWindowRetriever(way.store(CHUNKS)), retrieved_documents=[CHUNKS[1], hit])


def test_of_several_missing_fields_the_number_is_named_first(way: Way):
    retriever = SentenceWindowRetriever(way.store(), source_id_meta_field=["file", "part"])
    with pytest.raises(ValueError, match="'split_id'"):
        way.run(retriever, retrieved_documents=[Document(content="a")])
    with pytest.raises(ValueError, match=r"'\['file', 'part'\]'"):
        way.run(retriever, retrieved_documents=[Document(content="a", meta={"split_id": 1})])


def test_a_number_that_is_text_is_an_error_that_shows_it(way: Way):
    hit = Document(id="odd", content="a", meta={"source_id": "s", "split_id": "three"})
    with pytest.raises(ValueError, match="'split_id' must be a number, got 'three' in document 'odd'"):
        way.run(SentenceWindowRetriever(way.store(CHUNKS)), retrieved_documents=[hit])


@pytest.mark.parametrize(
    "meta",
    [{"split_id": 1}, {"source_id": "s"}, {"source_id": "s", "split_id": "x"}, {"source_id": None, "split_id": 1}],
)
def test_such_a_hit_can_be_returned_alone_with_a_warning(
    way: Way, meta: dict[str, Any], caplog: pytest.LogCaptureFixture
):
    hit = Document(id="odd", content="alone", meta=meta)
    retriever = SentenceWindowRetriever(way.store(CHUNKS), 1, raise_on_missing_meta_fields=False)
    with caplog.at_level(logging.WARNING):
        found = way.run(retriever, retrieved_documents=[hit, CHUNKS[0]])
    assert found["context_windows"] == ["alone", "ab"]
    assert ids(found["context_documents"]) == ["odd", "s0", "s1"]
    assert "Document odd has no" in caplog.text


def test_a_field_that_is_there_but_none_does_not_raise(way: Way):
    hit = Document(id="odd", content=None, meta={"source_id": "s", "split_id": None})
    found = way.run(SentenceWindowRetriever(way.store(CHUNKS)), retrieved_documents=[hit])
    assert found == {"context_windows": [""], "context_documents": [hit]}


def test_stored_chunks_with_odd_numbers_stay_out(way: Way):
    odd = Document(id="odd", content="z", meta={"source_id": "s", "split_id": "1"})
    found = way.run(SentenceWindowRetriever(way.store([*CHUNKS, odd]), 1), retrieved_documents=[CHUNKS[1]])
    assert ids(found["context_documents"]) == ["s0", "s1", "s2"]


# --- windows that overlap -------------------------------------------------------------------------


def windows(way: Way, size: int, *places: int) -> list[str]:
    retriever = SentenceWindowRetriever(way.store(CHUNKS), size, merge_overlapping=True)
    return way.run(retriever, retrieved_documents=[CHUNKS[place] for place in places])["context_windows"]


def test_overlapping_windows_become_one(way: Way):
    assert windows(way, 1, 2, 3) == ["bcde"]


def test_windows_that_touch_become_one(way: Way):
    assert windows(way, 1, 1, 4) == ["abcdef"]


def test_windows_with_a_gap_stay_two_in_the_order_of_the_hits(way: Way):
    assert windows(way, 1, 6, 1) == ["fg", "abc"]


def test_a_window_that_joins_two_others_stands_at_the_place_of_the_first(way: Way):
    store = way.store([*CHUNKS, *chunks("t")])
    retriever = SentenceWindowRetriever(store, 1, merge_overlapping=True)
    hits = [CHUNKS[5], chunks("t")[0], CHUNKS[0], CHUNKS[3]]
    assert way.run(retriever, retrieved_documents=hits)["context_windows"] == ["abcdefg", "ab"]


def test_merged_windows_give_each_document_once(way: Way):
    retriever = SentenceWindowRetriever(way.store(CHUNKS), 1, merge_overlapping=True)
    found = way.run(retriever, retrieved_documents=[CHUNKS[1], CHUNKS[2]])
    assert ids(found["context_documents"]) == ["s0", "s1", "s2", "s3"]


# --- text and scores ------------------------------------------------------------------------------


def test_overlapping_chunks_give_each_character_once(way: Way):
    text = "The sun rose early in the morning. It cast a warm glow over the trees."
    docs = DocumentSplitter(split_by="word", split_length=4, split_overlap=2).run([Document(content=text)])["documents"]
    found = way.run(SentenceWindowRetriever(way.store(docs), 10), retrieved_documents=[docs[2]])
    assert found["context_windows"] == [text]


def test_a_chunk_inside_an_earlier_one_adds_nothing():
    parts = [("The bird", 0), ("bi", 4), ("rd sings.", 6)]
    docs = [Document(content=text, meta={"split_idx_start": start}) for text, start in parts]
    assert SentenceWindowRetriever.merge_documents_text(docs) == "The bird sings."


def test_chunks_without_offsets_are_joined_as_they_come():
    docs = [Document(content="b", meta={"split_idx_start": 1}), Document(content="a"), Document(content=None)]
    assert SentenceWindowRetriever.merge_documents_text(docs) == "ba"


def test_min_score_leaves_out_weak_hits_but_not_those_without_a_score(way: Way):
    hits = [CHUNKS[0].independent_copy(score=0.1), CHUNKS[3].independent_copy(score=0.9), CHUNKS[6]]
    retriever = SentenceWindowRetriever(way.store(CHUNKS), 1, min_score=0.5)
    assert way.run(retriever, retrieved_documents=hits)["context_windows"] == ["cde", "fg"]
