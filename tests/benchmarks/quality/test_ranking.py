"""Scores of a search on a judged set."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from benchmarks.quality.ours import indexed, passage_of, write_pages
from benchmarks.quality.ranking import score_ours, score_search


def test_a_search_is_any_function_from_a_query_to_ids(judged):
    scores = score_search(judged, {"dogs bark": ["x", "h1"], "birds sing": ["h3"]}.__getitem__, ["RR@10", "R@1"])

    assert scores == {"RR@10": {"q1": 0.5, "q2": 1.0}, "R@1": {"q1": 0.0, "q2": 1.0}}


def test_ours_is_the_search_of_the_knowledge_base(judged):
    scores = score_ours(judged, ["RR@10", "R@100"])

    assert scores == {"RR@10": {"q1": 1.0, "q2": 1.0}, "R@100": {"q1": 0.5, "q2": 1.0}}


def test_options_of_the_search_are_passed_on(judged):
    assert score_ours(judged, ["RR@10"], {"min_score": 1000.0}) == {"RR@10": {"q1": 0.0, "q2": 0.0}}


@pytest.mark.parametrize(("measure", "top_k"), [("nDCG@10", 10), ("RR", 100), ("R@100", 100), ("P@5", 10)])
def test_the_depth_of_the_search_follows_the_cutoff(judged, monkeypatch, measure, top_k):
    asked = []
    kb = SimpleNamespace(search=lambda query, **options: asked.append(options["top_k"]) or [])
    monkeypatch.setattr("benchmarks.quality.ranking.indexed", lambda *_: indexed_as(kb))

    score_ours(judged, [measure])

    assert set(asked) == {top_k}


def indexed_as(kb):
    from contextlib import nullcontext

    return nullcontext(kb)


def test_a_part_of_a_row_counts_as_the_row(judged):
    with indexed(judged) as kb:
        assert [passage_of(result) for result in kb.search("wolves howl")] == ["h1"]


def test_a_page_is_named_by_its_file(judged, tmp_path):
    pages = replace(judged, name="peps_mini")

    with indexed(pages) as kb:
        assert [passage_of(result) for result in kb.search("wolves howl")] == ["h1"]
    assert (
        write_pages(judged, tmp_path / "pages") / "h2.rst"
    ).read_text() == "====\nCats\n====\n\nCats purr all day long."
