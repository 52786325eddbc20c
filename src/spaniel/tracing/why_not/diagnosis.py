"""A document that a stage did not find, the reason, and the reason of a filter."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from spaniel.dataclasses import Document
from spaniel.filters import Comparison, Filter, matches, parse_filter
from spaniel.filters.equality import plain
from spaniel.filters.field import field_value
from spaniel.json_types import Filters, Json
from spaniel.tracing.stage import Stage, TraceData
from spaniel.tracing.why_not.store_probe import StoreProbe

_MAX_VALUE_LENGTH = 60


@dataclass(frozen=True)
class Diagnosis:
    """The reason for an absence: its name, a sentence, and the figures of the sentence."""

    cause: str
    text: str
    figures: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True)
class Absence:
    """A document that a stage did not find, as stored, or as seen if no store can be queried."""

    trace: TraceData
    stage: Stage
    id: str
    document: Document | None
    probe: StoreProbe
    changed: list[str]


def diagnose_filter(filters: Filters | None, document: Document) -> Diagnosis | None:
    """Return the conditions of a filter that a document fails; None if it matches."""
    if not filters:
        return None
    parsed = parse_filter(filters)
    if matches(parsed, document):
        return None
    failed = list(_find_failed(parsed, document))
    reasons = "; ".join(_format_failed(each, document) for each in failed)
    values = {each.field: plain(field_value(document, each.path)) for each in failed if isinstance(each, Comparison)}
    return Diagnosis("filtered", f"filtered out by {reasons}", {"values": values})


def _find_failed(filter: Filter, document: Document) -> Iterator[Filter]:
    if isinstance(filter, Comparison) or filter.operator != "AND":
        yield filter
        return
    for condition in filter.conditions:
        if not matches(condition, document):
            yield from _find_failed(condition, document)


def _format_failed(filter: Filter, document: Document) -> str:
    if isinstance(filter, Comparison):
        return f"{_format(filter)}, as its value is {_format_value(plain(field_value(document, filter.path)))}"
    return f"{filter.operator} of {' and '.join(_format(each) for each in filter.conditions)}"


def _format(filter: Filter) -> str:
    if isinstance(filter, Comparison):
        return f"{filter.field} {filter.operator} {_format_value(filter.value)}"
    return f"{filter.operator} ({', '.join(_format(each) for each in filter.conditions)})"


def _format_value(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= _MAX_VALUE_LENGTH else f"{text[:_MAX_VALUE_LENGTH]}..."
