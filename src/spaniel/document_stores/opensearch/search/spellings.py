"""Other spellings of the words of a query that no document has, from the server's term suggester."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from spaniel.document_stores.opensearch.search.word_query import NamedWord
from spaniel.json_types import JsonObject

if TYPE_CHECKING:
    from spaniel.document_stores.types.keyword_query import QueryWord

_WORD = re.compile(r"[^\W\d_]{3,}")
_MIN_LETTERS_FOR_TWO = 6  # of a word in which two letters may differ
_MAX_LETTERS, _MAX_NEAR = 11, 3  # of a word that also matches its neighbours, and of these
_NEAR = 0.5
_CANDIDATES = 20


def make_suggesters(words: Sequence[NamedWord], path: str) -> JsonObject:
    """Return the suggesters for words that the field at a path lacks, by the number of the word."""
    options = {
        "field": path,
        "suggest_mode": "missing",
        "max_edits": 2,
        "prefix_length": 0,
        "min_word_length": 3,
        "string_distance": "damerau_levenshtein",
        "accuracy": 0.3,
        "size": _CANDIDATES,
    }
    return {
        str(number): {"text": word.name, "term": options}
        for number, word in enumerate(words)
        if word.place is not None and word.word[2] >= 1.0 and _WORD.fullmatch(word.name)
    }


def read_suggestions(answer: Mapping[str, list[JsonObject]], words: Sequence[NamedWord]) -> dict[int, list[str]]:
    """Return the spellings in the answers of suggesters, by the number of the word.

    They differ by one insertion, deletion, replacement or swap of neighbours; or by two in a word
    of six letters or more, with the same first letter. The nearest are first, then the frequent
    ones.

    :param answer: the suggestions by the number of the word.
    """
    found: dict[int, list[str]] = {}
    for number, entries in answer.items():
        name = words[int(number)].name
        ranked = [
            (distance, -option["freq"], option["text"])
            for entry in entries
            for option in entry["options"]
            if (distance := measure_distance(name, option["text"])) <= _count_edits(name, option["text"])
        ]
        if ranked:
            found[int(number)] = [text for _, _, text in sorted(ranked)]
    return found


def widen_word(word: NamedWord, spellings: Sequence[str]) -> NamedWord:
    """Return a word that also matches its neighbours at one typing mistake, at a reduced weight."""
    terms, count, weight, has_forms = word.word
    near = [each for each in spellings if measure_distance(word.name, each) == 1][:_MAX_NEAR]
    if not near or len(word.name) > _MAX_LETTERS:
        return word
    amount = _NEAR * (1 - 1 / len(word.name))
    widened: QueryWord = [*terms, *((each, amount) for each in near)], count, weight, has_forms
    return word._replace(word=widened)


def measure_distance(first: str, second: str) -> int:
    """Return the number of insertions, deletions, replacements and swaps of neighbours between two
    words (optimal string alignment).

    >>> measure_distance("dgos", "dogs"), measure_distance("owner", "owners"), measure_distance("cat", "dog")
    (1, 1, 3)
    """
    rows = [list(range(len(second) + 1))]
    for at, letter in enumerate(first, 1):
        row = [at]
        for place, other in enumerate(second, 1):
            best = min(rows[-1][place] + 1, row[-1] + 1, rows[-1][place - 1] + (letter != other))
            if at > 1 and place > 1 and letter == second[place - 2] and first[at - 2] == other:
                best = min(best, rows[-2][place - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]


def _count_edits(word: str, spelling: str) -> int:
    return 2 if len(word) >= _MIN_LETTERS_FOR_TWO and spelling[:1] == word[:1] else 1
