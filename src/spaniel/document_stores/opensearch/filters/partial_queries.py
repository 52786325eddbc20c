"""A filter as several queries, each within the limits of a server.

A server counts the clauses of a query, and rejects more than 1,024 by default. A large OR is split
into several queries, whose answers are united. Where that is not enough, a query drops conditions,
and the store verifies its answers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from spaniel.document_stores.opensearch.filters.clauses import (
    ALL,
    NONE,
    Query,
    all_of,
    alternatives,
    any_of,
    between,
    conjuncts,
    none_of,
    term,
    terms,
)
from spaniel.document_stores.opensearch.filters.filter_query import filter_bounds
from spaniel.document_stores.opensearch.schema.field import Field
from spaniel.document_stores.opensearch.schema.fields import Fields
from spaniel.document_stores.opensearch.schema.mapping import MAX_TERM_UNITS, utf16_length
from spaniel.filters.parse import Filter
from spaniel.json_types import Filters, Json

MAX_CLAUSES = 1_000
"""Clauses per query: below the server's limit, since a search adds some of its own."""

MAX_QUERIES = 32
"""Queries per filter. Beyond, to fetch and verify more documents is cheaper."""

Range: TypeAlias = tuple[Sequence[Json], Json, Json]
"""The values of the source fields, and the first and the last number."""


class PartialQuery(NamedTuple):
    """A part of a filter for ``bool.filter``; with `verify`, its answers may fail the filter."""

    query: Query
    verify: bool = False


def filter_queries(node: Filter | None, fields: Fields, max_clauses: int = MAX_CLAUSES) -> list[PartialQuery]:
    """Return queries whose united answers are the documents of a filter; none if no document
    passes.

    >>> from spaniel.filters import parse_filter
    >>> fields = Fields({"lang": {"type": "keyword"}, "title": {"type": "text"}})
    >>> filter_queries(parse_filter({"field": "meta.lang", "operator": "==", "value": "en"}), fields)
    [PartialQuery(query={'term': {'lang': {'value': 'en'}}}, verify=False)]
    >>> filter_queries(parse_filter({"field": "meta.title", "operator": "==", "value": "Dune"}), fields)
    [PartialQuery(query={'exists': {'field': 'title'}}, verify=True)]
    """
    bounds = filter_bounds(node, fields)
    queries = [] if bounds.lower == NONE else list(_limit(bounds.lower, max_clauses))
    if not bounds.exact:
        rest = all_of([bounds.upper, none_of(bounds.lower)])
        # To find the documents of the lower bound twice costs only time.
        rest = rest if count_clauses(rest) <= max_clauses else bounds.upper
        queries += [PartialQuery(each.query, True) for each in _limit(rest, max_clauses) if each.query != NONE]
    return queries


def count_clauses(query: Query) -> int:
    """Return the number of clauses that a server counts in a query, or slightly more.

    >>> count_clauses({"bool": {"filter": [{"term": {"a": {"value": "x"}}}, {"range": {"b": {"gt": 1}}}]}})
    3
    """
    [(kind, body)] = query.items()
    if kind == "bool":
        inner = (each for key in ("filter", "should", "must_not") for each in body.get(key, ()))
        return sum(map(count_clauses, inner)) + int(body.keys() == {"must_not"})
    if kind == "nested":
        return count_clauses(body["query"])
    # A condition on numbers or dates is two clauses: one for the index and one for the column.
    return 2 if kind == "range" or _compares_numbers(kind, body) else 1


def _compares_numbers(kind: str, body: Mapping[str, Any]) -> bool:
    if kind not in ("term", "terms"):
        return False
    [rule] = body.values()
    return isinstance(rule["value"] if kind == "term" else rule[0], int | float)


def _limit(query: Query, limit: int) -> Iterator[PartialQuery]:
    if count_clauses(query) <= limit:
        yield PartialQuery(query)
        return
    pieces = list(_split(query, limit))
    if len(pieces) <= MAX_QUERIES and all(count_clauses(piece) <= limit for piece in pieces):
        yield from (PartialQuery(piece) for piece in pieces)
    else:
        yield PartialQuery(_widen(query, limit), True)


