"""The mapping and the settings of an index with searched fields."""

import pytest

from spaniel.document_stores.embedded.indexing import FILE_NAME
from spaniel.document_stores.opensearch.schema.fields import Fields
from spaniel.document_stores.opensearch.schema.mapping import default_mapping
from spaniel.document_stores.opensearch.schema.word_analysis import make_analysis
from spaniel.document_stores.opensearch.schema.word_fields import WordFields
from spaniel.errors import DocumentStoreError

WEIGHTS = {"title": 2.0, "author.name": 3.0, FILE_NAME: 2.0}


def fields(*languages: str) -> WordFields:
    return WordFields("auto", WEIGHTS, languages)


def test_paths_have_the_weights_of_their_keys() -> None:
    assert fields().list_paths() == [
        ("content", 1.0),
        ("title.words", 2.0),
        ("author.name.words", 3.0),
        ("file_name.words", 2.0),
        ("path.file_name", 2.0),
    ]
    assert fields("german").list_paths("german", "content") == [("content.words_german", 1.0)]
    assert fields("german").list_paths("german", FILE_NAME) == [
        ("file_name.words_german", 2.0),
        ("path.file_name_german", 2.0),
    ]
    assert fields().list_paths(field="colour") == []


def test_the_mapping_records_the_fields() -> None:
    mapping = fields("german").complete_mapping(default_mapping(None))
    assert WordFields.read([mapping]) == fields("german")
    assert WordFields.read([mapping, mapping]) == fields("german")
    assert WordFields.read([mapping, default_mapping(None)]) is None
    assert WordFields.read([default_mapping(None)]) is None
    assert WordFields.read([{"_meta": {"spaniel": "other"}}]) is None
    assert WordFields.read([]) is None


def test_every_analyzer_of_the_mapping_is_in_the_settings() -> None:
    words = fields(*(name for name in ("english", "german", "czech", "greek", "persian", "spanish", "cjk", "hindi")))
    mapping = words.complete_mapping(default_mapping(None))
    analyzers = make_analysis()["analyzer"]
    rules = [mapping["properties"]["content"], *mapping["properties"]["content"]["fields"].values()]
    for template in mapping["dynamic_templates"]:
        rules += next(iter(template.values()))["mapping"].get("fields", {}).values()
    named = {rule[name] for rule in rules for name in ("analyzer", "search_analyzer") if name in rule}
    assert named <= analyzers.keys()
    assert "spaniel_words_hindi" not in named  # not stemmed


def test_every_part_of_an_analyzer_is_defined() -> None:
    analysis = make_analysis()
    for analyzer in analysis["analyzer"].values():
        assert set(analyzer["char_filter"]) <= analysis["char_filter"].keys()
        assert {name for name in analyzer["filter"] if name.startswith("spaniel_")} <= analysis["filter"].keys()


def test_a_language_is_added_to_the_fields_that_are_mapped() -> None:
    own = fields("english")
    mapping = own.complete_mapping(default_mapping(None))
    title = {"type": "keyword", "ignore_above": 9, "fields": {"date": {"type": "date"}, **own._subfields("words")}}
    author = {"properties": {"name": {"type": "keyword", "fields": own._subfields("words")}}}
    mapping["properties"] |= {"title": title, "author": author, "path": {"type": "keyword"}}
    change = own.add_languages(["german", "english"]).extend_mapping(mapping)
    assert WordFields.read([change]) == fields("english", "german")
    assert change["properties"]["title"]["fields"].keys() == {"date", "words", "words_english", "words_german"}
    assert change["properties"]["title"]["ignore_above"] == 9
    assert "words_german" in change["properties"]["author"]["properties"]["name"]["fields"]
    assert "path" not in change["properties"]  # mapped by other software
    others = [name for each in change["dynamic_templates"] for name in each]
    assert len(others) == len(set(others))
    assert others[-4:] == ["dates", "strings", "integers", "fractions"]


def test_filters_see_searched_keys_as_strings() -> None:
    rule = next(iter(fields("english")._templates()[0].values()))["mapping"]
    found = Fields({"title": rule}).get("meta.title")
    assert (found.kind, found.keyword) == ("string", "title")


def test_standard_without_fields_has_no_searched_fields() -> None:
    assert WordFields.make("standard", {}) is None
    assert WordFields.make("german", {}) == WordFields("german", {}, ("german",))
    assert WordFields.make("code", {}) == WordFields("code", {})
    for analyzer, weights in (("klingon", {}), ("standard", {"title": 2.0}), ("auto", {"title": 0.5})):
        with pytest.raises(DocumentStoreError, match=r"^On a cluster "):
            WordFields.make(analyzer, weights)
