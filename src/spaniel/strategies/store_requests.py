"""The requests of a strategy to a document store, and the store method that answers each."""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from spaniel.dataclasses import Document
from spaniel.json_types import Filters, Json, JsonObject
from spaniel.runtime import Call, has_method
from spaniel.runtime.requests import UnboundRequest
from spaniel.store_methods import FiltersDocuments, FindsById, FindsByKey, FindsByKeys, FindsInRanges
from spaniel.tracing import Recorder


@dataclass(frozen=True)
class FetchByIds:
    """A request for the documents with these ids."""

    ids: Sequence[str]

    def call_on(self, store: object, /) -> Call:
        """Return the call of the store's look-up, or of its filter."""
        if has_method(store, FindsById.get_documents_by_id):
            return Call(store, FindsById.get_documents_by_id, {"document_ids": list(self.ids)}, "abandon")
        return _filter(store, {"field": "id", "operator": "in", "value": list(self.ids)})


@dataclass(frozen=True)
class FetchByKeys:
    """A request for the documents with any of `values` under its key, as a scalar or list element.

    A store without the look-up of several keys gets a filter. If it has that of a single key, it
    also knows the operator ``contains any``, which matches list elements but substrings too:
    callers compare values. Other stores get ``in``, and decide if that tests list elements.
    """

    values: Mapping[str, Sequence[Json]]
    filters: Filters | None = None

    def call_on(self, store: object, /) -> Call:
        """Return the call of the store's look-up, or of its filter."""
        has_look_up = has_method(store, FindsByKey.get_documents_by_key)
        if has_look_up and len(self.values) == 1:
            [(key, values)] = self.values.items()
            arguments: JsonObject = {"key": key, "values": list(values), "filters": self.filters}
            return Call(store, FindsByKey.get_documents_by_key, arguments, "abandon")
        if len(self.values) > 1 and has_method(store, FindsByKeys.get_documents_by_keys):
            arguments = {"values": self.values, "filters": self.filters}
            return Call(store, FindsByKeys.get_documents_by_keys, arguments, "abandon")
        conditions: list[Filters] = [
            {"field": _meta_field(key), "operator": operator, "value": list(values)}
            for key, values in self.values.items()
            for operator in (["in", "contains any"] if has_look_up else ["in"])
        ]
        wanted = conditions[0] if len(conditions) == 1 else {"operator": "OR", "conditions": conditions}
        return _filter(store, {"operator": "AND", "conditions": [self.filters, wanted]} if self.filters else wanted)


@dataclass(frozen=True)
class FetchByFilter:
    """A request for the documents that match a filter; without a filter, for all."""

    filters: Filters | None

    def call_on(self, store: object, /) -> Call:
        """Return the call of the store's filter."""
        return _filter(store, self.filters)


@dataclass(frozen=True)
class FetchInRanges:
    """A request for documents by number; a range has the source's values, its first and last."""

    source_fields: Sequence[str]
    number_field: str
    ranges: Sequence[tuple[Sequence[Json], float, float]]

    def call_on(self, store: object, /) -> Call:
        """Return the call of the store's look-up, or of its filter."""
        if has_method(store, FindsInRanges.get_documents_in_ranges):
            arguments = {"source_fields": self.source_fields, "number_field": self.number_field, "ranges": self.ranges}
            return Call(store, FindsInRanges.get_documents_in_ranges, arguments, "abandon")
        conditions = [
            make_range_filter(self.number_field, first, last, "==", dict(zip(self.source_fields, source, strict=True)))
            for source, first, last in self.ranges
        ]
        return _filter(store, {"operator": "OR", "conditions": conditions})


@dataclass(slots=True)
class FetchBySearch:
    """A request for the results of a search, or for their explanation in a trace.

    With `for_trace`, the answer is needed by a trace alone. It is then a function, as for
    `spaniel.runtime.Deferred`, that returns None for a store without the method.
    """

    method: Callable[..., object]
    arguments: JsonObject
    for_trace: bool = False

    def call_on(self, store: object, /) -> Call:
        """Return the call of the method."""
        return Call(store, self.method, self.arguments, "abandon", self.for_trace)


Result_co = TypeVar("Result_co", covariant=True)
StrategyRun = Generator[UnboundRequest, Any, Result_co]
"""A running strategy: it yields requests, is sent the store's answers and returns its result."""


class Strategy(Protocol[Result_co]):
    """An algorithm with its parameters bound, ready to run."""

    def __call__(self, *, record: Recorder | None) -> StrategyRun[Result_co]:
        """Start a run; `record` takes the events, and is None without a trace."""
        ...


def make_range_filter(number: str, first: float, last: float, operator: str, sources: Mapping[str, Json]) -> Filters:
    """Return the filter for numbers in a range; `operator` compares the fields of `sources`."""
    conditions = [(number, ">=", first), (number, "<=", last)]
    conditions += [(name, operator, value) for name, value in sources.items()]
    items = [{"field": f"meta.{name}", "operator": operator, "value": value} for name, operator, value in conditions]
    return {"operator": "AND", "conditions": items}


def _filter(store: object, filters: Filters | None) -> Call:
    return Call(store, FiltersDocuments.filter_documents, {"filters": filters}, "abandon")


def _meta_field(key: str) -> str:
    """Return a key in the form for filters: some stores find metadata only under ``meta.``."""
    return key if key in Document.__dataclass_fields__ or key.startswith("meta.") else f"meta.{key}"


def extract_documents(answer: object) -> list[Document]:
    """Return the documents of a store's answer; none if it is not a list of documents."""
    if isinstance(answer, (list, tuple)) and answer and isinstance(answer[0], Document):
        return list(answer)
    return []
