"""Random reStructuredText against docutils' own reading of it."""

import os

import pytest

from spaniel.components.converters.rst import convert_rst
from tests.components.converters.random_rst import DocumentMaker, find_words, read_with_docutils, squeeze

CASES = int(os.environ.get("SPANIEL_RANDOM_CASES", "200"))
BATCH = 50


def read_with_spaniel(source):
    converted = convert_rst(source)
    titles = dict(zip(converted.slugs, (heading.title for heading in converted.headings), strict=True))
    links = []
    for start, end, target in converted.references:
        slug = converted.anchors[target[1:]] if target.startswith("#") else None
        links.append((squeeze(converted.text[start:end]), target if slug is None else titles.get(slug, "")))
    headings = [(level, title) for level, title, _ in converted.headings]
    return find_words(converted.text), headings, sorted(links)


@pytest.mark.parametrize("start", range(0, CASES, BATCH))
def test_words_headings_and_links_are_those_of_docutils(start):
    for seed in range(start, min(start + BATCH, CASES)):
        source = DocumentMaker(seed).make()
        assert read_with_spaniel(source) == read_with_docutils(source), f"seed {seed}\n{source}"
