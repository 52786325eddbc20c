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


def test_a_title_of_signs_only_gets_a_slug():
    assert github_slug("***") == docutils_slug("***") == "section"


def test_docutils_slugs_equal_docutils():
    from docutils.nodes import make_id

    for title in ("What's new in 1.2?", "The ``with`` statement", "Émile Zola", "2nd try", "a__b"):
        assert docutils_slug(title) == make_id(title)
