"""Base classes of retrievers, and the validation of their parameters."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import ClassVar, TypeVar

from spaniel.components.lifecycle import CompositeComponent, StoreComponent
from spaniel.components.preprocessors.tokens import make_encoding_bounds
from spaniel.core.callables import CallableParameters
from spaniel.dataclasses import Document
from spaniel.document_stores.types import SyncDocumentStore
from spaniel.document_stores.validation import validate_count, validate_number
from spaniel.errors import WrongStoreError
from spaniel.filters import FilterPolicy, apply_filter_policy, parse_filter
from spaniel.json_types import Filters
from spaniel.runtime import Call, Program, has_method
from spaniel.strategies import Strategy, run_stage
from spaniel.strategies.fusion import pool
from spaniel.strategies.lengths import Length, TokenCounter, make_length_function

T = TypeVar("T")


class StoreRetriever(StoreComponent):
    """A retriever over a document store."""

    _store_class: ClassVar[type | None] = None
    """The class of stores it requires; None: any class with the methods it calls."""

    def _accept_store(self, document_store: T, *methods: Callable[..., object]) -> T:
        """Return the store, if it is of the required class, or has the methods."""
        if self._store_class is None:
            return validate_store(document_store, *methods)
        if not isinstance(document_store, self._store_class):
            raise WrongStoreError(
                f"document_store must be an instance of {self._store_class.__name__}, not {type(document_store).__name__}."
            )
        return document_store

    def _run_stage(self, strategy: Strategy[list[Document]]) -> Program[dict[str, list[Document]]]:
        """Run an algorithm on the store, as a stage of a trace."""
        return {"documents": (yield from run_stage(strategy, self.document_store, type(self).__name__))}


class CompositeRetriever(CompositeComponent):
    """A retriever that calls other components."""

    min_score: float | None

    def _pool(self, rankings: Iterable[list[Document]]) -> Program[dict[str, list[Document]]]:
        """Return the documents of all rankings, best first, each once."""
        pooled = partial(pool, *rankings, min_score=self.min_score)
        return {"documents": (yield from run_stage(pooled, None, type(self).__name__))}


class TokenizerParameter(CallableParameters):
    """A component with a `tokenizer`: the name of an encoding, a callable, a tokenizer, or None."""

    _callable_parameters = ("tokenizer",)
    _encoding_parameters = ("tokenizer",)


def combine_filters(policy: FilterPolicy, init_filters: Filters | None, filters: Filters | None) -> Filters | None:
    """Return the constructor's filter combined with that of a run, parsed in advance."""
    combined = apply_filter_policy(policy, init_filters, filters)
    if combined:
        parse_filter(combined)
    return combined


def fetch_documents(call: Call, name: str = "") -> Program[list[Document]]:
    """Return the documents of a retriever's ``run``; errors have its `name`, if given."""
    try:
        result = yield call
    except Exception as error:
        if not name:
            raise
        raise RuntimeError(f"{name} failed: {error}") from error
    return list((result or {}).get("documents") or ())


def validate_store(document_store: T, *methods: Callable[..., object]) -> T:
    """Return the store, if it has the methods, in either mode; by default ``filter_documents``."""
    if type(document_store).__module__.partition(".")[0] in ("haystack", "haystack_integrations"):
        raise WrongStoreError(
            f"document_store must be a store of Spaniel, got {type(document_store).__name__} of Haystack. "
            "Wrap it in spaniel.interop.haystack.HaystackStore."
        )
    for method in methods or (SyncDocumentStore.filter_documents,):
        if not has_method(document_store, method):
            name = method.__name__
            raise WrongStoreError(
                f"document_store must be a document store with a method {name} or {name}_async, got "
                f"{document_store!r:.100}."
            )
    return document_store


def validate_optional_count(name: str, value: int | None, *, positive: bool = False) -> int | None:
    """Return a count, validated, or None."""
    return None if value is None else validate_count(name, value, positive=positive)


def validate_optional_number(name: str, value: float | None) -> float | None:
    """Return a number, validated, or None."""
    return None if value is None else validate_number(name, value)


def validate_min_score(min_score: float | None) -> float | None:
    """Return the minimum score of a document, validated, or None."""
    return validate_optional_number("min_score", min_score)


def validate_policy(filter_policy: str | FilterPolicy) -> FilterPolicy:
    """Return the policy, given itself or by name."""
    return filter_policy if isinstance(filter_policy, FilterPolicy) else FilterPolicy.from_str(filter_policy)


def to_field_names(fields: str | Iterable[str] | None) -> tuple[str, ...]:
    """Return metadata fields given as a name, several names, or None."""
    return (fields,) if isinstance(fields, str) else tuple(fields or ())


def validate_queries(queries: list[str]) -> list[str]:
    """Return the queries; the characters of a string would become queries."""
    if isinstance(queries, str):
        raise TypeError(f"queries must be a list of strings, got a string. Pass [{queries!r}].")
    return queries


def validate_tokenizer(tokenizer: T) -> T:
    """Return the tokenizer: the name of an encoding, able to count tokens, or None."""
    make_token_counter(tokenizer)
    return tokenizer


def make_token_counter(tokenizer: object) -> Length | None:
    """Return the function that counts the tokens of a text; None without a tokenizer.

    >>> make_token_counter("o200k_base")("one two three")
    3
    """
    if isinstance(tokenizer, str):
        bounds = make_encoding_bounds(tokenizer)
        return TokenCounter(lambda text: len(bounds(text)) - 1, tokenizer)
    return None if tokenizer is None else make_length_function(tokenizer)
