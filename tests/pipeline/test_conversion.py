from itertools import product

import pytest
from haystack.core.type_utils import _get_conversion_strategy as reference
from haystack.dataclasses import ChatMessage
from hypothesis import given, settings

from spaniel.pipeline.conversion import extract_text, find_conversion, get_conversion_name, unwrap, wrap
from spaniel.pipeline.type_compatibility import is_assignable
from tests.pipeline.test_type_compatibility import TYPES

NAMES = {
    "wrap": "wrap",
    "unwrap": "unwrap",
    "chat_message_to_str": "extract_text",
    "str_to_chat_message": "from_user",
    "wrap_chat_message_to_str": "extract_text, wrap",
    "wrap_str_to_chat_message": "from_user, wrap",
    "unwrap_chat_message_to_str": "unwrap, extract_text",
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
def test_converts_values_that_haystack_converts(sent, wanted):
    expected = reference(sent, wanted)
    if expected is not None and not is_assignable(sent, wanted):
        assert get_conversion_name(find_conversion(sent, wanted)) == NAMES[expected.value]


@pytest.mark.parametrize(("sent", "wanted"), list(product(WITH_MESSAGES, repeat=2)))
def test_converts_chat_messages_as_haystack_does(sent, wanted):
    if not is_assignable(sent, wanted):
        expected, found = reference(sent, wanted), find_conversion(sent, wanted)
        assert get_conversion_name(found) == (NAMES[expected.value] if expected else "")


def test_converts_between_messages_and_text():
    reply = [ChatMessage.from_assistant("dogs")]
    first, second = find_conversion(list[ChatMessage], str)
    assert second(first(reply)) == "dogs"
    first, second = find_conversion(str, list[ChatMessage])
    assert second(first("dogs")) == [ChatMessage.from_user("dogs")]


def test_rejects_messages_without_text():
    with pytest.raises(ValueError, match="without text"):
        extract_text(ChatMessage.from_assistant())


@pytest.mark.parametrize(
    ("sent", "wanted", "expected"),
    [
        (str, list[str], (wrap,)),
        (bool, list[int], (wrap,)),
        (list[str], str, (unwrap,)),
        (list[str], str | None, (unwrap,)),
        (list[int], int, ()),
        (list[list[str]], list[str], ()),
        (str | None, list[str], ()),
        (str, int, ()),
    ],
)
def test_converts_single_values_and_lists_of_text_only(sent, wanted, expected):
    assert find_conversion(sent, wanted) == expected


@pytest.mark.parametrize("items", [[], ["a", "b"]])
def test_unwrap_rejects_lists_that_would_lose_items(items):
    with pytest.raises(ValueError, match=f"list of {len(items)} items"):
        unwrap(items)
