from itertools import product

import pytest
from haystack.core.type_utils import _get_conversion_strategy as reference
from haystack.dataclasses import ChatMessage
from hypothesis import given, settings

from spaniel.pipeline.conversion import find_conversion, name_of, text_of, unwrap, wrapped
from spaniel.pipeline.type_compatibility import fits
from tests.pipeline.test_type_compatibility import TYPES

NAMES = {
    "wrap": "wrapped",
    "unwrap": "unwrap",
    "chat_message_to_str": "text_of",
    "str_to_chat_message": "from_user",
    "wrap_chat_message_to_str": "text_of, wrapped",
    "wrap_str_to_chat_message": "from_user, wrapped",
    "unwrap_chat_message_to_str": "unwrap, text_of",
    "unwrap_str_to_chat_message": "unwrap, from_user",
}
ATOMS = [str, ChatMessage, int, str | ChatMessage, ChatMessage | None, str | int]
WITH_MESSAGES = [
    *ATOMS,
    *(list[atom] for atom in ATOMS),
    list[ChatMessage] | str,
    list[str] | ChatMessage,
    list[list[str]],
]


@settings(max_examples=500, deadline=None)
@given(sent=TYPES, wanted=TYPES)
def test_a_value_that_haystack_converts_is_converted(sent, wanted):
    expected = reference(sent, wanted)
    if expected is not None and not fits(sent, wanted):
        assert name_of(find_conversion(sent, wanted)) == NAMES[expected.value]


@pytest.mark.parametrize(("sent", "wanted"), list(product(WITH_MESSAGES, repeat=2)))
def test_chat_messages_and_texts_become_each_other_as_in_haystack(sent, wanted):
    if not fits(sent, wanted):
        expected, found = reference(sent, wanted), find_conversion(sent, wanted)
        assert (found and name_of(found)) == (expected and NAMES[expected.value])


def test_a_message_becomes_text_and_text_a_message():
    reply = [ChatMessage.from_assistant("dogs")]
    assert find_conversion(list[ChatMessage], str)(reply) == "dogs"
    assert find_conversion(str, list[ChatMessage])("dogs") == [ChatMessage.from_user("dogs")]


def test_a_message_without_text_is_refused():
    with pytest.raises(ValueError, match="without text"):
        text_of(ChatMessage.from_assistant())


@pytest.mark.parametrize(
    ("sent", "wanted", "expected"),
    [
        (str, list[str], wrapped),
        (bool, list[int], wrapped),
        (list[str], str, unwrap),
        (list[str], str | None, unwrap),
        (list[int], int, None),
        (list[list[str]], list[str], None),
        (str | None, list[str], None),
        (str, int, None),
    ],
)
def test_only_single_values_and_lists_of_text_are_converted(sent, wanted, expected):
    assert find_conversion(sent, wanted) is expected


@pytest.mark.parametrize("items", [[], ["a", "b"]])
def test_a_list_that_would_lose_items_is_not_unwrapped(items):
    with pytest.raises(ValueError, match=f"list of {len(items)} items"):
        unwrap(items)
