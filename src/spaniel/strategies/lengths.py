"""How long a text is: in characters, or in tokens as any tokenizer counts them."""

from collections.abc import Callable, Sized
from dataclasses import dataclass
from typing import Any

Length = Callable[[str], int]

_BYTES_OF_A_TOKEN = 4
_METHODS = ("count_tokens", "encode_ordinary", "encode", "tokenize")


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a text has: a quarter of its UTF-8 bytes, rounded up.

    For English text that is near to what language models count; a Chinese character counts 0.75.

    >>> estimate_tokens("How long is it?"), estimate_tokens("東京都"), estimate_tokens("")
    (4, 3, 0)
    """
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return -(-size // _BYTES_OF_A_TOKEN)


def make_length_function(tokenizer: Any, default: Length = estimate_tokens) -> Length:
    """Return the function that measures texts.

    :param tokenizer: None: `default`; a callable that returns a number or the tokens; or an object with a method
        ``count_tokens``, ``encode_ordinary``, ``encode`` or ``tokenize``, such as tiktoken's encodings and the tokenizers
        of transformers.
    :param default: what measures without a tokenizer.
    :raises ValueError: it is nothing of that kind.

    >>> make_length_function(str.split)("one two"), make_length_function(len)("one two"), make_length_function(None)("one two")
    (2, 7, 2)
    """
    if tokenizer is None:
        return default
    name = next((name for name in _METHODS if callable(getattr(tokenizer, name, None))), None)
    if not isinstance(tokenizer, (str, type)) and name is not None:
        return TokenCounter(getattr(tokenizer, name), f"{type(tokenizer).__name__}.{name}")
    if not callable(tokenizer):
        raise ValueError(
            f"A tokenizer must be a callable, or have a method {', '.join(_METHODS)}; {tokenizer!r:.100} does not."
        )
    return TokenCounter(tokenizer, getattr(tokenizer, "__qualname__", type(tokenizer).__name__))


@dataclass(frozen=True, repr=False)
class TokenCounter:
    """Measures texts by what a tokenizer returns.

    :param count: takes a text, returns a number or the tokens.
    :param name: how a trace shows it.
    """

    count: Callable[[str], Any]
    name: str

    def __call__(self, text: str) -> int:
        """Return the length of a text."""
        return _number(self.count(text))

    def __repr__(self) -> str:
        return self.name


def _number(counted: Any) -> int:
    if isinstance(counted, int):
        return counted
    tokens = getattr(counted, "ids", counted)  # an Encoding of the package tokenizers
    if not isinstance(tokens, Sized):
        raise ValueError(f"A tokenizer must return a number or the tokens, not {counted!r:.100}.")
    return len(tokens)
