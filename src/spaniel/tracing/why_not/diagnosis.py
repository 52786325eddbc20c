"""A document that a stage did not find, and the reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spaniel.filters import Comparison, Filter, matches, parse_filter
from spaniel.filters.equality import plain
from spaniel.filters.field import field_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spaniel.dataclasses import Document
    from spaniel.tracing.stage import Stage
    from spaniel.tracing.trace import Trace
    from spaniel.tracing.why_not.store_probe import StoreProbe


@dataclass(frozen=True)
class Diagnosis:
    """A reason, not yet tied to a stage."""

    cause: str
    text: str
    figures: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Absence:
    """A document that a stage did not find.

    :param document: as it is stored; if no store can be asked, as it was seen.
    :param ask: asks the store.
    :param changed: takes what is found to have changed in the store.
    """

    trace: Trace
    stage: Stage
    id: str
    document: Document | None
    ask: StoreProbe
    changed: list[str]


_LONGEST_VALUE = 60


def filtered_out(filters: Any, document: Document) -> Diagnosis | None:
    """Return by which conditions of a filter a document is kept out; None if it passes."""
    if not filters:
        return None
    parsed = parse_filter(filters)
    if matches(parsed, document):
        return None
    failing = list(_failing(parsed, document))
    told = "; ".join(_condition(each, document) for each in failing)
    fields = {each.field: plain(field_value(document, each.path)) for each in failing if isinstance(each, Comparison)}
    return Diagnosis("filtered", f"filtered out by {told}", {"values": fields})


def _failing(filter: Filter, document: Document) -> Iterator[Filter]:
    """Yield the smallest parts of a filter by which it fails."""
    if isinstance(filter, Comparison) or filter.operator != "AND":
        yield filter
        return
    for condition in filter.conditions:
        if not matches(condition, document):
            yield from _failing(condition, document)


def _condition(filter: Filter, document: Document) -> str:
    if isinstance(filter, Comparison):
        return f"{_said(filter)}, as its value is {_shown(plain(field_value(document, filter.path)))}"
    return f"{filter.operator} of {' and '.join(_said(each) for each in filter.conditions)}"


def _said(filter: Filter) -> str:
    if isinstance(filter, Comparison):
        return f"{filter.field} {filter.operator} {_shown(filter.value)}"
    return f"{filter.operator} ({', '.join(_said(each) for each in filter.conditions)})"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}..."
