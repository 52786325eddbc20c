import pytest
from hypothesis import given
from hypothesis import strategies as st

from spaniel.document_stores.types.keyword_query import Condition
from spaniel.knowledge_base.query_syntax import parse_query


def parse(query):
    return parse_query(query, ["title", "path", "author.name"], ["title"])


def word(text, field=None, *, excluded=False):
    return Condition("word", text, field, excluded)


def phrase(text, field=None, *, excluded=False):
    return Condition("phrase", text, field, excluded)


@pytest.mark.parametrize(
    ("query", "text", "conditions"),
    [
        ('"brown fox" jumps', '"brown fox" jumps', [phrase("brown fox")]),
        ("“brown fox”", "“brown fox”", [phrase("brown fox")]),
        ('-"brown fox" jumps', "             jumps", [phrase("brown fox", excluded=True)]),
        ("+dogs bark", " dogs bark", [word("dogs")]),
        ("dogs -cats", "dogs      ", [word("cats", excluded=True)]),
        ("(dogs -cats)", "(dogs       ", [word("cats)", excluded=True)]),
        ("+e-mail", " e-mail", [word("e-mail")]),
        ("title:dogs bark", "      dogs bark", [word("dogs", "title")]),
        ("path:guide bark", "           bark", [word("guide", "path")]),
        ("author.name:knuth tex", "                  tex", [word("knuth", "author.name")]),
        ("content:dogs", "        dogs", [word("dogs", "content")]),
        ('-title:"a war"', "              ", [phrase("a war", "title", excluded=True)]),
        ("path:2024", "         ", [word("2024", "path")]),
        (
            'in a short query "brown fox" is a condition',
            'in a short query "brown fox" is a condition',
            [phrase("brown fox")],
        ),
        ('x x x x x x x x +"brown fox"', 'x x x x x x x x  "brown fox"', [phrase("brown fox")]),
    ],
)
def test_operators_become_conditions(query, text, conditions):
    parsed = parse(query)
    assert (parsed.text, parsed.prefixes, list(parsed.conditions)) == (text, (), conditions)


@pytest.mark.parametrize(
    ("query", "prefixes", "conditions"),
    [
        ("dog* bark", ("dog",), []),
        ("+dog*", ("dog",), [Condition("prefix", "dog")]),
        ("-dog*", (), [Condition("prefix", "dog", None, is_excluded=True)]),
        ("title:dog*", ("dog",), [Condition("prefix", "dog", "title")]),
        ("path:dog*", (), [Condition("prefix", "dog", "path")]),
        ("dog* dog*", ("dog",), []),
    ],
)
def test_prefixes_are_ranked_by_unless_they_are_excluded(query, prefixes, conditions):
    parsed = parse(query)
    assert (parsed.prefixes, list(parsed.conditions)) == (prefixes, conditions)


@pytest.mark.parametrize(
    "query",
    [
        *("", " ", "+", "-", "*", ":", '"', '""', '" "', "+ - * :", '5" disk', 'a "b', '"a"b', "it's 'so'"),
        *("ls -g", "--verbose", "-10", "-x86", "+49 30 1234", "a+b", "C++", "c*", "**bold**", "*args", "f(*a)"),
        *('What is "a song" +title:x -y?', 'so -long "?"', "那只 -ab cd？"),
        'They sang in a band that was called "the brown foxes"',
        *("std::vector", "http://x", "12:30", "title: dogs", "title:", "other:dogs", "title::x", 'title:"a'),
    ],
)
def test_everything_else_is_text(query):
    parsed = parse(query)
    assert (parsed.text, parsed.prefixes, parsed.conditions) == (query, (), ())


@given(st.text() | st.text("ab1 \"“”+-*:()_\\'.\0título日\ntile"))
def test_every_string_is_a_query_and_a_word_keeps_its_place(query):
    parsed = parse(query)
    assert len(parsed.text) == len(query)
    assert all(new in (old, " ") for new, old in zip(parsed.text, query, strict=True))