def _split(query: Query, limit: int) -> Iterator[Query]:
    """Yield queries that find the same documents together, within the limit if possible."""
    parts = conjuncts(query)
    largest = max(parts, key=count_clauses)
    rest = [part for part in parts if part is not largest]
    room = limit - sum(map(count_clauses, rest))
    pieces = alternatives(largest)
    if room <= 0 or len(pieces) == 1:
        yield query
        return
    group: list[Query] = []
    size = 0
    for piece in pieces:
        if group and size + count_clauses(piece) > room:
            yield all_of([*rest, any_of(group)])
            group, size = [], 0
        group.append(piece)
        size += count_clauses(piece)
    yield all_of([*rest, any_of(group)])


def _widen(query: Query, limit: int) -> Query:
    """Return a query within the limit that finds at least the documents of `query`."""
    if count_clauses(query) <= limit:
        return query
    if len(parts := conjuncts(query)) > 1:
        return all_of(_widen_parts(parts, limit))
    if len(pieces := alternatives(query)) > 1:
        return _common_conditions(pieces) if limit else ALL
    if (inner := query.get("bool", {})).keys() == {"must_not"}:
        return none_of(any_of(_fitting_parts(inner["must_not"], limit - 1)))
    return ALL


def _widen_parts(parts: Iterable[Query], limit: int) -> Iterator[Query]:
    for part in sorted(parts, key=count_clauses):
        wider = _widen(part, limit)
        if wider != ALL:
            limit -= count_clauses(wider)
            yield wider


def _fitting_parts(parts: Iterable[Query], limit: int) -> Iterator[Query]:
    for part in sorted(parts, key=count_clauses):
        limit -= count_clauses(part)
        if limit >= 0:
            yield part


def _common_conditions(pieces: list[Query]) -> Query:
    values = [_values(piece) for piece in pieces]
    shared = [field for field in values[0] if all(field in each for each in values)]
    lists = ([value for each in values for value in each[field]] for field in shared)
    return all_of(terms(field, list(dict.fromkeys(each))) for field, each in zip(shared, lists, strict=True))


def _values(query: Query) -> dict[str, list[Json]]:
    values: dict[str, list[Json]] = {}
    for part in conjuncts(query):
        [(kind, body)] = part.items()
        if kind == "term":
            values |= {field: [rule["value"]] for field, rule in body.items()}
        elif kind == "terms":
            values |= body
    return values


def range_query(sources: Sequence[Field], number: Field, ranges: Sequence[Range]) -> Query | None:
    """Return `range_filter` as a query in a tenth of the time; None if only the filter is exact."""
    numbers = number.reals or number.integers
    plain = all(
        field.kind == "string" and field.keyword and field.indexes_empty and not field.nested_path for field in sources
    )
    if not plain or number.nested_path or numbers is None or len(ranges) * (2 + len(sources)) > MAX_CLAUSES:
        return None
    keywords = [str(field.keyword) for field in sources]
    parts = []
    for values, first, last in ranges:
        if not (_is_small(first) and _is_small(last) and all(map(_is_term, values))):
            return None
        same_source = [term(keyword, value) for keyword, value in zip(keywords, values, strict=True)]
        parts.append(all_of([*same_source, between(numbers.path, gte=first, lte=last)]))
    return any_of(parts)


def range_filter(source_fields: Sequence[str], number_field: str, ranges: Sequence[Range]) -> Filters:
    """Return the filter for documents in ranges of numbers per source."""

    def condition(field: str, operator: str, value: Json) -> Filters:
        return {"field": f"meta.{field}", "operator": operator, "value": value}

    def one_range(values: Sequence[Json], first: Json, last: Json) -> Filters:
        limits = [condition(number_field, ">=", first), condition(number_field, "<=", last)]
        sources = [condition(name, "==", value) for name, value in zip(source_fields, values, strict=True)]
        return {"operator": "AND", "conditions": [*limits, *sources]}

    return {"operator": "OR", "conditions": [one_range(*each) for each in ranges]}


def _is_small(number: Json) -> bool:
    return type(number) is int and abs(number) < 2**31


def _is_term(value: Json) -> bool:
    return isinstance(value, str) and utf16_length(value) <= MAX_TERM_UNITS
