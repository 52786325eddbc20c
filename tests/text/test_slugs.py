import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaniel.text.slugs import docutils_slug, github_slug, unique_slugs


@given(st.lists(st.sampled_from(["a", "a-1", "a-1-1", "b", "a-2"]), max_size=12))
def test_unique_slugs_are_unique_and_keep_a_first_use_that_is_free(slugs):
    made = unique_slugs(slugs)
    assert len(set(made)) == len(slugs)
    assert all(name.startswith(slug) for name, slug in zip(made, slugs, strict=True))


def test_a_github_slug_keeps_letters_of_every_script_and_drops_signs():
    assert github_slug("Ünïcode & «Quotes»: 概要") == "ünïcode--quotes-概要"


@pytest.mark.parametrize(
    ("category", "kept", "dropped"),
    [
        ("letters", "aéßλд字かア한ʰªᵃ", ""),
        ("letters in circles and squares", "ⓐⓩ🄰🅉🅰🆉", ""),
        ("numbers that are letters", "ⅷↈ〇", "²½₂①⒈"),
        ("marks", "\u0301\u093f\u0903\u20dd", ""),
        ("digits", "0٣३", ""),
        ("connectors", "_‿⁀＿", ""),
        ("dashes", "-", "\u2013\u2014\uff0d"),
        ("signs", "", "+=$€©°^`|~<>🙂☃\ufe0f"[:-1]),
        ("punctuation", "", ".,;:!?'\"()[]{}@#%&*/\\。、「」"),
        ("spaces and controls", "", "\t\n\u00a0\u2003\u200b\u200d\x00\x7f\ufeff"),
    ],
)
def test_a_github_slug_keeps_characters_by_their_category(category, kept, dropped):
    assert github_slug(f"a{kept}b{dropped}c") == f"a{kept}bc".lower(), category


def test_github_slugs_of_whole_titles():
    titles = {
        "I ♥ unicode": "i--unicode",
        "Dash-dash": "dash-dash",
        "en–dash": "endash",
        "😄-😄": "-",
        "No Emoji 😄!": "no-emoji-",
        "हिन्दी भाषा": "हिन्दी-भाषा",
        "Профили пользователей": "профили-пользователей",
        "x²": "x",
        "a  b": "a--b",
        "ΑΣ": "ας",
    }
    assert {title: github_slug(title) for title in titles} == titles


def test_repeated_slugs_are_numbered_as_github_numbers_them():
    slugs = ["echo", "echo", "echo-1", "echo-1", "echo", "__proto__", "__proto__"]
    assert unique_slugs(slugs) == ["echo", "echo-1", "echo-1-1", "echo-1-2", "echo-2", "__proto__", "__proto__-1"]


def test_a_title_of_signs_only_gets_a_slug():
    assert github_slug("***") == docutils_slug("***") == "section"


def test_docutils_slugs_equal_docutils():
    from docutils.nodes import make_id

    for title in ("What's new in 1.2?", "The ``with`` statement", "Émile Zola", "2nd try", "a__b"):
        assert docutils_slug(title) == make_id(title)
