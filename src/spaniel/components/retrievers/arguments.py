"""Checks of what retrievers are built with."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from spaniel.document_stores.embedded.arguments import checked_count, checked_number
from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.document_stores.types import SyncDocumentStore
from spaniel.errors import WrongStoreError
from spaniel.filters import FilterPolicy
from spaniel.runtime import has_method

__all__ = [
    "checked_choice",
    "checked_count",
    "checked_min_score",
    "checked_number",
    "checked_policy",
    "checked_store",
    "in_memory_store",
    "searching_store",
]

T = TypeVar("T")


def checked_choice(name: str, value: T, choices: Iterable[object]) -> T:
    """Return a value that is among the choices.

    :raises ValueError: it is not.
    """
    known = list(choices)
    if value not in known:
        raise ValueError(f"{name} is {value!r}, but must be one of {known}.")
    return value


def checked_min_score(min_score: float | None) -> float | None:
    """Return what a document must score; None: nothing.

    :raises ValueError: it is NaN, or no number.
    """
    return None if min_score is None else checked_number("min_score", min_score)


def checked_policy(filter_policy: str | FilterPolicy) -> FilterPolicy:
    """Return the policy, given itself or by name.

    :raises ValueError: there is no policy of that name.
    """
    return filter_policy if isinstance(filter_policy, FilterPolicy) else FilterPolicy.from_str(filter_policy)


def checked_store(document_store: Any) -> Any:
    """Return the store.

    :raises WrongStoreError: it can't filter documents, or gives those of Haystack.
    """
    _refuse_haystack_s(document_store)
    if not has_method(document_store, SyncDocumentStore.filter_documents):
        raise WrongStoreError(
            "document_store must be a document store, with a method filter_documents or filter_documents_async, not "
            f"{document_store!r:.100}."
        )
    return document_store


def searching_store(document_store: Any, *methods: Callable[..., Any]) -> Any:
    """Return the store.

    :param methods: by which it searches.
    :raises WrongStoreError: it lacks one of them, and the async one too, or it gives documents of Haystack.
    """
    _refuse_haystack_s(document_store)
    for method in methods:
        if not has_method(document_store, method):
            name = method.__name__
            raise WrongStoreError(
                f"document_store must be a store with a method {name} or {name}_async, not {document_store!r:.100}."
            )
    return document_store


def _refuse_haystack_s(document_store: object) -> None:
    if type(document_store).__module__.partition(".")[0] in ("haystack", "haystack_integrations"):
        raise WrongStoreError(
            f"document_store is a {type(document_store).__name__} of Haystack, whose documents are of another class: wrap it in "
            "spaniel.interop.haystack.HaystackStore."
        )


def in_memory_store(document_store: object) -> InMemoryDocumentStore:
    """Return the store.

    :raises WrongStoreError: it is no `InMemoryDocumentStore`.
    """
    if not isinstance(document_store, InMemoryDocumentStore):
        raise WrongStoreError(
            f"document_store must be an instance of InMemoryDocumentStore, not {type(document_store).__name__}."
        )
    return document_store
