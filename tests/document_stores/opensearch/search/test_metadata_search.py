from hypothesis import given
from hypothesis import strategies as st

from spaniel.document_stores.opensearch.search.metadata_search import MetadataScoring, parts_of, similarity

TEXTS = st.text("abc ", max_size=12)
SIZES = st.integers(1, 5)


@given(TEXTS, TEXTS, SIZES)
def test_similarity_is_between_0_and_1_and_the_same_both_ways(first, second, n):
    found = similarity(first, second, n)
    assert 0 <= found <= 1
    assert found == similarity(second, first, n)


@given(TEXTS.filter(bool), SIZES)
def test_a_text_is_wholly_similar_to_itself_and_not_to_nothing(text, n):
    assert similarity(text, text, n) == 1
    assert similarity(text, "", n) == 0


def test_a_text_shorter_than_the_pieces_is_found_in_a_longer_one():
    assert similarity("c", "cab", 3) == 1 / 3


def test_parts_are_between_commas_and_count_once():
    assert parts_of(" a b ,c,, a b") == ["a b", "c"]


def test_every_part_of_the_query_adds_to_the_score():
    scoring = MetadataScoring(exact_match_weight=0)
    assert scoring.score(["python", "ada"], {"topic": "Python", "author": "Ada"}) == 2


def test_a_part_that_stands_in_a_value_adds_its_weight_once():
    row = {"topic": ["Python", "Python 3"], "title": "Python"}
    assert MetadataScoring(exact_match_weight=0.5).score(["PYTHON"], row) == 1.5
    assert MetadataScoring(exact_match_weight=0.5).score(["pythom"], row) < 1


def test_other_fields_count_by_the_tie_breaker():
    row = {"topic": "python", "title": "python"}
    assert MetadataScoring(0, tie_breaker=0).score(["python"], row) == 1
    assert MetadataScoring(0, tie_breaker=0.25).score(["python"], row) == 1.25


def test_what_is_no_text_counts_nothing():
    assert MetadataScoring().score(["1"], {"year": 1, "flag": True, "tags": [1, None], "at": {"a": "1"}}) == 0
