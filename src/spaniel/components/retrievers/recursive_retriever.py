"""Documents linked to by the metadata of others."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar, get_args

from spaniel.components.retrievers.base import (
    StoreRetriever,
    combine_filters,
    validate_min_score,
    validate_optional_count,
    validate_optional_number,
    validate_policy,
)
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.document_stores.types import SyncDocumentStore
from spaniel.document_stores.validation import validate_choice, validate_count, validate_number
from spaniel.filters import FilterPolicy
from spaniel.json_types import Filters
from spaniel.runtime import Program, async_method, sync_method
from spaniel.strategies import follow_links
from spaniel.strategies.links.link import LinkDirection
from spaniel.strategies.links.selection import DEFAULT_SAMPLING, SamplingDimension

N = TypeVar("N", int, float)
_DEFAULT_TOP_K, _DEFAULT_DEPTH = 10, 1


@component
class RecursiveRetriever(StoreRetriever):
    """Returns documents together with the documents that their metadata links to, hop by hop.

    A document links to every document whose value under `filter_key` is among its own values under
    one of `relevant_doc_keys`; both may be scalars or lists. Put it after a retriever or a ranker.
    A run makes a store request per hop.

    The result is sampled by three dimensions: ``source`` is the index of the key in
    `relevant_doc_keys`, ``depth`` the hop, ``rank`` the position in the list of that source and
    depth: the first links of all documents, then the second ones, and so on. Original documents
    have rank 0, 1, ..., source 0, depth 0.

    :param document_store: any store.
    :param filter_key: the target of links: a metadata key, with or without ``meta.``, or ``id``.
    :param relevant_doc_keys: the metadata keys that hold links.
    :param top_k: the maximum number of documents; None: 10.
    :param depth: the number of hops; 0 returns the originals; None: 1.
    :param sampling_strategy: an order of ``rank``, ``source``, ``depth``; None: that order.
    :param force_keep_original_documents: prefer originals over linked documents.
    :param filters: a filter that linked documents must match, on every hop.
    :param filter_policy: decides between `filters` and a filter given to `run`.
    :param direction: follow links ``out`` of the documents, ``in`` to them, or ``both``.
    :param key_weights: the weight of each key's links in `score_decay`; 1 by default.
    :param key_quotas: the maximum number of documents added by each key, over all hops.
    :param score_decay: the score of a linked document is that of the document linking to it, times
        this, times the weight of the key. None: linked documents have no score.
    :param max_targets: the maximum number of new documents per hop.
    :param max_documents: the maximum number of new documents over all hops.
    :param max_requests: the maximum number of store requests.
    :param max_seconds: the time after which no further hop begins.
    :param min_score: the minimum score of an original; originals without a score pass.
    :raises ValueError: a parameter is out of range.
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

    document_store: SyncDocumentStore

    def __init__(
        self,
        document_store: SyncDocumentStore,
        filter_key: str,
        relevant_doc_keys: list[str],
        top_k: int | None = _DEFAULT_TOP_K,
        depth: int | None = _DEFAULT_DEPTH,
        sampling_strategy: list[SamplingDimension] | None = None,
        force_keep_original_documents: bool = False,
        filters: Filters | None = None,
        filter_policy: str | FilterPolicy = FilterPolicy.REPLACE,
        *,
        direction: LinkDirection = "out",
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
            raise ValueError(f"filter_key must be the name of a metadata key, or 'id', got {filter_key!r}.")
        if not _are_keys(relevant_doc_keys):
            raise ValueError(
                f"relevant_doc_keys must be a list of at least one metadata key, got {relevant_doc_keys!r}."
            )
        if sampling_strategy is not None and not _is_permutation(sampling_strategy):
            raise ValueError(
                f"sampling_strategy must hold each of {list(DEFAULT_SAMPLING)} once, in any order, got {sampling_strategy!r}."
            )
        self.document_store = self._accept_store(document_store)
        self.filter_key = filter_key
        self.relevant_doc_keys = copy_value(relevant_doc_keys)
        self.top_k = validate_count("top_k", _DEFAULT_TOP_K if top_k is None else top_k, positive=True)
        self.depth = validate_count("depth", _DEFAULT_DEPTH if depth is None else depth)
        self.sampling_strategy = copy_value(sampling_strategy)
        self.force_keep_original_documents = force_keep_original_documents
        self.filters = copy_value(filters)
        self.filter_policy = validate_policy(filter_policy)
        self.direction = validate_choice("direction", direction, get_args(LinkDirection))
        self.key_weights = _validate_by_key("key_weights", key_weights, relevant_doc_keys, validate_number)
        self.key_quotas = _validate_by_key("key_quotas", key_quotas, relevant_doc_keys, validate_count)
        self.score_decay = validate_optional_number("score_decay", score_decay)
        if key_weights and score_decay is None:
            raise ValueError(
                "key_weights must be given with a score_decay, such as 0.5: without one, linked documents have no score."
            )
        self.max_targets = validate_count("max_targets", max_targets, positive=True)
        self.max_documents = validate_optional_count("max_documents", max_documents)
        self.max_requests = validate_optional_count("max_requests", max_requests)
        self.max_seconds = validate_optional_number("max_seconds", max_seconds)
        self.min_score = validate_min_score(min_score)

    @component.output_types(documents=list[Document])
    @sync_method
    def run(
        self,
        documents: list[Document] | None = None,
        top_k: int | None = None,
        depth: int | None = None,
        filters: Filters | None = None,
    ) -> Program[dict[str, list[Document]]]:
        """Return the originals and the documents reached from them, sampled, under ``documents``.

        :param documents: the originals; they are never filtered.
        :param top_k: overrides the constructor's; 0 returns nothing.
        :param depth: overrides the constructor's.
        :param filters: combined with the constructor's by the policy.
        :raises ValueError: `top_k` or `depth` is negative.
        :raises FilterError: a filter is malformed.
        """
        reached = partial(
            follow_links,
            documents or [],
            filter_key=self.filter_key,
            relevant_doc_keys=self.relevant_doc_keys,
            top_k=validate_count("top_k", self.top_k if top_k is None else top_k),
            depth=validate_count("depth", self.depth if depth is None else depth),
            sampling_strategy=self.sampling_strategy or DEFAULT_SAMPLING,
            force_keep_original_documents=self.force_keep_original_documents,
            filters=combine_filters(self.filter_policy, self.filters, filters),
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
        return (yield from self._run_stage(reached))

    run_async = async_method(run)


def _are_keys(keys: object) -> bool:
    return isinstance(keys, (list, tuple)) and bool(keys) and all(key and isinstance(key, str) for key in keys)


def _is_permutation(strategy: object) -> bool:
    return isinstance(strategy, (list, tuple)) and sorted(map(str, strategy)) == sorted(DEFAULT_SAMPLING)


def _validate_by_key(
    name: str, numbers: Mapping[str, N] | None, keys: list[str], validate: Callable[[str, N], N]
) -> dict[str, N] | None:
    if numbers is None:
        return None
    if not isinstance(numbers, Mapping) or not set(numbers) <= set(keys):
        raise ValueError(f"{name} must map keys among {keys} to numbers, got {numbers!r}.")
    return {key: validate(f"{name}[{key!r}]", number) for key, number in numbers.items()}


@component
class DeepsetOpenSearchRecursiveRetriever(RecursiveRetriever):
    """`RecursiveRetriever` under the name it has on deepset's platform; it takes any store."""
