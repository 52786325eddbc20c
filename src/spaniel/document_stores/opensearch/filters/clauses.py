"""Constructors of queries as JSON, and pairs of queries that bound a filter.

A server can't answer every filter exactly. Such a filter lies between two queries: the lower bound
finds only documents that pass, the upper bound finds every document that passes.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from spaniel.json_types import Json, JsonObject

Query: TypeAlias = JsonObject

ALL: Query = {"match_all": {}}
NONE: Query = {"match_none": {}}

MAX_TERMS = 65_536
"""Values of a list by default (``index.max_terms_count``)."""


def all_of(queries: Iterable[Query]) -> Query:
    """Return the conjunction of queries, flattened."""
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
    """Return the disjunction of queries, flattened."""
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
    """Return the negation of a query."""
    if query == ALL:
        return NONE
    if query == NONE:
        return ALL
    inner = query.get("bool", {})
    if inner.keys() == {"must_not"}:
        return any_of(inner["must_not"])
    return {"bool": {"must_not": alternatives(query)}}


def conjuncts(query: Query) -> list[Query]:
    """Return the operands of `all_of`, or the query itself."""
    inner = query.get("bool", {})
    return list(inner["filter"]) if inner.keys() == {"filter"} else [query]


def alternatives(query: Query) -> list[Query]:
    """Return the operands of `any_of`, or the query itself."""
    inner = query.get("bool", {})
    return list(inner["should"]) if inner.keys() == {"should", "minimum_should_match"} else [query]


def term(field: str, value: Json) -> Query:
    """Return the query for a value of a field."""
    return {"term": {field: {"value": value}}}


def terms(field: str, values: Sequence[Json]) -> Query:
    """Return the query for any of several values, in lists of at most `MAX_TERMS`."""
    if len(values) == 1:
        return term(field, values[0])
    starts = range(0, len(values), MAX_TERMS)
    return any_of({"terms": {field: list(values[start : start + MAX_TERMS])}} for start in starts)


def between(field: str, **limits: Json) -> Query:
    """Return the query for a range: ``gt``, ``gte``, ``lt``, ``lte``, and ``format`` for dates."""
    return {"range": {field: limits}}


def script(source: str, **params: Json) -> Query:
    """Return the query that runs a script per document. A constant source is compiled once."""
    return {"script": {"script": {"source": source, "lang": "painless", "params": params}}}


@dataclass(frozen=True)
class QueryBounds:
    """The bounds of a condition: all answers of `lower` pass, and `upper` finds all that pass."""

    lower: Query
    upper: Query

    @property
    def exact(self) -> bool:
        """True if the bounds are the same query."""
        return self.lower is self.upper

    def __invert__(self) -> "QueryBounds":
        return exact(none_of(self.lower)) if self.exact else QueryBounds(none_of(self.upper), none_of(self.lower))


def exact(query: Query) -> QueryBounds:
    """Return the bounds of a condition that the server answers exactly."""
    return QueryBounds(query, query)


def join_bounds(parts: Iterable[QueryBounds], join: Callable[[Iterable[Query]], Query]) -> QueryBounds:
    """Return the bounds of several conditions joined by `all_of` or `any_of`."""
    each = list(parts)
    if all(part.exact for part in each):
        return exact(join(part.lower for part in each))
    lower, upper = join(part.lower for part in each), join(part.upper for part in each)
    return exact(lower) if lower == upper else QueryBounds(lower, upper)
