"""Documents that the metadata of others links to."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from spaniel.components.retrievers.base import (
    StoreRetriever,
    validate_choice,
    validate_count,
    validate_min_score,
    validate_number,
    validate_policy,
    validate_store,
)
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.document_stores.types import SyncDocumentStore
from spaniel.filters import FilterPolicy, apply_filter_policy, parse_filter
from spaniel.runtime import Program, async_method, sync_method
from spaniel.strategies import DEFAULT_SAMPLING, DIRECTIONS, Strategy, follow_links, run_stage

_DEFAULT_TOP_K, _DEFAULT_DEPTH = 10, 1


@component
class RecursiveRetriever(StoreRetriever):
    """Returns documents together with those that their metadata links to, hop by hop.

    A document links to every document whose value under `filter_key` is among its own values under one of
    `relevant_doc_keys`; both may be scalars or lists. Put it after a retriever or a ranker. The store is asked once a hop.

    The result is sampled cell by cell: ``source`` is the place of the key in `relevant_doc_keys`, ``depth`` the hop,
    ``rank`` the place in the list of that source and depth: the first links of all documents, then the second ones, and so
    on. Original documents are at rank 0, 1, ..., source 0, depth 0.

    :param document_store: any store.
    :param filter_key: what links point at: a metadata key, with or without ``meta.``, or ``id``.
    :param relevant_doc_keys: the metadata keys that hold links.
    :param top_k: how many documents at most; None: 10.
    :param depth: how many hops; 0 returns the originals; None: 1.
    :param sampling_strategy: an order of ``rank``, ``source``, ``depth``, the first weighing most; None: that order.
    :param force_keep_original_documents: whether linked documents give way to originals.
    :param filters: what linked documents must match, on every hop.
    :param filter_policy: what a run-time filter does to `filters`.
    :param direction: ``out``: to what the documents link to. ``in``: to what links to them. ``both``.
    :param key_weights: by key, what its links are worth in `score_decay`; 1 by default.
    :param key_quotas: by key, how many documents may come in by it, in all hops together.
    :param score_decay: a linked document scores what the document that led to it does, times this, times the weight of the
        key. None: linked documents have no score.
    :param max_targets: how many new documents one hop may add.
    :param max_documents: how many new documents all hops may add.
    :param max_requests: how often the store may be asked.
    :param max_seconds: after how long no other hop begins.
    :param min_score: what an original that has a score must score to be kept and followed.
    :raises ValueError: a parameter is out of its range.
    :raises WrongStoreError: the store can't filter documents.

    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> a = Document(content="a", meta={"name": "a", "cites": ["b"]})
    >>> b = Document(content="b", meta={"name": "b"})
    >>> store = InMemoryDocumentStore()
    >>> store.write_documents([a, b])
    2
    >>> retriever = RecursiveRetriever(store, filter_key="name", relevant_doc_keys=["cites"])
    >>> [document.content for document in retriever.run(documents=[a])["documents"]]
    ['a', 'b']
    """

    def __init__(
        self,
        document_store: SyncDocumentStore,
        filter_key: str,
        relevant_doc_keys: list[str],
        top_k: int | None = _DEFAULT_TOP_K,
        depth: int | None = _DEFAULT_DEPTH,
        sampling_strategy: list[str] | None = None,
        force_keep_original_documents: bool = False,
        filters: dict[str, Any] | None = None,
        filter_policy: str | FilterPolicy = FilterPolicy.REPLACE,
        *,
        direction: str = "out",
        key_weights: dict[str, float] | None = None,
        key_quotas: dict[str, int] | None = None,
        score_decay: float | None = None,
        max_targets: int = 1000,
        max_documents: int | None = None,
        max_requests: int | None = None,
        max_seconds: float | None = None,
        min_score: float | None = None,
    ) -> None:
        if not filter_key or not isinstance(filter_key, str):
            raise ValueError(f"filter_key must be the name of a metadata key, or 'id', not {filter_key!r}.")
        if not _are_names(relevant_doc_keys):
            raise ValueError(
                f"relevant_doc_keys must be a list of at least one metadata key, not {relevant_doc_keys!r}."
            )
        if sampling_strategy is not None and not _is_order(sampling_strategy):
            raise ValueError(
                f"sampling_strategy must hold each of {list(DEFAULT_SAMPLING)} once, in any order, not {sampling_strategy!r}."
            )
        self.document_store = validate_store(document_store)
        self.filter_key = filter_key
        self.relevant_doc_keys = copy_value(relevant_doc_keys)
        self.top_k = validate_count("top_k", _DEFAULT_TOP_K if top_k is None else top_k, positive=True)
        self.depth = validate_count("depth", _DEFAULT_DEPTH if depth is None else depth)
        self.sampling_strategy = copy_value(sampling_strategy)
        self.force_keep_original_documents = force_keep_original_documents
        self.filters = copy_value(filters)
        self.filter_policy = validate_policy(filter_policy)
        self.direction = validate_choice("direction", direction, DIRECTIONS)
        self.key_weights = _by_key("key_weights", key_weights, relevant_doc_keys, validate_number)
        self.key_quotas = _by_key("key_quotas", key_quotas, relevant_doc_keys, validate_count)
        self.score_decay = None if score_decay is None else validate_number("score_decay", score_decay)
        if key_weights and score_decay is None:
            raise ValueError(
                "key_weights count in scores, and linked documents have none: give a score_decay, such as 0.5."
            )
        self.max_targets = validate_count("max_targets", max_targets, positive=True)
        self.max_documents = None if max_documents is None else validate_count("max_documents", max_documents)
        self.max_requests = None if max_requests is None else validate_count("max_requests", max_requests)
        self.max_seconds = None if max_seconds is None else validate_number("max_seconds", max_seconds)
        self.min_score = validate_min_score(min_score)

    @component.output_types(documents=list[Document])
    @sync_method
    def run(
        self,
        documents: list[Document] | None = None,
        top_k: int | None = None,
        depth: int | None = None,
        filters: dict[str, Any] | None = None,
    ) -> Program[dict[str, list[Document]]]:
        """Return the originals and the documents they lead to, sampled, under ``documents``.

        :param documents: the originals; they are never filtered.
        :param top_k: instead of the constructor's; 0 gives none.
        :param depth: instead of the constructor's.
        :param filters: joined to the filters of the constructor as the policy says.
        :raises ValueError: `top_k` or `depth` is negative.
        :raises FilterError: a filter is malformed.
        """
        steps = self._follow(documents, top_k, depth, filters)
        return {"documents": (yield from run_stage(steps, self.document_store, type(self).__name__))}

    run_async = async_method(run)

    def _follow(
        self,
        documents: list[Document] | None,
        top_k: int | None,
        depth: int | None,
        filters: dict[str, Any] | None,
    ) -> Strategy[list[Document]]:
        combined = apply_filter_policy(self.filter_policy, self.filters, filters)
        if combined:
            parse_filter(combined)  # a fault in it is told even where no hop is taken
        return partial(
            follow_links,
            documents or [],
            filter_key=self.filter_key,
            relevant_doc_keys=self.relevant_doc_keys,
            top_k=validate_count("top_k", self.top_k if top_k is None else top_k),
            depth=validate_count("depth", self.depth if depth is None else depth),
            sampling_strategy=self.sampling_strategy or DEFAULT_SAMPLING,
            force_keep_original_documents=self.force_keep_original_documents,
            filters=combined,
            direction=self.direction,
            key_weights=self.key_weights,
            key_quotas=self.key_quotas,
            score_decay=self.score_decay,
            max_targets=self.max_targets,
            max_documents=self.max_documents,
            max_requests=self.max_requests,
            max_seconds=self.max_seconds,
            min_score=self.min_score,
        )


def _are_names(keys: object) -> bool:
    return isinstance(keys, (list, tuple)) and bool(keys) and all(key and isinstance(key, str) for key in keys)


def _by_key(
    name: str, given: Mapping[str, Any] | None, keys: list[str], checked: Callable[[str, Any], Any]
) -> dict[str, Any] | None:
    """Return numbers by key, checked.

    :raises ValueError: a key is none of those that are followed, or a number is not one.
    """
    if given is None:
        return None
    if not isinstance(given, Mapping) or not set(given) <= set(keys):
        raise ValueError(f"{name} must map keys among {keys} to numbers, not {given!r}.")
    return {key: checked(f"{name}[{key!r}]", number) for key, number in given.items()}


def _is_order(strategy: object) -> bool:
    given = list(strategy) if isinstance(strategy, (list, tuple)) else []
    return len(given) == len(DEFAULT_SAMPLING) and all(name in given for name in DEFAULT_SAMPLING)


@component
class DeepsetOpenSearchRecursiveRetriever(RecursiveRetriever):
    """`RecursiveRetriever` under the name it has on deepset's platform; it takes any store."""
