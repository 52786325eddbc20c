import doctest
from pathlib import Path

from spaniel.filters.operators import OPERATORS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "filters.md"


def test_the_examples_of_the_page_are_correct():
    failed, tried = doctest.testfile(str(PAGE), module_relative=False)
    assert failed == 0
    assert tried > 30


def test_the_page_shows_every_operator_in_an_example():
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in OPERATORS if f'"operator": "{name}"' not in text] == []
