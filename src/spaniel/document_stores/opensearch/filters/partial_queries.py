"""A filter as several queries, each within the limits of a server.

A server counts the clauses of a whole query, and refuses more than 1,024 by default. A large OR becomes several queries,
whose answers are united. What is too large even so loses conditions, and its answers are checked here.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from spaniel.document_stores.opensearch.filters.clauses import (
    ALL,
    NONE,
    Query,
    all_of,
    alternatives,
    any_of,
    conjuncts,
    none_of,
    terms,
)
from spaniel.document_stores.opensearch.filters.filter_query import filter_bounds
from spaniel.document_stores.opensearch.schema.fields import Fields

MAX_CLAUSES = 1_000
"""Clauses of one query: below a server's limit, as a search adds some of its own."""

MAX_QUERIES = 32
"""Queries of one filter. Beyond, it is cheaper to fetch more documents and to check them."""


class PartialQuery(NamedTuple):
    """One of the queries that make up a filter.

    :param query: for ``bool.filter``.
    :param check: whether each of its answers is still to be compared with the filter.
    """

    query: Query
    check: bool = False


def filter_queries(
    filters: Mapping[str, Any] | None, fields: Fields, max_clauses: int = MAX_CLAUSES
) -> list[PartialQuery]:
    """Return the queries for the documents that pass a filter: what any of them finds, each document once.

    :param filters: the filter; None or an empty one: all documents.
    :param fields: what the index has.
    :param max_clauses: that a query may have.
    :returns: none, if no document can pass.
    :raises FilterError: the filter is malformed.

    >>> fields = Fields({"lang": {"type": "keyword"}, "title": {"type": "text"}})
    >>> filter_queries({"field": "meta.lang", "operator": "==", "value": "en"}, fields)
    [PartialQuery(query={'term': {'lang': {'value': 'en'}}}, check=False)]
    >>> filter_queries({"field": "meta.title", "operator": "==", "value": "Dune"}, fields)
    [PartialQuery(query={'exists': {'field': 'title'}}, check=True)]
    """
    bounds = filter_bounds(filters, fields)
    queries = [] if bounds.sure == NONE else list(_within(bounds.sure, max_clauses))
    if not bounds.exact:
        rest = all_of([bounds.may, none_of(bounds.sure)])
        # What is left out here is found by the first query, so to find it twice costs only time.
        rest = rest if clauses(rest) <= max_clauses else bounds.may
        queries += [PartialQuery(each.query, True) for each in _within(rest, max_clauses) if each.query != NONE]
    return queries


def clauses(query: Query) -> int:
    """Return the number of clauses that a server counts in a query, or a few more.

    >>> clauses({"bool": {"filter": [{"term": {"a": {"value": "x"}}}, {"range": {"b": {"gt": 1}}}]}})
    3
    """
    [(kind, body)] = query.items()
    if kind == "bool":
        return sum(clauses(each) for each in _inner(body)) + int(body.keys() == {"must_not"})
    if kind == "nested":
        return clauses(body["query"])
    # A condition on numbers or dates is two: one for the index and one for the column.
    return 2 if kind == "range" or _asks_for_numbers(kind, body) else 1


def _asks_for_numbers(kind: str, body: Mapping[str, Any]) -> bool:
    if kind not in ("term", "terms"):
        return False
    [rule] = body.values()
    return isinstance(rule["value"] if kind == "term" else rule[0], int | float)


def _inner(body: Mapping[str, Any]) -> Iterator[Query]:
    for key in ("filter", "should", "must_not"):
        yield from body.get(key, ())


def _within(query: Query, limit: int) -> Iterator[PartialQuery]:
    if clauses(query) <= limit:
        yield PartialQuery(query)
        return
    pieces = list(_split(query, limit))
    if len(pieces) <= MAX_QUERIES and all(clauses(piece) <= limit for piece in pieces):
        yield from (PartialQuery(piece) for piece in pieces)
    else:
        yield PartialQuery(_widened(query, limit), True)


def _split(query: Query, limit: int) -> Iterator[Query]:
    """Return queries that together find the same; each is as small as it can get, or within the limit."""
    parts = conjuncts(query)
    largest = max(parts, key=clauses)
    rest = [part for part in parts if part is not largest]
    room = limit - sum(map(clauses, rest))
    pieces = alternatives(largest)
    if room <= 0 or len(pieces) == 1:
        yield query
        return
    group: list[Query] = []
    size = 0
    for piece in pieces:
        if group and size + clauses(piece) > room:
            yield all_of([*rest, any_of(group)])
            group, size = [], 0
        group.append(piece)
        size += clauses(piece)
    yield all_of([*rest, any_of(group)])


def _widened(query: Query, limit: int) -> Query:
    """Return a query within the limit that finds all that `query` finds, and perhaps more."""
    if clauses(query) <= limit:
        return query
    if len(parts := conjuncts(query)) > 1:
        return all_of(_as_many(parts, limit))
    if len(pieces := alternatives(query)) > 1:
        return _common(pieces) if limit else ALL
    if (inner := query.get("bool", {})).keys() == {"must_not"}:
        return none_of(any_of(_fitting(inner["must_not"], limit - 1)))
    return ALL


def _as_many(parts: Iterable[Query], limit: int) -> Iterator[Query]:
    """Return parts that fit into the limit together, the small ones first, and what is left of the others."""
    for part in sorted(parts, key=clauses):
        found = _widened(part, limit)
        if found != ALL:
            limit -= clauses(found)
            yield found


def _fitting(parts: Iterable[Query], limit: int) -> Iterator[Query]:
    for part in sorted(parts, key=clauses):
        limit -= clauses(part)
        if limit >= 0:
            yield part


def _common(pieces: list[Query]) -> Query:
    """Return what alternatives have in common: the values of the fields that each of them asks for."""
    found = [_values(piece) for piece in pieces]
    shared = [field for field in found[0] if all(field in each for each in found)]
    lists = ([value for each in found for value in each[field]] for field in shared)
    return all_of(terms(field, _distinct(values)) for field, values in zip(shared, lists, strict=True))


def _values(query: Query) -> dict[str, list[Any]]:
    values: dict[str, list[Any]] = {}
    for part in conjuncts(query):
        [(kind, body)] = part.items()
        if kind == "term":
            values |= {field: [rule["value"]] for field, rule in body.items()}
        elif kind == "terms":
            values |= body
    return values


def _distinct(values: list[Any]) -> list[Any]:
    return list(dict.fromkeys(values))
