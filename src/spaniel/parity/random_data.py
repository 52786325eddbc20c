"""Random inputs, reproducible from a seed."""

import random
from collections.abc import Sequence
from typing import TypeVar

from spaniel.json_types import Filters, Json, JsonObject, Meta

T = TypeVar("T")

WORDS = ["apple", "pie", "banana", "split", "cherry", "tart", "a", "the", "é", "e\u0301tude", "東京", "x2", "don't"]
TEXTS = ["", "b", "c%", "en", "2024-05-01", "2024-05-01T10:00", "2024-05-01T12:00+02:00", "1 May 2024", "abc"]
PARTIAL_DATES = ["3", "2024-05", "Friday", "10:30"]
KEYS = ["lang", "year", "n"]
LANGUAGES = ["en", "de", "fr"]
COMPARISONS = [">", ">=", "<", "<=", "==", "!="]


class RandomData:
    """Draws plain data; equal seeds draw equal data.

    >>> RandomData(3).integer(0, 9) == RandomData(3).integer(0, 9)
    True
    """

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(seed)  # noqa: S311 (inputs of a comparison)

    def choice(self, choices: Sequence[T]) -> T:
        """Return one of the values."""
        return self._random.choice(choices)

    def choices(self, choices: Sequence[T], max_count: int) -> list[T]:
        """Return up to `max_count` values, with repetition."""
        return [self.choice(choices) for _ in range(self.integer(0, max_count))] if choices else []

    def subset(self, choices: Sequence[T]) -> list[T]:
        """Return some of the values without repetition, in random order."""
        return self._random.sample(list(choices), self.integer(0, len(choices)))

    def integer(self, low: int, high: int) -> int:
        """Return an integer from `low` to `high`, inclusive."""
        return self._random.randint(low, high)

    def number(self, low: float, high: float) -> float:
        """Return a float, often a round one, so that there are ties."""
        return self.choice([self._random.uniform(low, high), float(self.integer(int(low), int(high)))])

    def flip(self, share: float = 0.5) -> bool:
        """Return True with this probability."""
        return self._random.random() < share

    def text(self, max_words: int = 8, words: Sequence[str] = WORDS, between: Sequence[str] = (" ",)) -> str:
        """Return words, each followed by a separator."""
        return "".join(self.choice(words) + self.choice(between) for _ in range(self.integer(0, max_words)))

    def scalar(self) -> Json:
        """Return a scalar metadata value, sometimes an unusual one."""
        number = self.choice([self.integer(-2, 2), self.number(-2, 2), self.flip()])
        return self.choice([None, number, number, self.choice(TEXTS), self.choice(TEXTS + PARTIAL_DATES)])

    def value(self) -> Json:
        """Return a scalar, a list or a mapping."""
        return self.choice(
            [self.scalar(), self.scalar(), self.choices([self.scalar(), self.scalar()], 3), {"x": self.scalar()}]
        )

    def meta(self) -> Meta:
        """Return metadata under `KEYS`: a language, a year, and a scalar."""
        all_of = {"lang": self.choice(LANGUAGES), "year": self.integer(2020, 2024), "n": self.scalar()}
        return {key: all_of[key] for key in self.subset(KEYS)}

    def filter(self) -> Filters:
        """Return a filter on the metadata of `meta`, valid in both libraries."""
        year = {"field": "meta.year", "operator": self.choice(COMPARISONS), "value": self.integer(2020, 2024)}
        language = {"field": "meta.lang", "operator": self.choice(["in", "not in"]), "value": self.subset(LANGUAGES)}
        if self.flip(0.6):
            return self.choice([year, language])
        return {"operator": self.choice(["AND", "OR", "NOT"]), "conditions": [year, language]}

    def documents(self, max_count: int = 8) -> list[JsonObject]:
        """Return constructor arguments of documents with distinct ids."""
        count = self.integer(0, max_count)
        return [{"id": f"d{number}", "content": self.text(), "meta": self.meta()} for number in range(count)]

    def documents_with_scores(self, max_count: int = 6) -> list[JsonObject]:
        """Return constructor arguments of documents with scores; ids repeat with other contents."""
        return [
            {
                "id": self.choice("abcd"),
                "content": self.choice(["", "one", "two words", "now three words"]),
                "score": self.choice([None, 0.0, -0.5, 0.3, self.number(-3, 3)]),
            }
            for _ in range(self.integer(0, max_count))
        ]
