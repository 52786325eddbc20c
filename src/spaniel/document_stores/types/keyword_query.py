"""A query of words with conditions, as the stores in the process answer it."""

from dataclasses import dataclass, field
from typing import Literal, Protocol

from spaniel._engine import KeywordIndex

ConditionKind = Literal["word", "prefix", "phrase"]

QueryWord = tuple[list[tuple[str, float]], float, float, bool]
"""The terms of a word with their amounts, its count in the query, its weight, and if forms count."""

Spellings = dict[tuple[int, int], list[str]]
"""By their place in a query, (start, end), other spellings of words, the likeliest first."""


@dataclass(frozen=True)
class Condition:
    """A text that a document must contain, or must not.

    :param kind: ``word``: in any of its forms; ``prefix``: any word that begins with the text;
        ``phrase``: exactly these words, one after the other.
    :param text: without operators.
    :param field: the metadata key, or ``content``, in which it counts; None: the content and the
        searched keys.
    :param is_excluded: the document must not contain it.
    """

    kind: ConditionKind
    text: str
    field: str | None = None
    is_excluded: bool = False

    def __str__(self) -> str:
        """Return the condition as a query writes it."""
        text = {"word": self.text, "prefix": f"{self.text}*", "phrase": f'"{self.text}"'}[self.kind]
        named = text if self.field is None else f"{self.field}:{text}"
        sign = "" if self.kind == "phrase" or self.field is not None else "+"
        return f"-{named}" if self.is_excluded else f"{sign}{named}"


class WordExpansion(Protocol):
    """Adds terms to the words of a query, such as synonyms."""

    def widen(self, words: list[QueryWord], keywords: KeywordIndex, languages: list[str] | None) -> list[QueryWord]:
        """Return the words with further terms, and further words."""
        ...


@dataclass(frozen=True)
class KeywordQuery:
    """A query of words.

    :param text: the words to rank by; may be empty if there are conditions.
    :param prefixes: starts of words to rank by; all words with a prefix count as one.
    :param conditions: texts that every document must contain, or must not.
    :param min_words: the minimum number of the words that a document contains; a float is a share
        of the words, rounded down to at least one.
    :param expansion: adds terms to the words.
    :param repeat_share: for its place, the share of its score that a passage keeps for each better
        passage of its document.
    """

    text: str
    prefixes: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    min_words: float = 0
    expansion: WordExpansion | None = field(default=None, repr=False)
    repeat_share: float = 1.0
