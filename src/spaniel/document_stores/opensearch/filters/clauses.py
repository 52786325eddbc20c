"""Queries as plain data, joined without needless levels, and what is certain of them.

A query that a server can't answer to the letter stands between two that it can: what is found for `sure`, and what `may`
have to be found.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

Query = dict[str, Any]

ALL: Query = {"match_all": {}}
NONE: Query = {"match_none": {}}

MAX_TERMS = 65_536
"""Values that a server takes in one list by default (``index.max_terms_count``)."""


def all_of(queries: Iterable[Query]) -> Query:
    """Return the query that all of them must match."""
    parts: list[Query] = []
    for query in queries:
        if query == NONE:
            return NONE
        if query != ALL:
            parts += conjuncts(query)
    if not parts:
        return ALL
    return parts[0] if len(parts) == 1 else {"bool": {"filter": parts}}


def any_of(queries: Iterable[Query]) -> Query:
    """Return the query of which one must match."""
    parts: list[Query] = []
    for query in queries:
        if query == ALL:
            return ALL
        if query != NONE:
            parts += alternatives(query)
    if not parts:
        return NONE
    return parts[0] if len(parts) == 1 else {"bool": {"should": parts, "minimum_should_match": 1}}


def none_of(query: Query) -> Query:
    """Return the query for all that `query` doesn't match."""
    if query == ALL:
        return NONE
    if query == NONE:
        return ALL
    inner = query.get("bool", {})
    if inner.keys() == {"must_not"}:
        return any_of(inner["must_not"])
    return {"bool": {"must_not": alternatives(query)}}


def conjuncts(query: Query) -> list[Query]:
    """Return the queries that are joined by `all_of`; the query itself if it is no such join."""
    inner = query.get("bool", {})
    return list(inner["filter"]) if inner.keys() == {"filter"} else [query]


def alternatives(query: Query) -> list[Query]:
    """Return the queries that are joined by `any_of`; the query itself if it is no such join."""
    inner = query.get("bool", {})
    return list(inner["should"]) if inner.keys() == {"should", "minimum_should_match"} else [query]


def term(field: str, value: Any) -> Query:
    """Return the query for one value of a field."""
    return {"term": {field: {"value": value}}}


def terms(field: str, values: Sequence[Any]) -> Query:
    """Return the query for any of several values, in lists that a server takes."""
    if len(values) == 1:
        return term(field, values[0])
    starts = range(0, len(values), MAX_TERMS)
    return any_of({"terms": {field: list(values[start : start + MAX_TERMS])}} for start in starts)


def between(field: str, **limits: Any) -> Query:
    """Return the query for a range: ``gt``, ``gte``, ``lt``, ``lte``, and ``format`` for dates."""
    return {"range": {field: limits}}


def script(source: str, **params: Any) -> Query:
    """Return the query that runs a script for each document. The source is a constant: it is compiled once."""
    return {"script": {"script": {"source": source, "lang": "painless", "params": params}}}


@dataclass(frozen=True)
class Bounds:
    """What is certain of a condition.

    :param sure: finds only documents that pass.
    :param may: finds every document that passes.
    :param lack: what the index lacks, where that is why the two differ.
    """

    sure: Query
    may: Query
    lack: str | None = None

    @property
    def exact(self) -> bool:
        """Whether the two are one."""
        return self.sure is self.may

    def __invert__(self) -> "Bounds":
        """Return the bounds of the opposite."""
        if self.exact:
            return exact(none_of(self.sure))
        return Bounds(none_of(self.may), none_of(self.sure), self.lack)


def exact(query: Query) -> Bounds:
    """Return the bounds of what a server answers to the letter."""
    return Bounds(query, query)


def joined(parts: Iterable[Bounds], join: Callable[[Iterable[Query]], Query]) -> Bounds:
    """Return the bounds of several conditions joined by `all_of` or `any_of`."""
    each = list(parts)
    if all(part.exact for part in each):
        return exact(join(part.sure for part in each))
    sure, may = join(part.sure for part in each), join(part.may for part in each)
    if sure == may:
        return exact(sure)
    return Bounds(sure, may, next((part.lack for part in each if part.lack), None))
