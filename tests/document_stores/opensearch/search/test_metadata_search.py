from hypothesis import given
from hypothesis import strategies as st

from spaniel.document_stores.opensearch.search.metadata_search import MetadataScoring, similarity, split_query

TEXTS = st.text("abc ", max_size=12)
SIZES = st.integers(1, 5)


@given(TEXTS, TEXTS, SIZES)
def test_similarity_is_symmetric_between_0_and_1(first, second, n):
    found = similarity(first, second, n)
    assert 0 <= found <= 1
    assert found == similarity(second, first, n)


@given(TEXTS.filter(bool), SIZES)
def test_similarity_to_itself_and_to_the_empty_text(text, n):
    assert similarity(text, text, n) == 1
    assert similarity(text, "", n) == 0


def test_text_shorter_than_the_ngrams_has_similarity():
    assert similarity("c", "cab", 3) == 1 / 3


def test_parts_are_distinct():
    assert split_query(" a b ,c,, a b") == ["a b", "c"]


def test_parts_add_up():
    scoring = MetadataScoring(exact_match_weight=0)
    assert scoring.score(["python", "ada"], {"topic": "Python", "author": "Ada"}) == 2


def test_contained_part_adds_its_weight_once():
    row = {"topic": ["Python", "Python 3"], "title": "Python"}
    assert MetadataScoring(exact_match_weight=0.5).score(["PYTHON"], row) == 1.5
    assert MetadataScoring(exact_match_weight=0.5).score(["pythom"], row) < 1


def test_tie_breaker_weights_other_fields():
    row = {"topic": "python", "title": "python"}
    assert MetadataScoring(0, tie_breaker=0).score(["python"], row) == 1
    assert MetadataScoring(0, tie_breaker=0.25).score(["python"], row) == 1.25


def test_non_text_has_no_score():
    assert MetadataScoring().score(["1"], {"year": 1, "flag": True, "tags": [1, None], "at": {"a": "1"}}) == 0
