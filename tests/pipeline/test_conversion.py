import pytest
from haystack.core.type_utils import _get_conversion_strategy as reference
from hypothesis import given, settings

from spaniel.pipeline.conversion import conversion_between, unwrapped, wrapped
from spaniel.pipeline.type_check import fits
from tests.pipeline.test_type_check import TYPES

NAMES = {"wrap": "wrapped", "unwrap": "unwrapped"}


@settings(max_examples=500, deadline=None)
@given(sent=TYPES, wanted=TYPES)
def test_a_value_that_haystack_converts_is_converted(sent, wanted):
    expected = reference(sent, wanted)
    if expected is not None and not fits(sent, wanted):
        assert conversion_between(sent, wanted).__name__ == NAMES[expected.value]


@pytest.mark.parametrize(
    ("sent", "wanted", "expected"),
    [
        (str, list[str], wrapped),
        (bool, list[int], wrapped),
        (list[str], str, unwrapped),
        (list[str], str | None, unwrapped),
        (list[int], int, None),
        (list[list[str]], list[str], None),
        (str | None, list[str], None),
        (str, int, None),
    ],
)
def test_only_single_values_and_lists_of_text_are_converted(sent, wanted, expected):
    assert conversion_between(sent, wanted) is expected


@pytest.mark.parametrize("items", [[], ["a", "b"]])
def test_a_list_that_would_lose_items_is_not_unwrapped(items):
    with pytest.raises(ValueError, match=f"list of {len(items)} items"):
        unwrapped(items)
