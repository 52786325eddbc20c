"""The time of a conversion grows with the length of a text, not faster."""

import gc
import time
from collections.abc import Callable

import pytest

from spaniel.components.converters.markdown import convert_markdown, convert_mdx
from spaniel.text.converted_text import ConvertedText
from tests.components.converters.markdown_patterns import PATTERNS

SIZE = 4_000


def measure(convert: Callable[[str], ConvertedText], text: str) -> float:
    gc.disable()  # a collection takes as long as all objects of the test run are many
    try:
        start = time.process_time()
        convert(text)
        return time.process_time() - start
    finally:
        gc.enable()


def convert_and_compare(name: str, convert: Callable[[str], ConvertedText]) -> None:
    small = max(measure(convert, PATTERNS[name](SIZE)), 0.004)
    # 16 times is quadratic; one measurement may be disturbed
    assert any(measure(convert, PATTERNS[name](4 * SIZE)) <= 10 * small + 0.05 for _ in range(3))


@pytest.mark.parametrize("name", PATTERNS)
def test_time_is_linear(name):
    convert_and_compare(name, convert_markdown)


@pytest.mark.parametrize("name", [name for name in PATTERNS if name.startswith(("'<", "'{", "'import", "'export"))])
def test_time_of_mdx_is_linear(name):
    convert_and_compare(name, convert_mdx)
