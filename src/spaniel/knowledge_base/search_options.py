"""The options of a search of a knowledge base, validated."""

import math
import os
from collections.abc import Collection
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Literal, cast, get_args

from spaniel.document_stores.embedded.synonyms import Synonyms
from spaniel.json_types import Filters
from spaniel.strategies.structured_retrieval import BudgetFit

WordMatch = Literal["any", "all"]
SynonymSource = str | os.PathLike[str] | Collection[str] | Synonyms | None
"""A file of synonyms, or its lines."""

LINK_SHARE = 0.3
"""Chosen on half of hotpotqa100 and musique100: higher shares cost more where links are random."""

REPEAT_SHARE = 0.9
"""Without it, the ten best passages of documentation are from two or three files."""

_COUNTS = {"window": 0, "depth": 0, "offset": 0, "neighbours": 0}


@dataclass(frozen=True)
class SearchOptions:
    """Options of a search.

    :param top_k: maximum number of passages; None: 10, with a budget the 20 best hits.
    :param filters: conditions on the metadata of passages, and of all that is shown with them.
    :param merge: replace hits by their section if enough of it matched.
    :param threshold: the share of a section's text that must be exceeded, between 0 and 1.
    :param window: number of chunks to show before and after each passage.
    :param follow: metadata keys whose links are followed.
    :param depth: maximum number of hops.
    :param min_score: minimum score of a passage.
    :param budget: maximum number of tokens of all passages, at four bytes per token.
    :param offset: number of better passages to skip.
    :param fold: leave out passages with the text of better ones.
    :param per_file: maximum number of passages of a file, and `per_row` of a row.
    :param path: patterns of paths, of which one must match, and `not_path`: none may match.
    :param link_share: the share of its score that a passage gives to those it links to.
    :param fit: the passages in a budget: the best ones by ``rank``, or the highest ``utility``.
    :param neighbours: with a budget of 800 or more, chunks beside the best hit that follow it.
    :param match: a passage must contain ``any`` word, or ``all``.
    :param min_words: minimum number of the words in a passage; a float is a share of them.
    :param synonyms: a file or lines with groups of synonyms.
    :param operators: False: the query is text without operators.
    :param count: count all passages that match.
    :param keywords_only: search the words alone, also if passages have vectors.
    :param repeat_share: for its place, the share of its score that a passage keeps for each better
        passage of its file; with a budget all of it.
    :raises ValueError: a number is out of range, or a value has the wrong type.
    """

    top_k: int | None = None
    filters: Filters | None = None
    merge: bool = False
    threshold: float = 0.5
    window: int = 0
    follow: Collection[str] = ()
    depth: int = 1
    min_score: float | None = None
    budget: int | None = None
    offset: int = 0
    fold: bool = True
    per_file: int | None = None
    per_row: int | None = 1
    path: str | Collection[str] = ()
    not_path: str | Collection[str] = ()
    link_share: float = LINK_SHARE
    fit: BudgetFit = "rank"
    neighbours: int = 0
    match: WordMatch = "any"
    min_words: float | None = None
    synonyms: SynonymSource = None
    operators: bool = True
    count: bool = False
    keywords_only: bool = False
    repeat_share: float = REPEAT_SHARE

    def __post_init__(self) -> None:
        for name, minimum in _COUNTS.items():
            _validate_count(name, getattr(self, name), minimum)
        for name in ("top_k", "budget", "per_file", "per_row"):
            if getattr(self, name) is not None:
                _validate_count(name, getattr(self, name), 1)
        _validate_number("threshold", self.threshold)
        _validate_number("link_share", self.link_share)
        _validate_number("min_score", self.min_score or 0)
        _validate_share("repeat_share", self.repeat_share)
        if self.filters is not None and not isinstance(self.filters, dict):
            raise ValueError(
                f"filters must be a dictionary, got {self.filters!r}. "
                "Pass a filter such as {'field': 'path', 'operator': '==', 'value': 'a.md'}."
            )
        _validate_strings("follow", self.follow, "a list of metadata keys", "keys such as ['links']")
        for name in ("path", "not_path"):
            _validate_strings(name, getattr(self, name), "a pattern or a list of patterns", "one such as 'docs/*.md'")
        if self.fit not in get_args(BudgetFit):
            raise ValueError(f"fit must be {' or '.join(get_args(BudgetFit))}, got {self.fit!r}.")
        if self.match not in get_args(WordMatch):
            raise ValueError(f"match must be {' or '.join(get_args(WordMatch))}, got {self.match!r}.")
        if isinstance(self.min_words, float) and not 0 < self.min_words <= 1:
            raise ValueError(f"min_words must be a whole number, or a share such as 0.75, got {self.min_words!r}.")
        if self.min_words is not None and not isinstance(self.min_words, float):
            _validate_count("min_words", self.min_words, 1)

    @property
    def least_words(self) -> float:
        """The minimum number or share of words that `match` and `min_words` ask for; 0: any."""
        return 1.0 if self.match == "all" else self.min_words or 0

    def list_patterns(self, name: Literal["path", "not_path"]) -> list[str]:
        """Return the patterns of an option."""
        patterns: str | Collection[str] = getattr(self, name)
        return [patterns] if isinstance(patterns, str) else list(patterns)


def _validate_count(name: str, value: object, minimum: int) -> None:
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise ValueError(f"{name} must be a whole number, got {value!r}. Pass a number such as {minimum + 1}.")
    if int(value) < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {value}.")


def _validate_number(name: str, number: object) -> None:
    if not isinstance(number, Real) or isinstance(number, bool):
        raise ValueError(f"{name} must be a number, got {number!r}. Pass a number such as 0.5.")
    if math.isnan(number):
        raise ValueError(f"{name} must be a number, got NaN.")


def _validate_share(name: str, number: object) -> None:
    _validate_number(name, number)
    if not 0 < cast("float", number) <= 1:
        raise ValueError(f"{name} must be above 0 and at most 1, got {number!r}. Pass a number such as 0.5.")


def _validate_strings(name: str, value: object, kind: str, example: str) -> None:
    if not isinstance(value, Collection) or not {str}.issuperset(map(type, value)):
        raise ValueError(f"{name} must be {kind}, got {value!r}. Pass {example}.")
