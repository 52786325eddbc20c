"""The queries for words, and the spellings of unknown ones."""

from typing import Any

import pytest

from spaniel.document_stores.embedded.synonyms import Synonyms
from spaniel.document_stores.opensearch.schema.fields import Fields
from spaniel.document_stores.opensearch.schema.word_fields import WordFields
from spaniel.document_stores.opensearch.search.spellings import (
    make_suggesters,
    measure_distance,
    read_suggestions,
    widen_word,
)
from spaniel.document_stores.opensearch.search.word_query import NamedWord, WordQueries, read_words
from spaniel.document_stores.types.keyword_query import Condition, KeywordQuery

ENGLISH = WordFields("english", {"title": 2.0}, ("english",))


def matches(query: Any, kind: str) -> list[dict[str, Any]]:
    """Return the bodies of all queries of a kind inside a query."""
    if isinstance(query, list):
        return [found for each in query for found in matches(each, kind)]
    if not isinstance(query, dict):
        return []
    own = [query[kind]] if kind in query else []
    return own + [found for each in query.values() for found in matches(each, kind)]


def word(text: str, fields: WordFields = ENGLISH) -> NamedWord:
    return read_words(KeywordQuery(text), fields)[0]


def test_a_word_counts_as_written_half_of_its_stem() -> None:
    exact, forms = matches(WordQueries(ENGLISH).match_word(word("dogs")), "combined_fields")
    assert exact["fields"] == ["content", "title.words^2"]
    assert forms["fields"] == ["content.words_english", "title.words_english^2"]
    assert forms["boost"] == pytest.approx(2 * exact["boost"])
    assert exact["boost"] + forms["boost"] == pytest.approx(1.0)


def test_a_repeated_word_counts_more_up_to_a_limit() -> None:
    once, often = (
        sum(each["boost"] for each in matches(WordQueries(ENGLISH).match_word(word(text)), "combined_fields"))
        for text in ("dogs", "dogs dogs dogs dogs")
    )
    assert often / once == pytest.approx(9 * 4 / 12)


def test_the_best_of_several_languages_counts() -> None:
    fields = WordFields("auto", {}, ("english", "german", "cjk", "hindi"))
    (best,) = matches(WordQueries(fields).match_word(word("Gärten", fields)), "dis_max")
    assert [each["fields"] for each in matches(best, "combined_fields")] == [
        ["content.words_english"],
        ["content.words_german"],
    ]


def test_pairs_of_chinese_characters_have_a_field() -> None:
    queries = WordQueries(WordFields("cjk", {}, ("cjk",)))
    fields = [
        matches(queries.match_word(each), "combined_fields")[0]["fields"]
        for each in read_words(KeywordQuery("中国"), queries.words)
    ]
    assert sorted(fields) == [["content"], ["content"], ["content.words_cjk"]]
    without = WordQueries(WordFields("auto", {}, ("english",)))
    assert matches(
        [without.match_word(each) for each in read_words(KeywordQuery("中国"), without.words)], "multi_match"
    )


def test_synonyms_are_alternatives() -> None:
    query = KeywordQuery("car", expansion=Synonyms.parse(["car, automobile"]))
    (found,) = read_words(query, ENGLISH)
    bodies = matches(WordQueries(ENGLISH).match_word(found)["dis_max"]["queries"], "combined_fields")
    assert [(each["query"], round(each["boost"], 3)) for each in bodies] == [
        ("car", 0.333),
        ("car", 0.667),
        ("automobile", 0.267),
        ("automobile", 0.533),
    ]


def test_an_older_server_searches_the_best_field() -> None:
    query = WordQueries(ENGLISH, combines=False).match_word(word("dogs"))
    assert {each["type"] for each in matches(query, "multi_match")} == {"best_fields"}
    assert matches(query, "combined_fields") == []


@pytest.mark.parametrize(
    ("condition", "kind", "path"),
    [
        (Condition("phrase", "brown fox"), "multi_match", "content"),
        (Condition("phrase", "brown fox", "title"), "multi_match", "title.words^2"),
        (Condition("prefix", "dog", "content"), "prefix", "content"),
        (Condition("word", "dog", "title"), "combined_fields", "title.words^2"),
    ],
)
def test_a_condition_is_a_query_of_its_field(condition, kind, path) -> None:
    assert path in str(matches(WordQueries(ENGLISH).require(condition), kind))


def test_a_key_that_is_not_searched_is_matched_by_its_words() -> None:
    queries = WordQueries(ENGLISH, Fields({"kind": {"type": "keyword"}, "year": {"type": "long"}}))
    (found,) = matches(queries.require(Condition("phrase", "big (pet)", "kind")), "regexp")
    assert found["kind"]["value"].count("big") == 1
    assert "\\(" not in found["kind"]["value"]  # between words anything but letters
    assert queries.require(Condition("word", "2020", "year")) == {"match_none": {}}


def test_a_share_of_the_words_is_rounded_down_to_at_least_one() -> None:
    words = read_words(KeywordQuery("quick fox sleeps"), ENGLISH)
    least = [
        WordQueries(ENGLISH).require_words(words, number)["bool"]["minimum_should_match"]
        for number in (1.0, 0.5, 0.1, 2, 9)
    ]
    assert least == [3, 1, 1, 2, 3]


def test_only_whole_words_of_letters_have_spellings() -> None:
    words = read_words(KeywordQuery("ownershp getUserNam 3.11 b7x 中国"), ENGLISH)
    named = [words[int(number)].name for number in make_suggesters(words, "content")]
    assert named == ["ownershp", "getusernam"]


def test_suggestions_are_near_and_frequent() -> None:
    options = [("ownership", 3), ("ownerships", 9), ("township", 9), ("membership", 5)]
    answer = {"0": [{"options": [{"text": text, "freq": frequency} for text, frequency in options]}]}
    assert read_suggestions(answer, [word("ownershp")]) == {0: ["ownership", "ownerships"]}


def test_a_word_matches_its_neighbours_at_one_mistake() -> None:
    widened = widen_word(word("dgos"), ["dogs", "egos", "does"])
    assert widened.word[0] == [("dgos", 1.0), ("dogs", 0.375), ("egos", 0.375)]
    assert widen_word(word("internationalisatoin"), ["internationalisation"]) == word("internationalisatoin")


@pytest.mark.parametrize(("first", "second", "edits"), [("", "ab", 2), ("abc", "acb", 1), ("kitten", "sitting", 3)])
def test_edits_are_counted(first, second, edits) -> None:
    assert measure_distance(first, second) == measure_distance(second, first) == edits
