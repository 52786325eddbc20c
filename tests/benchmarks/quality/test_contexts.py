"""Evidence, fixed chunks, and the text within a budget."""

import json

import pytest

from benchmarks.quality.contexts import (
    Passage,
    cut_fixed,
    cut_to_budget,
    indexed_chunks,
    indexed_evidence,
    measure_contexts,
    score_contexts,
    search_chunks,
    search_leaves,
)
from benchmarks.quality.evidence import Evidence, read_articles, read_sentences
from spaniel.evaluation import JudgedSet, Span

TEXT = "one two three four five six seven eight nine"


def test_chunks_repeat_a_quarter_of_the_one_before():
    chunks = cut_fixed({"a": TEXT}, 4)

    assert [TEXT[start:end] for _, start, end in chunks.values()] == [
        "one two three four",
        "four five six seven",
        "seven eight nine",
    ]


def test_a_text_as_long_as_a_chunk_is_one():
    assert list(cut_fixed({"a": TEXT}, 9).values()) == [Span("a", 0, len(TEXT))]


def test_whole_texts_are_chunks_without_a_size():
    assert list(cut_fixed({"a": f" {TEXT} ", "b": "x"}, None).values()) == [
        Span("a", 1, 1 + len(TEXT)),
        Span("b", 0, 1),
    ]


@pytest.fixture
def articles(tmp_path):
    path = tmp_path / "corpus.jsonl"
    texts = {"a00p0": "The sun is hot.", "a00p1": "The moon is cold.", "a01p0": "Rain is wet."}
    path.write_text("".join(json.dumps({"_id": id, "title": "", "text": text}) + "\n" for id, text in texts.items()))
    metadata = {"q": {"answer": "cold", "answer_start": 12, "passage": "a00p1"}}
    return JudgedSet("xquad_en", path, {"q": "How is the moon?"}, {"q": {"a00p1": 1}}, metadata)


def test_an_answer_is_a_span_of_its_article(articles):
    evidence = read_articles(articles)

    assert evidence.texts == {"a00.txt": "The sun is hot.\n\nThe moon is cold.", "a01.txt": "Rain is wet."}
    assert evidence.relevant == {"q": [Span("a00.txt", 29, 33)]}


def test_facts_are_spans_of_their_passages(judged):
    evidence = read_sentences(judged)

    assert evidence.relevant == {"q1": [Span("h1", 20, 32), Span("h2", 0, 23)]}
    assert list(evidence.judged.queries) == ["q1"]  # the other one has no facts


def test_sentences_with_other_blanks_are_found():
    from benchmarks.quality.evidence import _find_sentences

    passage = {
        "_id": "a",
        "text": "Born 1243 in Rome. He died.",
        "metadata": {"sentences": ["Born\xa01243  in Rome.", " He died."]},
    }

    assert _find_sentences(passage) == [Span("a", 0, 18), Span("a", 19, 27)]


def test_a_result_is_located_in_its_file(articles):
    evidence = read_articles(articles)

    with indexed_evidence(evidence) as kb:
        contexts = search_leaves(kb, evidence)

    [first, *_] = contexts["q"]
    [(source, start, end)] = first.spans
    assert source == "a00.txt"
    assert "moon is cold" in evidence.texts[source][start:end]


def test_a_chunk_is_searched_whole(articles):
    evidence = read_articles(articles)
    chunks = cut_fixed(evidence.texts, None)

    with indexed_chunks(evidence, chunks) as kb:
        contexts = search_chunks(kb, evidence, chunks)

    assert contexts["q"][0] == Passage([Span("a00.txt", 0, 34)], 9)


def test_passages_that_fit_are_taken_best_first():
    passages = [Passage([Span("a", 0, 9)], 300), Passage([Span("b", 0, 9)], 200), Passage([Span("c", 0, 9)], 100)]

    assert cut_to_budget({"q": passages}, 400)["q"] == [passages[0], passages[2]]


def test_the_scores_of_a_context():
    evidence = Evidence(JudgedSet("x", None, {}, {}), {"a": TEXT}, {}, {"q": [Span("a", 4, 7)]}, files=True)

    scores = score_contexts({"q": [Passage([Span("a", 0, 6)], 2)]}, evidence)

    assert {name: values["q"] for name, values in scores.items()} == {
        "recall": pytest.approx(2 / 3),
        "precision": pytest.approx(2 / 6),
        "iou": pytest.approx(2 / 7),
        "kept": 0.0,
        "tokens": 2.0,
    }


def test_every_method_is_measured_at_every_budget(articles):
    methods = measure_contexts(read_articles(articles), budgets=[2, 400], chunk_words=[30])

    assert list(methods) == ["default", "leaves", "chunks of 30"]
    assert [methods[name][2]["kept"]["q"] for name in methods] == [0, 0, 0]
    assert [methods[name][400]["kept"]["q"] for name in methods] == [1, 1, 1]
