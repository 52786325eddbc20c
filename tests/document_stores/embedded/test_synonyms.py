import pytest

from spaniel import Document
from spaniel.document_stores.embedded.synonyms import Rule, Synonyms
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.types.keyword_query import KeywordQuery


def search(texts, lines, query):
    store = InMemoryDocumentStore(analyzer="english", bm25_parameters={"near": 0.0})
    store.write_documents([Document(id=text, content=text) for text in texts])
    found = store.bm25_retrieval(KeywordQuery(query, expansion=Synonyms.parse(lines)))
    return {document.id: document.score for document in found}


def test_a_group_holds_in_both_directions_and_an_arrow_in_one():
    lines = ["# vehicles", "", "car, automobile", "bus => coach"]
    for query, expected in [("car", 2), ("automobile", 2), ("bus", 2), ("coach", 1)]:
        assert len(search(["car", "automobile", "bus", "coach"], lines, query)) == expected


def test_a_synonym_counts_less_than_the_word_and_more_than_another_form():
    found = search(["car", "automobile", "cars", "nothing"], ["car, automobile"], "car")
    assert list(found) == ["car", "automobile", "cars"]
    assert len(set(found.values())) == 3


def test_other_forms_of_both_sides_match():
    assert set(search(["automobiles", "x"], ["car, automobile"], "cars")) == {"automobiles"}


def test_a_rule_of_several_words_needs_all_of_them():
    lines = ["machine learning, ml"]
    assert set(search(["ml", "machine", "learning"], lines, "machine learning")) == {"ml", "machine", "learning"}
    assert set(search(["ml", "machine"], lines, "machine")) == {"machine"}


def test_a_synonym_of_several_words_is_worth_one():
    found = search(["ml", "machine learning", "machine"], ["ml => machine learning"], "ml")
    assert list(found) == ["ml", "machine learning", "machine"]


def test_a_backslash_makes_a_comma_part_of_a_word():
    assert Synonyms.parse(["a\\,b, c => d"]).rules == (Rule("a,b", ("d",)), Rule("c", ("d",)))


def test_a_file_is_read(tmp_path):
    file = tmp_path / "synonyms.txt"
    file.write_text("\ufeff# words\ncar, automobile\n", "utf-8")
    assert Synonyms.read(file) == Synonyms.read(str(file)) == Synonyms.parse(["car, automobile"])
    assert Synonyms.read(None) is None


@pytest.mark.parametrize("line", ["a => b => c", "=> a", "a =>", ","])
def test_a_malformed_line_is_named(line):
    with pytest.raises(ValueError, match=r"^Line 2 of the synonyms is malformed: "):
        Synonyms.parse(["a, b", line])


@pytest.mark.parametrize("synonyms", [3, [3], [None]])
def test_synonyms_are_a_file_or_lines(synonyms):
    with pytest.raises(ValueError, match=r"^synonyms must be a file, or lines such as "):
        Synonyms.read(synonyms)
