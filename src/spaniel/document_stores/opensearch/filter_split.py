"""STUB"""

from dataclasses import dataclass

from spaniel.document_stores.opensearch.filter_query import filter_query


@dataclass
class PartialQuery:
    query: dict
    checked: bool = False


def filter_queries(f, fields):
    return [PartialQuery(filter_query(f, fields) if f else {"match_all": {}})]
