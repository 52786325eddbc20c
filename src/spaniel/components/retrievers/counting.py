"""Retrievers that count tokens: how their tokenizer is given, and written down."""

from typing import Any, Self

from spaniel.components.preprocessors.tokens import encoding_bounds
from spaniel.components.retrievers.over_store import OverStore
from spaniel.core.callables import deserialize_callable, serialize_callable
from spaniel.core.serialization import default_from_dict
from spaniel.strategies.lengths import Length, TokenCounter, make_length_function


class Counting(OverStore):
    """A component with a parameter `tokenizer`: a name of an encoding, a callable, a tokenizer, or None."""

    tokenizer: Any

    def _init_parameters(self) -> dict[str, Any]:
        written = super()._init_parameters()
        if callable(tokenizer := written.get("tokenizer")) and not hasattr(tokenizer, "to_dict"):
            written["tokenizer"] = serialize_callable(tokenizer)
        return written

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return the component that `to_dict` wrote.

        :raises DeserializationError: a parameter is unknown, or the tokenizer's module is not allowed (see
            `spaniel.core.serialization.allow_deserialization_module`).
        """
        return default_from_dict(cls, with_tokenizer(data))


def with_tokenizer(data: dict[str, Any]) -> dict[str, Any]:
    """Return the data of a component with its tokenizer loaded, if that was written by the name of a function."""
    parameters = dict(data.get("init_parameters") or {})
    if isinstance(name := parameters.get("tokenizer"), str) and "." in name:
        parameters["tokenizer"] = deserialize_callable(name)
    return {**data, "init_parameters": parameters}


def checked_tokenizer(tokenizer: Any) -> Any:
    """Return a tokenizer as it was given.

    :raises ValueError: it is no known name, and nothing that counts.
    :raises ImportError: it is a name, and the package of the encodings is not installed.
    """
    token_counter(tokenizer)
    return tokenizer


def token_counter(tokenizer: Any) -> Length | None:
    """Return what counts tokens; None if no tokenizer is given.

    >>> token_counter("o200k_base")("one two three")
    3
    """
    if isinstance(tokenizer, str):
        bounds = encoding_bounds(tokenizer)
        return TokenCounter(lambda text: len(bounds(text)) - 1, tokenizer)
    return None if tokenizer is None else make_length_function(tokenizer)
