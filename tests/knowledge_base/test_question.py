"""Which words of a question are looked for."""

import pytest

from spaniel.knowledge_base.question import searched_text


@pytest.mark.parametrize(
    ("query", "searched"),
    [
        ("How do I publish a package?", "publish package"),
        ("what is a slice", "slice"),
        ("Wie heißt die Straße nach Norden?", "Wie heißt die Straße nach Norden"),
        ("while loop", "while loop"),
        ("this", "this"),
        ("who are you and", "and"),
        ("to be or not to be", "to or not to"),
        ("what is this that", "what is this that"),
        ("", ""),
    ],
)
def test_function_words_go_unless_the_query_is_short_or_nothing_is_left(query: str, searched: str) -> None:
    assert searched_text(query) == searched
