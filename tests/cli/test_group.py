"""What is said of commands and options that do not exist."""

import pytest

from tests.cli.test_app import NAMES, run


def said(*args: str) -> str:
    """Return what an error says, without the box around it."""
    result = run(*args)
    assert result.exit_code == 2
    return " ".join(result.stderr.replace("│", " ").split())


def test_an_unknown_option_names_those_of_the_command() -> None:
    text = said("search", "dogs", "--topk", "3")
    assert "No such option: --topk. Options: --store, --top-k, --merge, --no-merge, --window, " in text
    assert "--help" in text


def test_an_unknown_option_with_a_value_is_named_without_it() -> None:
    assert "No such option: --limit. Options: --store, --top-k, " in said("search", "dogs", "--limit=3")


@pytest.mark.parametrize("name", NAMES)
def test_every_command_does_so(name: str) -> None:
    assert "No such option: --nothing. Options: --" in said(name, "--nothing")


def test_an_unknown_option_before_the_command_does_so() -> None:
    assert "No such option: --nothing. Options: --version, --help" in said("--nothing")


def test_an_unknown_command_names_those_that_there_are() -> None:
    text = said("serch", "dogs")
    assert f"No such command: serch. Commands: {', '.join(NAMES)}" in text


def test_an_option_without_its_value_is_said_as_before() -> None:
    assert "requires an argument" in said("search", "dogs", "--window")
