"""How long a text is: in characters, or in tokens as any tokenizer counts them."""

from collections.abc import Callable, Sized
from typing import Any

Length = Callable[[str], int]

_BYTES_OF_A_TOKEN = 4
_METHODS = ("count_tokens", "encode_ordinary", "encode", "tokenize")


def about_tokens(text: str) -> int:
    """Return about how many tokens a text has: a quarter of its UTF-8 bytes, rounded up.

    For English text that is near to what language models count; a Chinese character counts 0.75.

    >>> about_tokens("How long is it?"), about_tokens("東京都"), about_tokens("")
    (4, 3, 0)
    """
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return -(-size // _BYTES_OF_A_TOKEN)


def length_of(tokenizer: Any, default: Length = about_tokens) -> Length:
    """Return the function that measures texts.

    :param tokenizer: None: `default`; a callable that returns a number or the tokens; or an object with a method
        ``count_tokens``, ``encode_ordinary``, ``encode`` or ``tokenize``, such as tiktoken's encodings and the tokenizers
        of transformers.
    :param default: what measures without a tokenizer.
    :raises ValueError: it is nothing of that kind.

    >>> length_of(str.split)("one two"), length_of(len)("one two"), length_of(None)("one two")
    (2, 7, 2)
    """
    if tokenizer is None:
        return default
    method = next((getattr(tokenizer, name) for name in _METHODS if callable(getattr(tokenizer, name, None))), None)
    count = method if method is not None and not isinstance(tokenizer, type) else tokenizer
    if isinstance(tokenizer, str) or not callable(count):
        raise ValueError(
            f"A tokenizer must be a callable, or have a method {', '.join(_METHODS)}; {tokenizer!r:.100} does not."
        )
    return lambda text: _number(count(text))


def _number(counted: Any) -> int:
    if isinstance(counted, int):
        return counted
    tokens = getattr(counted, "ids", counted)  # an Encoding of the package tokenizers
    if not isinstance(tokens, Sized):
        raise ValueError(f"A tokenizer must return a number or the tokens, not {counted!r:.100}.")
    return len(tokens)
