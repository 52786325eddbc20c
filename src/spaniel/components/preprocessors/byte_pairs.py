"""Byte pair encoding in n log n time, for long words."""

import heapq
from collections.abc import Mapping


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
