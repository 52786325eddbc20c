"""Random plain data, from a seed."""

import random
from collections.abc import Sequence
from typing import Any, TypeVar

T = TypeVar("T")

WORDS = ["apple", "pie", "banana", "split", "cherry", "tart", "a", "the", "é", "e\u0301tude", "東京", "x2", "don't"]
TEXTS = ["", "b", "c%", "en", "2024-05-01", "2024-05-01T10:00", "2024-05-01T12:00+02:00", "1 May 2024", "abc"]
PARTIAL_DATES = ["3", "2024-05", "Friday", "10:30"]
KEYS = ["lang", "year", "n"]


class Chance:
    """Draws plain data.

    :param seed: the same seed draws the same data.

    >>> Chance(3).whole(0, 9) == Chance(3).whole(0, 9)
    True
    """

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(seed)  # noqa: S311 (inputs of a comparison)

    def one_of(self, choices: Sequence[T]) -> T:
        """Return one of some values."""
        return self._random.choice(choices)

    def some_of(self, choices: Sequence[T], most: int) -> list[T]:
        """Return up to `most` values; one may come again."""
        return [self.one_of(choices) for _ in range(self.whole(0, most))] if choices else []

    def subset(self, choices: Sequence[T]) -> list[T]:
        """Return some of the values, each once, in any order."""
        return self._random.sample(list(choices), self.whole(0, len(choices)))

    def whole(self, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`, both included."""
        return self._random.randint(low, high)

    def real(self, low: float, high: float) -> float:
        """Return a number; often a round one, so that there are ties."""
        return self.one_of([self._random.uniform(low, high), float(self.whole(int(low), int(high)))])

    def maybe(self, share: float = 0.5) -> bool:
        """Return True with this probability."""
        return self._random.random() < share

    def text(self, most_words: int = 8, words: Sequence[str] = WORDS, between: Sequence[str] = (" ",)) -> str:
        """Return words with something between them."""
        return "".join(self.one_of(words) + self.one_of(between) for _ in range(self.whole(0, most_words)))

    def scalar(self) -> Any:
        """Return a value as metadata has it, odd ones among them."""
        number = self.one_of([self.whole(-2, 2), self.real(-2, 2), self.maybe()])
        return self.one_of([None, number, number, self.one_of(TEXTS), self.one_of(TEXTS + PARTIAL_DATES)])

    def value(self) -> Any:
        """Return a scalar, a list or a mapping."""
        return self.one_of(
            [self.scalar(), self.scalar(), self.some_of([self.scalar(), self.scalar()], 3), {"x": self.scalar()}]
        )

    def meta(self) -> dict[str, Any]:
        """Return metadata of the keys `KEYS`, tidy: a language, a year, any scalar."""
        all_of = {"lang": self.one_of(["en", "de", "fr"]), "year": self.whole(2020, 2024), "n": self.scalar()}
        return {key: all_of[key] for key in self.subset(KEYS)}

    def filter(self) -> dict[str, Any]:
        """Return a filter on tidy metadata, which no library objects to."""
        year = {
            "field": "meta.year",
            "operator": self.one_of([">", ">=", "<", "<=", "==", "!="]),
            "value": self.whole(2020, 2024),
        }
        language = {
            "field": "meta.lang",
            "operator": self.one_of(["in", "not in"]),
            "value": self.subset(["en", "de", "fr"]),
        }
        if self.maybe(0.6):
            return self.one_of([year, language])
        return {"operator": self.one_of(["AND", "OR", "NOT"]), "conditions": [year, language]}

    def documents(self, most: int = 8) -> list[dict[str, Any]]:
        """Return documents as the arguments that either library builds them from; ids differ."""
        count = self.whole(0, most)
        return [{"id": f"d{number}", "content": self.text(), "meta": self.meta()} for number in range(count)]

    def scored(self, most: int = 6) -> list[dict[str, Any]]:
        """Return documents with scores; ids repeat, and the copies of one differ."""
        return [
            {
                "id": self.one_of("abcd"),
                "content": self.one_of(["", "one", "two words", "now three words"]),
                "score": self.one_of([None, 0.0, -0.5, 0.3, self.real(-3, 3)]),
            }
            for _ in range(self.whole(0, most))
        ]
