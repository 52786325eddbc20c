"""Random documents, converted, hold the words, headings and links that GitHub's parser finds."""

import os
from collections import Counter

import pytest

from spaniel.components.converters.markdown import convert_markdown
from tests.components.converters.random_markdown import Author, read_converted, read_rendered

DOCUMENTS = int(os.environ.get("SPANIEL_DOCUMENTS", "1600"))  # 30,000 take 5 minutes
PARTS = 8


@pytest.mark.parametrize("part", range(PARTS))
def test_words_headings_and_links_are_those_of_github(part):
    for seed in range(part, DOCUMENTS, PARTS):
        source = Author(seed).write()
        assert read_converted(convert_markdown(source)) == read_rendered(source), (seed, source)


@pytest.mark.parametrize("part", range(PARTS))
def test_random_changes_lose_no_word(part):
    for seed in range(part, DOCUMENTS // 4, PARTS):
        source = Author(seed).write_damaged()
        ours, theirs = read_converted(convert_markdown(source)), read_rendered(source)
        if "<" not in source and "[^" not in source:
            assert ours == theirs, (seed, source)
        elif "<!" not in source:  # an unclosed tag is text here, and hides words there
            assert not Counter(theirs.words) - Counter(ours.words), (seed, source)
