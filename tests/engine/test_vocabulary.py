import random
from array import array
from functools import cache

import pytest

from spaniel._engine import KeywordIndex, word_sequence


def make_index(*texts, fields=1):
    index = KeywordIndex("words", fields)
    slots = array("Q", range(len(texts)))
    others = [list(texts)] * (fields - 1)
    index.apply(array("Q"), index.prepare(slots, list(texts), others=others))
    return index


@cache
def edits(word, other):
    """Optimal string alignment, by its definition."""
    if not word or not other:
        return len(word) + len(other)
    found = [
        edits(word[:-1], other[:-1]) + (word[-1] != other[-1]),
        edits(word[:-1], other) + 1,
        edits(word, other[:-1]) + 1,
    ]
    if word[-2:] == other[: -3 : -1] and len(word) > 1 and len(other) > 1:
        found.append(edits(word[:-2], other[:-2]) + 1)
    return min(found)


def random_word(choose, longest):
    return "".join(choose.choice("abcé") for _ in range(choose.randint(1, longest)))


def test_the_words_with_a_prefix_are_those_of_a_scan():
    choose = random.Random(1)
    texts = [" ".join(random_word(choose, 7) for _ in range(30)) for _ in range(40)]
    index = make_index(*texts, fields=2)
    index.apply(array("Q", range(0, 40, 3)))
    live = [text.split() for slot, text in enumerate(texts) if slot % 3]
    for prefix in ("a", "ab", "abca", "bcabc", "é", "cé", "x"):
        words = {word for text in live for word in text if word.startswith(prefix)}
        counted = [(word, sum(word in text for text in live)) for word in sorted(words)]
        expected = sorted(counted, key=lambda pair: -pair[1])
        assert index.words_with_prefix(prefix) == expected
        assert index.words_with_prefix(prefix, 3) == expected[:3]


def test_a_word_within_one_edit_is_found_by_a_scan_and_by_the_index():
    choose = random.Random(2)
    words = {random_word(choose, 6) for _ in range(300)}
    index = make_index(*words)
    for _ in range(150):
        word = random_word(choose, 6)
        unknown = index.unknown_words(word, ["code"])
        near = {other for other in words if min(len(other), len(word)) >= 3 and edits(word, other) <= 1}
        found = {other for _, _, spellings in unknown for other, count, _ in spellings if count == 1}
        assert found == (set() if word in words else near)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("ownershp", [(0, 8, [("ownership", 1, 1)])]),
        ("the dgo", [(4, 7, [("dog", 1, 2)])]),
        ("becuase", [(0, 7, [("because", 1, 1)])]),
        ("dog dogs barking", []),
        ("2024 x1 日木", []),
        ("xyzzyx", []),
    ],
)
def test_unknown_words_have_their_place_and_spellings(query, expected):
    index = make_index("dog ownership because", "dog 2025 x2 日本", "bark")
    assert index.unknown_words(query, ["english"]) == expected


def test_the_nearest_spelling_is_first_then_the_most_frequent():
    index = make_index("barked balked", "balked", "parkers barker")
    [(_, _, spellings)] = index.unknown_words("bakked", ["code"])
    assert spellings == [("balked", 1, 2), ("barked", 1, 1)]


def test_documents_are_counted_by_words_forms_and_fields():
    index = KeywordIndex("words", 2)
    texts, titles = ["dogs bark", "a dog", "cats", "a cat barks"], ["", "barking", "dogs", ""]
    index.apply(array("Q"), index.prepare(array("Q", range(4)), texts, others=[titles]))

    def find(query, least, **options):
        return index.find_documents(query, languages=["english"], least=least, **options).tolist()

    assert (find("dog bark", 2), find("dog bark", 1), find("dog bark", 0)) == ([0, 1], [0, 1, 2, 3], [0, 1, 2, 3])
    assert (find("dog", 1, field=0), find("dog", 1, field=1), find("dog", 1, field=7)) == ([0, 1], [2], [])
    assert find([([("dog", 1.0)], 1.0, 1.0, False)], 1) == [1]
    assert (find("barx", 1), find("barx", 1, near=True)) == ([], [0])
    index.apply(array("Q", [1]))
    assert (find("dog", 1), find("", 0)) == ([0, 2], [0, 2, 3])


def test_a_sequence_has_an_identifier_and_a_character_once():
    assert word_sequence("Call getUserName, an e-mail of 日本.") == [
        *("call", "getusername", "an", "e", "mail", "of", "日", "本"),
    ]
