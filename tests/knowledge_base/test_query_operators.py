import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import spaniel
from spaniel.cli.app import app
from tests.knowledge_base.folders import write

PAGES = {
    "guide/dogs.md": "# Dogs\n\nThe ownership of dogs is a joy. Dogs bark because they can.\n",
    "guide/cats.md": "# Cats\n\nA cat sleeps. The quick brown fox jumps.\n",
    "ref/api.md": "# API\n\nCall getUserName or std::vector. A quick fox, brown. The CPU runs.\n",
    "ref/war.md": "# War and peace\n\nA novel about doggerel.\n",
}


@pytest.fixture(scope="module")
def kb(tmp_path_factory):
    folder = tmp_path_factory.mktemp("operators")
    kb = spaniel.open(folder / "kb")
    kb.index(write(folder / "pages", PAGES))
    yield kb
    kb.close()


def find(kb, query, **options):
    return sorted(result.path for result in kb.search(query, **options))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('"brown fox"', ["guide/cats.md"]),
        ('"brown fox" dogs', ["guide/cats.md"]),
        ('quick -"brown fox"', ["ref/api.md"]),
        ("+dog joyful", ["guide/dogs.md"]),
        ("quick fox -cats", ["ref/api.md"]),
        ("dog*", ["guide/dogs.md", "ref/war.md"]),
        ("quick +nov*", ["ref/war.md"]),
        ("path:guide quick", ["guide/cats.md"]),
        ("path:guide", ["guide/cats.md", "guide/dogs.md"]),
        ("-path:guide quick", ["ref/api.md"]),
        ("title:war", ["ref/war.md"]),
        ('title:"war and peace"', ["ref/war.md"]),
        ("file_name:api", ["ref/api.md"]),
        ("content:doggerel", ["ref/war.md"]),
        ("std::vector", ["ref/api.md"]),
        ("+quick +jumps", ["guide/cats.md"]),
        ("-dogs -quick", ["ref/war.md"]),
    ],
)
def test_each_operator(kb, query, expected):
    assert find(kb, query) == expected


def test_operators_can_be_turned_off(kb):
    assert find(kb, 'quick -"brown fox"', operators=False) == ["guide/cats.md", "ref/api.md"]


def test_conditions_and_filters_both_hold(kb):
    filters = {"field": "meta.path", "operator": "!=", "value": "guide/cats.md"}
    assert find(kb, "+quick", filters=filters) == find(kb, "+quick", not_path="guide") == ["ref/api.md"]


def test_all_words_and_a_minimum_of_words(kb):
    assert find(kb, "quick fox sleeps", match="all") == ["guide/cats.md"]
    assert find(kb, "quick fox novel", min_words=2) == ["guide/cats.md", "ref/api.md"]
    assert find(kb, "quick fox novel", min_words=0.3) == ["guide/cats.md", "ref/api.md", "ref/war.md"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"match": "some"}, "^match must be any or all, got 'some'."),
        ({"min_words": 0}, "^min_words must be at least 1, got 0."),
        ({"min_words": 1.5}, "^min_words must be a whole number, or a share such as 0.75, got 1.5."),
        ({"synonyms": ["=>"]}, "^Line 1 of the synonyms is malformed: "),
    ],
)
def test_bad_options_are_named(kb, options, message):
    with pytest.raises(ValueError, match=message):
        kb.search("quick", **options)


def test_an_unknown_word_is_corrected_and_matches_its_neighbours(kb):
    results = kb.search("+quick ownershp -zzzzz becuase")
    assert results.suggestion == "+quick ownership -zzzzz because"
    assert results.spellings == {"ownershp": ["ownership"], "becuase": ["because"]}
    assert results.to_dict()["suggestion"] == results.suggestion
    assert find(kb, "ownershp") == find(kb, "dgos") == ["guide/dogs.md"]
    assert kb.search("quick xyzzy").suggestion is None


def test_synonyms_of_a_knowledge_base_and_of_a_search(kb):
    assert find(kb, "hound", synonyms=["hound, dog"]) == ["guide/dogs.md"]
    assert find(kb, "hound") == []
    with_synonyms = spaniel.open(kb.path, synonyms=["hound => dog"])
    assert find(with_synonyms, "hound") == ["guide/dogs.md"]
    assert find(with_synonyms, "hound", synonyms=[]) == []


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    query=st.text()
    | st.lists(st.sampled_from([*'"+-*:() ', "dog", "title:", "path:", "brown fox", "日本", "-"])).map("".join)
)
def test_no_query_is_malformed(kb, query):
    try:
        kb.search(query)
    except ValueError as error:
        assert "contains no searchable terms" in str(error)  # noqa: PT017 (the search may succeed)


def run(*arguments):
    return CliRunner().invoke(app, list(arguments))


def test_the_command_line_has_the_operators_and_suggests(kb, tmp_path):
    store = ["--store", str(kb.path)]
    shown = run("search", "ownershp", *store).stdout
    assert "Did you mean: ownership?\n" in shown
    assert json.loads(run("search", "ownershp", "--json", *store).stdout)["suggestion"] == "ownership"
    assert "guide/cats.md" in run("search", "quick sleeps", "--match", "all", *store).stdout
    assert run("search", "quick novel", "--min-words", "100%", *store).exit_code == 1
    assert "Give a number such as 2" in run("search", "quick", "--min-words", "x", *store).output
    file = tmp_path / "synonyms.txt"
    file.write_text("hound, dog\n")
    assert "guide/dogs.md" in run("search", "hound", "--synonyms", str(file), *store).stdout
    assert "ref/api.md" in run("search", 'quick "brown fox"', "--no-operators", *store).stdout


@pytest.mark.parametrize(
    ("query", "options", "path", "expected"),
    [
        ("dogs cats -joy", {}, "guide/dogs.md", ["-joy"]),
        ('sleeps "fox quick" +cat', {}, "guide/cats.md", ['"fox quick"']),
        ("path:ref novel +getUserName", {}, "guide/dogs.md", ["path:ref", "+getUserName"]),
        ("dogs bark novel", {"match": "all"}, "guide/dogs.md", ["at least 100 % of its words"]),
    ],
)
def test_an_absence_names_the_conditions_that_a_document_does_not_meet(kb, query, options, path, expected):
    results = kb.search(query, **options)
    passage = next(
        each
        for each in kb.document_store.filter_documents()
        if each.content and "__root_id" in each.meta and each.meta["path"] == path and not each.meta["__children_ids"]
    )
    reason = results.trace.why_not(passage.id).first
    assert (reason.cause, reason.figures["conditions"]) == ("condition", expected)


def test_a_count_is_that_of_all_matches(kb):
    for query in ("fox", "quick fox cats", '"quick brown"', "quick -cats"):
        every = kb.search(query, top_k=1000, fold=False)
        counted = kb.search(query, top_k=1, fold=False, count=True)
        assert (counted.total, counted.total_is_exact, len(counted)) == (len(every), True, 1)
