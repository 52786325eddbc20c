"""Near duplicates: equal to a comparison of all pairs."""

import math

from hypothesis import given
from hypothesis import strategies as st

from spaniel.strategies.near_duplicates import CONTAINMENT, NearDuplicates, Shingles, find_page, make_shingles

WORDS = st.lists(st.sampled_from("abcd"), max_size=14).map(" ".join)
SENTENCE = "the quick brown fox jumps over the lazy dog and runs away from all the hounds of the old castle"


def find_slowly(texts: list[Shingles], text: Shingles) -> int | None:
    needed = math.ceil(CONTAINMENT * len(text))
    return next((number for number, other in enumerate(texts) if len(text & other) >= needed), None)


@given(st.lists(WORDS, max_size=12))
def test_equals_a_comparison_of_all_pairs(texts: list[str]) -> None:
    known, kept = NearDuplicates(), list[Shingles]()
    for text in map(make_shingles, texts):
        found = known.find(text, None)
        assert found == find_slowly(kept, text)
        if found is None:
            known.add(text, None)
            kept.append(text)


def find_one(first: str, second: str, *paths: str) -> int | None:
    known = NearDuplicates()
    known.add(make_shingles(first), paths[0] if paths else None)
    return known.find(make_shingles(second), paths[1] if paths else None)


def test_case_punctuation_and_markup_do_not_count() -> None:
    assert find_one("See **Install**, below.", "see install below") == 0


def test_a_changed_word_in_a_long_text_is_nearly_the_same_and_two_are_not() -> None:
    text = [f"w{number}" for number in range(50)]
    one, two = [*text[:25], "x", *text[26:]], [*text[:12], "x", *text[13:36], "y", *text[37:]]
    assert find_one(" ".join(text), " ".join(one)) == 0
    assert find_one(" ".join(text), " ".join(two)) is None


def test_a_part_gives_way_to_the_whole_but_not_the_reverse() -> None:
    part = " ".join(SENTENCE.split()[:8])
    assert find_one(SENTENCE, part) == 0
    assert find_one(part, SENTENCE) is None


def test_a_page_and_its_source_may_be_cut_at_different_places() -> None:
    words = SENTENCE.split()
    page, source = " ".join(words[:14]), " ".join(words[4:])
    assert find_one(page, source) is None
    assert find_one(page, source, "a/x.html", "a/_sources/x.rst.txt") == 0
    assert find_one(page, source, "a/x.html", "a/_sources/y.rst.txt") is None
    assert find_one(page, source, "a/x.html", "a/x.html") is None


def test_texts_without_words_are_equal_or_not() -> None:
    assert find_one("---", " --- ") == 0
    assert find_one("---", "***") is None


def test_only_sources_of_sphinx_have_a_page() -> None:
    assert find_page("_sources/index.md.txt") == "index.html"
    assert find_page("_sources/notes.txt") == "notes.html"
    assert find_page("docs/index.md.txt") == "docs/index.md.txt"
