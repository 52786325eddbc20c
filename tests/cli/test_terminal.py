"""Text that is safe to print."""

import json

import pytest

from spaniel.cli.terminal import escape_json, sanitize, sanitize_line

TURNS = [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]
ENDS = [0x2028, 0x2029]


@pytest.mark.parametrize("code", [0x1B, 0x7F, 0x9B, *TURNS, *ENDS])
def test_a_character_that_steers_the_terminal_is_replaced(code: int) -> None:
    assert sanitize(f"a{chr(code)}b") == sanitize_line(f"a{chr(code)}b") == "a?b"


def test_other_text_stays() -> None:
    text = "Straße 漢字 שלום \u200f🐕 – …\tx\ny"
    assert sanitize(text) == text


def test_a_line_stays_one() -> None:
    assert sanitize_line("a\tb\nc\r\n") == "a?b?c??"


def test_json_means_the_same() -> None:
    value = {"".join(map(chr, [*TURNS, *ENDS, 0x7F, 0x9B])): ["a\nb", "漢"]}
    printed = escape_json(json.dumps(value, ensure_ascii=False, indent=2))
    assert json.loads(printed) == value
    assert sanitize(printed) == printed
