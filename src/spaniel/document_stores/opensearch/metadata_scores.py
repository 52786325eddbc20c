"""How well metadata fits a query: shared pieces of words, and whole parts that are found again."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class MetadataScoring:
    """How metadata is scored.

    :param exact_match_weight: what a part of the query adds that stands in some value as it is, in any case.
    :param tie_breaker: how much the other fields count beside the best one, for each part of the query.
    :param jaccard_n: how long the pieces are, in characters.
    """

    exact_match_weight: float = 0.6
    tie_breaker: float = 0.0
    jaccard_n: int = 3

    def score(self, parts: Sequence[str], values: Mapping[str, Any]) -> float:
        """Return how well the values of some fields fit the parts of a query; 0 where nothing is alike.

        The sum over all parts: how similar the most similar field is, and a share of what the others are.

        >>> MetadataScoring().score(["python"], {"topic": "Python", "level": "basic"})
        1.6
        >>> MetadataScoring(exact_match_weight=0).score(["pythn"], {"topic": "Python"})
        0.4
        """
        texts = {name: [text.casefold() for text in _texts(value)] for name, value in values.items()}
        return sum(self._part(part.casefold(), texts) for part in parts)

    def _part(self, part: str, texts: Mapping[str, Sequence[str]]) -> float:
        by_field = [
            max((similarity(part, text, self.jaccard_n) for text in own), default=0.0) for own in texts.values()
        ]
        best = max(by_field, default=0.0)
        rest = sum(by_field) - best
        found = any(part in text for own in texts.values() for text in own)
        return best + self.tie_breaker * rest + (self.exact_match_weight if found else 0.0)


def parts_of(query: str) -> list[str]:
    """Return the parts of a query, which commas separate, each once.

    >>> parts_of("Python, active,, Python")
    ['Python', 'active']
    """
    return list(dict.fromkeys(part for piece in query.split(",") if (part := piece.strip())))


def similarity(first: str, second: str, n: int) -> float:
    """Return the Jaccard similarity of two texts: of all their pieces of `n` characters, the share that is in both.

    Where a text is shorter than `n`, the pieces are as long as it is.

    >>> similarity("python", "python", 3), similarity("python", "pythons", 3), similarity("py", "python", 3)
    (1.0, 0.8, 0.2)
    """
    length = min(n, len(first), len(second))
    if not length:
        return 0.0
    own, other = _pieces(first, length), _pieces(second, length)
    return len(own & other) / len(own | other)


def _pieces(text: str, length: int) -> set[str]:
    return {text[start : start + length] for start in range(len(text) - length + 1)}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str):
        yield value
