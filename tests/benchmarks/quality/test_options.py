"""The options of the command."""

import argparse

import pytest

from benchmarks.quality.__main__ import option


@pytest.mark.parametrize(
    ("text", "value"),
    [("merge=False", False), ("top_k=5", 5), ("follow=['links']", ["links"]), ("analyzer=english", "english")],
)
def test_a_value_is_a_literal_or_text(text, value):
    assert option(text) == (text.partition("=")[0], value)


def test_an_option_without_a_value_is_refused():
    with pytest.raises(argparse.ArgumentTypeError, match="not KEY=VALUE"):
        option("merge")
