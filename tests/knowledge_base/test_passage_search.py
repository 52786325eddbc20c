"""Results of a search, and their reasons."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import spaniel
from spaniel import KnowledgeBase
from spaniel.knowledge_base import find_term_spans
from spaniel.knowledge_base.passage_search import remove_function_words
from tests.knowledge_base.folders import write

SECTION = "Spaniels hunt birds. " * 20
FILES = {
    "dogs.md": f"# Dogs\n\n## Spaniels\n\n{SECTION}\n\n{SECTION}\n\n{SECTION}\n\n## Food\n\nBones. See [cats](cats.md).\n",
    "cats.md": "# Cats\n\nCats climb. They fear [dogs](dogs.md#food) and [all dogs](dogs.md).\n",
    "short.md": "Birds sing.\n",
}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    folder = tmp_path_factory.mktemp("kb")
    kb = spaniel.open(folder / "kb")
    kb.index(write(folder / "animals", FILES))
    return kb


def test_parts_of_a_section_give_way_to_it(kb: KnowledgeBase) -> None:
    (result,) = kb.search("hunt", merge=True)
    assert (result.kind, result.section) == ("merged", [])
    assert result.document.meta["anchor"] == "dogs.md"
    assert re.fullmatch(r"\d+ of its \d+ parts match hunt", result.why[0])


def test_parts_stay_apart_by_default(kb: KnowledgeBase) -> None:
    results = kb.search("hunt")
    assert len(results) > 1
    assert {result.kind for result in results} == {"hit"}
    assert results[0].why[0].startswith("matches hunt ×")


def test_a_short_file_is_a_hit_with_its_words(kb: KnowledgeBase) -> None:
    (result,) = kb.search("sing")
    assert (result.kind, result.text, result.headings) == ("hit", "Birds sing.", [])
    assert result.why[0].startswith("matches sing ×1 (")


def test_a_file_of_one_short_section_is_a_hit_not_a_merge(kb: KnowledgeBase) -> None:
    (result,) = kb.search("climb", merge=True)
    assert (result.kind, result.document.meta["anchor"], result.headings) == ("hit", "cats.md", ["Cats"])


def test_words_are_listed_by_weight(kb: KnowledgeBase) -> None:
    (result,) = kb.search("birds sing")[:1]
    rare, common = result.why[0].removeprefix("matches ").split(", ")
    assert (rare.split()[0], common.split()[0]) == ("sing", "birds")


def test_a_linked_file_that_holds_a_hit_is_left_out(kb: KnowledgeBase) -> None:
    results = kb.search("bones climb", follow="links", depth=2)
    assert sorted((result.kind, result.document.meta["anchor"]) for result in results) == [
        ("hit", "cats.md#cats"),
        ("hit", "dogs.md#food"),
    ]


def test_links_of_a_hit_come_with_it(kb: KnowledgeBase) -> None:
    results = kb.search("bones", follow="links")
    assert [(result.kind, result.path) for result in results] == [("hit", "dogs.md"), ("linked", "cats.md")]
    assert results[1].why == (f"linked from dogs.md > Dogs > Food (+{results[1].score:.2f})",)


def test_follows_a_second_hop(kb: KnowledgeBase) -> None:
    results = kb.search("bones", follow="links", depth=2)
    assert [result.path for result in results] == ["dogs.md", "cats.md"]


def test_a_window_shows_the_chunks_around(kb: KnowledgeBase) -> None:
    whole = kb.find("dogs.md").content
    result = kb.search("hunt", window=1)[0]
    assert result.text in whole
    assert len(result.text) > len(result.document.content)
    assert re.fullmatch(r"shown with (0 before it, 1|1 before it, [01]) after it", result.why[-1])


def test_a_whole_file_has_no_window_and_no_warning(kb: KnowledgeBase, caplog: pytest.LogCaptureFixture) -> None:
    assert [result.text for result in kb.search("sing", window=1)] == ["Birds sing."]
    assert caplog.records == []


def test_the_words_of_a_question_do_not_count(kb: KnowledgeBase) -> None:
    assert kb.search("how do they hunt birds").terms == ["hunt", "birds"]
    assert kb.search("they climb").terms == ["they", "climb"]


def test_top_k_bounds_hits_and_links(kb: KnowledgeBase) -> None:
    assert len(kb.search("hunt birds climb bones", top_k=1)) == 1
    assert len(kb.search("hunt birds climb bones", top_k=2, follow="links")) <= 4


def test_results_are_plain_data(kb: KnowledgeBase) -> None:
    results = kb.search("bones", follow="links")
    data = json.loads(json.dumps(results.to_dict()))
    assert {key: data[key] for key in ("schema", "query", "terms")} == {
        "schema": 1,
        "query": "bones",
        "terms": ["bones"],
    }
    assert [result["rank"] for result in data["results"]] == [1, 2]
    assert data["results"][0]["anchor"] == "dogs.md#food"
    assert data["results"][1]["linked_from"] == data["results"][0]["id"]


def test_matched_words_are_found_as_the_index_folds_them() -> None:
    assert find_term_spans("STRASSE, Straße.", ["strasse"]) == [(0, 7), (9, 15)]


def test_the_trace_holds_every_step(kb: KnowledgeBase) -> None:
    trace = kb.search("bones climb", follow="links", window=1).trace
    assert [stage.name for stage in trace.stages] == [
        "bm25",
        "follow",
        "select",
        "window",
    ]


def test_a_tiny_knowledge_base_ranks_sensibly(tmp_path: Path) -> None:
    names = ["apple", "pear", "plum", "cherry", "quince"]
    kb = spaniel.open(tmp_path / "kb")
    kb.index(write(tmp_path / "fruit", {f"{name}.md": f"# {name}\n\nThe {name} is a fruit." for name in names}))
    results = kb.search("what is a quince")
    assert [result.path for result in results] == ["quince.md"]
    assert len(kb.search("fruit")) == 5


def test_a_budget_bounds_the_text_of_all_results(kb: KnowledgeBase) -> None:
    whole = kb.search("hunt bones birds")
    size = sum(len(result.text.encode()) for result in whole)
    bounded = kb.search("hunt bones birds", budget=size // 8)
    assert sum(len(result.document.content.encode()) for result in bounded) <= size // 8 * 4
    assert bounded.trace.stages[-1].name == "budget"
    assert all(result.why for result in bounded)


def test_a_budget_below_1_is_an_error(kb: KnowledgeBase) -> None:
    with pytest.raises(ValueError, match="budget must be at least 1"):
        kb.search("hunt", budget=0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"top_k": "5"}, "top_k must be a whole number, got '5'. Pass a number such as 2."),
        ({"top_k": 2.5}, "top_k must be a whole number, got 2.5"),
        ({"top_k": True}, "top_k must be a whole number, got True"),
        ({"window": None}, "window must be a whole number, got None"),
        ({"depth": "1"}, "depth must be a whole number, got '1'"),
        ({"budget": "9"}, "budget must be a whole number, got '9'"),
        ({"threshold": "x"}, "threshold must be a number, got 'x'. Pass a number such as 0.5."),
        ({"min_score": "x"}, "min_score must be a number, got 'x'"),
        ({"filters": "year == 2020"}, "filters must be a dictionary, got 'year == 2020'. Pass a filter such as"),
        ({"filters": ["x"]}, "filters must be a dictionary, got"),
        ({"follow": 5}, "follow must be a list of metadata keys, got 5. Pass keys such as"),
        ({"follow": ["links", 5]}, "follow must be a list of metadata keys, got"),
    ],
)
def test_rejects_options_of_a_wrong_type(kb: KnowledgeBase, options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        kb.search("hunt", **options)


def test_rejects_a_query_that_is_not_text(kb: KnowledgeBase) -> None:
    with pytest.raises(ValueError, match="query must be text, got 5"):
        kb.search(5)  # type: ignore[arg-type]


def test_accepts_numbers_of_numpy(kb: KnowledgeBase) -> None:
    assert len(kb.search("hunt birds", top_k=np.int64(1), threshold=np.float64(0.5))) == 1


def test_every_result_knows_where_it_came_from(kb: KnowledgeBase) -> None:
    for result in kb.search("bones hunt", follow="links"):
        lineage = result.lineage
        assert (lineage.source, lineage.headings) == (result.path, tuple(result.headings))
        whole = kb.get(lineage.root).content
        assert whole[lineage.start : lineage.end] == result.document.content
        assert lineage.steps[-1].score == result.score
        assert result.to_dict()["lineage"]["scores"] == lineage.scores


@pytest.mark.parametrize(
    ("query", "searched"),
    [
        ("How do I publish a package?", "publish package"),
        ("what is a slice", "slice"),
        ("Wie heißt die Straße nach Norden?", "Wie heißt die Straße nach Norden"),
        ("while loop", "while loop"),
        ("this", "this"),
        ("who are you and", "and"),
        ("to be or not to be", "to or not to"),
        ("what is this that", "what is this that"),
        ("", ""),
    ],
)
def test_function_words_go_unless_the_query_is_short_or_nothing_is_left(query: str, searched: str) -> None:
    assert remove_function_words(query) == searched
