"""Queries of filters as users write them."""

from spaniel.document_stores.opensearch.filters.filter_query import filter_bounds
from spaniel.document_stores.opensearch.filters.partial_queries import MAX_CLAUSES, filter_queries
from spaniel.filters import parse_filter


def parse(filters):
    return None if filters is None or filters == {} else parse_filter(filters)


def bounds_of(filters, fields):
    return filter_bounds(parse(filters), fields)


def query_of(filters, fields):
    """Return the query that finds only documents that pass."""
    return bounds_of(filters, fields).lower


def queries_of(filters, fields, max_clauses=MAX_CLAUSES):
    return filter_queries(parse(filters), fields, max_clauses)
