import re
from pathlib import Path

import pytest

from spaniel._engine import analyze, languages, query_words

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "analyzers.md").read_text(encoding="utf-8")


def rows(head: str) -> list[list[str]]:
    """Return the cells of a table of the page that begins with `head`, without its rules."""
    table = PAGE[PAGE.index(head) :].partition("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@pytest.mark.parametrize(("text", "terms"), [row[:2] for row in rows("| text | index terms")])
def test_terms_are_those_of_the_page(text, terms):
    assert analyze(quoted(text)[0], "auto") == quoted(terms)


@pytest.mark.parametrize(("query", "words"), [row[:2] for row in rows("| query | words | reason")])
def test_words_of_a_query_are_those_of_the_page(query, words):
    assert [word.term for word in query_words(quoted(query)[0], ["english"])] == quoted(words)


@pytest.mark.parametrize(("query", "words", "alternatives"), rows("| in the query | words"))
def test_weights_and_alternatives_are_those_of_the_page(query, words, alternatives):
    found = query_words(quoted(query)[0], ["english"])

    assert {word.term for word in found} == set(quoted(words))
    assert {term for word in found for term, _ in word.alternatives} == set(quoted(alternatives))
    weights = {1: "1", 0.5: "1/2", 1 / 3: "1/3"}
    assert {weights[word.weight] for word in found} == set(re.findall(r"(?<=\s)(\d(?:/\d)?)", words))


def test_the_page_names_every_language():
    sentence = PAGE[PAGE.index("The languages are those") :].partition("\n")[0]

    assert re.findall(r"[A-Z]\w+", sentence)[2:] == [name.capitalize() for name in languages()[:-2]]
