"""What an algorithm may ask of a document store, and which store method answers.

An algorithm is a program (`spaniel.runtime`) whose requests name no store: `run_stage` puts them to one.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from spaniel.dataclasses import Document
from spaniel.runtime import Call, has_method
from spaniel.store_methods import FiltersDocuments, FindsById, FindsByKey, FindsByKeys, FindsInRanges
from spaniel.tracing import Recorder


@dataclass(frozen=True)
class FetchByIds:
    """The documents with these ids."""

    ids: Sequence[str]

    def call_on(self, store: object, /) -> Call:
        """Return the store method that answers: its own look-up, or a filter."""
        if has_method(store, FindsById.get_documents_by_id):
            return _reading(store, FindsById.get_documents_by_id, {"document_ids": list(self.ids)})
        return _filter(store, {"field": "id", "operator": "in", "value": list(self.ids)})


@dataclass(frozen=True)
class FetchByKey:
    """The documents whose value under `key` equals one of `values`, or is a list with such an element.

    A store without the look-up is asked with the filter ``in``: whether that tests the elements of a list is its affair.
    """

    key: str
    values: Sequence[Any]
    filters: dict[str, Any] | None = None

    def call_on(self, store: object, /) -> Call:
        """Return the store method that answers: its own look-up, or a filter."""
        if has_method(store, FindsByKey.get_documents_by_key):
            return _reading(
                store,
                FindsByKey.get_documents_by_key,
                {"key": self.key, "values": list(self.values), "filters": self.filters},
            )
        links = {"field": _with_meta(self.key), "operator": "in", "value": list(self.values)}
        return _filter(store, {"operator": "AND", "conditions": [self.filters, links]} if self.filters else links)


@dataclass(frozen=True)
class FetchByKeys:
    """The documents that `FetchByKey` would find for any of several keys.

    A store without the look-up is asked with one filter. If it has the look-up of one key, it knows the operator ``contains
    any``, which finds elements of lists, but parts of texts too: whoever asks must compare the values.
    """

    values: Mapping[str, Sequence[Any]]
    filters: dict[str, Any] | None = None

    def call_on(self, store: object, /) -> Call:
        """Return the store method that answers: its own look-up, or a filter."""
        if len(self.values) == 1:
            [(key, values)] = self.values.items()
            return FetchByKey(key, values, self.filters).call_on(store)
        if has_method(store, FindsByKeys.get_documents_by_keys):
            return _reading(store, FindsByKeys.get_documents_by_keys, {"values": self.values, "filters": self.filters})
        operators = ["in", "contains any"] if has_method(store, FindsByKey.get_documents_by_key) else ["in"]
        conditions = [
            {"field": _with_meta(key), "operator": operator, "value": list(values)}
            for key, values in self.values.items()
            for operator in operators
        ]
        links = {"operator": "OR", "conditions": conditions}
        return _filter(store, {"operator": "AND", "conditions": [self.filters, links]} if self.filters else links)


@dataclass(frozen=True)
class FetchByFilter:
    """The documents that match a filter; without one all of them."""

    filters: dict[str, Any] | None

    def call_on(self, store: object, /) -> Call:
        """Return the store method that answers."""
        return _filter(store, self.filters)


@dataclass(frozen=True)
class FetchInRanges:
    """The documents whose number lies in one of several ranges, each of one source.

    :param source_fields: the metadata fields that say which source a document is of.
    :param number_field: the metadata field with its number there.
    :param ranges: for each range the values of the source fields, its first and its last number.
    """

    source_fields: Sequence[str]
    number_field: str
    ranges: Sequence[tuple[Sequence[Any], Any, Any]]

    def call_on(self, store: object, /) -> Call:
        """Return the store method that answers: its own look-up, or a filter."""
        if has_method(store, FindsInRanges.get_documents_in_ranges):
            arguments = {"source_fields": self.source_fields, "number_field": self.number_field, "ranges": self.ranges}
            return _reading(store, FindsInRanges.get_documents_in_ranges, arguments)
        return _filter(store, {"operator": "OR", "conditions": [self._condition(*each) for each in self.ranges]})

    def _condition(self, source: Sequence[Any], first: Any, last: Any) -> dict[str, Any]:
        number = f"meta.{self.number_field}"
        of_source = (
            {"field": f"meta.{name}", "operator": "==", "value": value}
            for name, value in zip(self.source_fields, source, strict=True)
        )
        return {
            "operator": "AND",
            "conditions": [
                {"field": number, "operator": ">=", "value": first},
                {"field": number, "operator": "<=", "value": last},
                *of_source,
            ],
        }


@dataclass(slots=True)
class FetchBySearch:
    """The best documents of a search, such as ``SupportsBM25.bm25_retrieval``; or what explains them, for a trace.

    :param method: of the store, as a function of its class or protocol.
    :param for_trace: True: only a trace wants the answer. It is then a function, as that of `spaniel.runtime.Deferred`, which
        returns None for a store without the method.
    """

    method: Callable[..., Any]
    arguments: dict[str, Any]
    for_trace: bool = False

    def call_on(self, store: object, /) -> Call:
        """Return the store method that answers."""
        return Call(store, self.method, self.arguments, "abandon", self.for_trace)


class Fetch(Protocol):
    """Something to ask of a store."""

    def call_on(self, store: object, /) -> Call:
        """Return the store method that answers."""
        ...


Result_co = TypeVar("Result_co", covariant=True)
StrategyRun = Generator[Fetch, Any, Result_co]
"""A running algorithm: yields requests, is sent what the store returns, returns its result."""


class Strategy(Protocol[Result_co]):
    """An algorithm with its parameters bound, ready to run."""

    def __call__(self, *, record: Recorder | None) -> StrategyRun[Result_co]:
        """Start it; `record` takes its events, or is None."""
        ...


def _reading(store: object, method: Callable[..., Any], arguments: Mapping[str, Any]) -> Call:
    return Call(store, method, arguments, in_thread="abandon")


def _filter(store: object, filters: dict[str, Any] | None) -> Call:
    return _reading(store, FiltersDocuments.filter_documents, {"filters": filters})


def _with_meta(key: str) -> str:
    """Return a key as all stores take it in a filter: some look for metadata only below ``meta.``."""
    return key if key in Document.__dataclass_fields__ or key.startswith("meta.") else f"meta.{key}"


def extract_documents(answer: object) -> list[Document]:
    """Return the documents of a store's answer: a list of nothing else, or something else without any."""
    if isinstance(answer, (list, tuple)) and answer and isinstance(answer[0], Document):
        return list(answer)
    return []
