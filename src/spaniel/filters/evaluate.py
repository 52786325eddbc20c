"""Evaluation of a filter on a document: the reference for every index."""

from collections.abc import Mapping

from spaniel.dataclasses import ByteStream, Document
from spaniel.filters.equality import SCALARS, plain
from spaniel.filters.field import field_value
from spaniel.filters.operators import LOGIC, OPERATORS
from spaniel.filters.parse import Comparison, Filter, parse_filter
from spaniel.json_types import Json


def matches(filter: Filter, document: Document | ByteStream, *, strict_datetime_comparison: bool = False) -> bool:
    """Return if a document matches a parsed filter; a value that can't be compared never does.

    :param filter: a result of `parse_filter`, reusable for any number of documents.
    :param document: the document, or another object with metadata.
    :param strict_datetime_comparison: naive dates never match dates with a time zone; without it,
        they take the zone of the other.

    >>> recent = parse_filter({"field": "meta.year", "operator": ">=", "value": 2020})
    >>> [matches(recent, Document(meta={"year": year})) for year in (2024, 1999, "unknown")]
    [True, False, False]
    """
    if isinstance(filter, Comparison):
        return _compare(filter, document, strict_datetime_comparison)
    return LOGIC[filter.operator](
        matches(each, document, strict_datetime_comparison=strict_datetime_comparison) for each in filter.conditions
    )


def document_matches_filter(
    filters: Mapping[str, Json], document: Document | ByteStream, *, strict_datetime_comparison: bool = False
) -> bool:
    """Return if a document matches a filter; for many documents, use `parse_filter` and `matches`.

    :param filters: the filter as a dict.
    :param document: the document, or another object with metadata.
    :param strict_datetime_comparison: as in `matches`.
    :raises FilterError: the filter is malformed.

    >>> tagged = {"field": "meta.tags", "operator": "contains", "value": "python"}
    >>> document_matches_filter(tagged, Document(meta={"tags": ["python", "search"]}))
    True
    """
    return matches(parse_filter(filters), document, strict_datetime_comparison=strict_datetime_comparison)


def _compare(comparison: Comparison, document: Document | ByteStream, strict: bool) -> bool:
    value = field_value(document, comparison.path)
    if type(value) not in SCALARS:
        try:
            value = plain(value)
        except RecursionError:  # nested too deeply to be compared
            return OPERATORS[comparison.operator].negated
    operator = OPERATORS[comparison.operator]
    return operator.test(value, comparison.prepared, strict) is not operator.negated
