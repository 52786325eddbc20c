"""Checks of what retrievers are built with."""

from spaniel.document_stores.in_memory import InMemoryDocumentStore
from spaniel.errors import WrongStoreError
from spaniel.filters import FilterPolicy


def checked_top_k(top_k: int) -> int:
    """Return `top_k`.

    :raises ValueError: it is not greater than 0.
    """
    if top_k <= 0:
        raise ValueError(f"top_k must be greater than 0. Currently, the top_k is {top_k}")
    return top_k


def checked_policy(filter_policy: str | FilterPolicy) -> FilterPolicy:
    """Return the policy, given itself or by name.

    :raises ValueError: there is no policy of that name.
    """
    return filter_policy if isinstance(filter_policy, FilterPolicy) else FilterPolicy.from_str(filter_policy)


def in_memory_store(document_store: object) -> InMemoryDocumentStore:
    """Return the store.

    :raises WrongStoreError: it is no `InMemoryDocumentStore`.
    """
    if not isinstance(document_store, InMemoryDocumentStore):
        raise WrongStoreError(
            f"document_store must be an instance of InMemoryDocumentStore, not {type(document_store).__name__}."
        )
    return document_store
