from hypothesis import given, settings
from hypothesis import strategies as st

from spaniel.components.preprocessors.byte_pairs import byte_pairs


def slowly(word: bytes, ranks: dict[bytes, int]) -> list[int]:
    parts = [bytes([byte]) for byte in word]
    while True:
        pairs = [
            (ranks[parts[at] + parts[at + 1]], at) for at in range(len(parts) - 1) if parts[at] + parts[at + 1] in ranks
        ]
        if not pairs:
            return [ranks[part] for part in parts]
        _, at = min(pairs)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]


vocabularies = st.lists(st.text("abc", min_size=2, max_size=6), unique=True, max_size=25).map(
    lambda words: {bytes(word, "ascii"): rank for rank, word in enumerate([*"abc", *words])}
)


@settings(max_examples=500, deadline=None)
@given(st.text("abc", max_size=30), vocabularies)
def test_tokens_equal_those_of_joining_the_lowest_pair_again_and_again(word, ranks):
    assert byte_pairs(word.encode(), ranks) == slowly(word.encode(), ranks)


def test_a_long_word_is_no_problem():
    ranks = {b"a": 0, b"aa": 1, b"aaaa": 2}

    assert byte_pairs(b"a" * 100_003, ranks) == [2] * 25_000 + [1, 0]
