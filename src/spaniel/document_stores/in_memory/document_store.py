"""The in-memory document store."""

import asyncio
import contextvars
import logging
import math
import uuid
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from os import PathLike
from typing import Any, ClassVar, Literal, ParamSpec, TypeVar

from spaniel._engine import tokenize
from spaniel.core.serialization import Serializable, default_from_dict
from spaniel.dataclasses import Document
from spaniel.document_stores.in_memory import saved_file
from spaniel.document_stores.in_memory.contents import Contents, Tokenizer
from spaniel.document_stores.in_memory.metadata import metadata_types
from spaniel.document_stores.in_memory.tokenizers import DEFAULT_REGEX, regex_tokenizer
from spaniel.document_stores.in_memory.vectors import MixedSizesError, as_vector, mixed_sizes_message, nearest
from spaniel.document_stores.types.policy import DuplicatePolicy
from spaniel.errors import DocumentStoreError, StoreFileError
from spaniel.filters import Filter, parse_filter
from spaniel.tracing.events import TermMatch

logger = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

BM25_SCALING_FACTOR = 8
DOT_PRODUCT_SCALING_FACTOR = 100
SEARCH_SCOPES: Mapping[str, Callable[[Document], bool]] = {
    "all": lambda _: True,
    "leaves": lambda document: not document.meta.get("__children_ids"),
}
"""Which documents are searched: all, or only those without children. The others are kept, filtered and fetched."""

_ALGORITHMS = ("BM25Okapi", "BM25L", "BM25Plus")
_SIMILARITIES = ("dot_product", "cosine")
_SMALL_WRITE_DOCUMENTS, _SMALL_WRITE_CHARACTERS = 100, 50_000  # a millisecond or two of work
_TRIES = 5


class InMemoryDocumentStore(Serializable):
    """Keeps documents in memory, with exact keyword and vector search over them.

    What goes in or comes out is independent of the store. Any number of threads may read beside one that writes; a write
    is seen whole or not at all. The async methods read in threads; a small async write is done at its first step, so the
    order of calls is the order of their effect.

    :param bm25_tokenization_regex: what a token is; the text is in lower case and NFC when it is applied.
    :param bm25_algorithm: ``BM25Okapi``, ``BM25L`` or ``BM25Plus``.
    :param bm25_parameters: ``k1``, ``b``, and ``epsilon`` (Okapi) or ``delta`` (L, Plus), where not the usual ones.
    :param embedding_similarity_function: ``dot_product`` or ``cosine``.
    :param index: the name of the documents; stores of one name share them. Default: a name of its own.
    :param shared: whether other stores of this process may share them by that name.
    :param async_executor: runs what async methods do in threads; default: the event loop's own.
    :param return_embedding: whether returned documents carry their embedding.
    :param strict_datetime_comparison: whether a date without a time zone never equals one with a zone in a filter.
    :param search: ``all``, or ``leaves``: documents with children are kept and fetched, but in no search and no statistic.
    :param cjk: ``characters``, or ``bigrams``: tokens of Chinese, Japanese and Korean text.
    :param bm25_tokenizer: text to tokens, in place of the regular expression, such as one that stems.
    :raises ValueError: an option is none of its values.

    >>> store = InMemoryDocumentStore()
    >>> store.write_documents([Document(content="red apple"), Document(content="blue sky")])
    2
    >>> [document.content for document in store.bm25_retrieval("apple")]
    ['red apple']
    """

    _always_written = frozenset({"strict_datetime_comparison"})
    # Documents named by the caller live as long as the process, those of a random name as long as a store of them.
    _named: ClassVar[dict[str, Contents]] = {}
    _unnamed: ClassVar[weakref.WeakValueDictionary[str, Contents]] = weakref.WeakValueDictionary()

    def __init__(
        self,
        bm25_tokenization_regex: str = DEFAULT_REGEX,
        bm25_algorithm: Literal["BM25Okapi", "BM25L", "BM25Plus"] = "BM25L",
        bm25_parameters: dict[str, float] | None = None,
        embedding_similarity_function: Literal["dot_product", "cosine"] = "dot_product",
        index: str | None = None,
        shared: bool = True,
        async_executor: Executor | None = None,
        return_embedding: bool = True,
        *,
        strict_datetime_comparison: bool = False,
        search: Literal["all", "leaves"] = "all",
        cjk: Literal["characters", "bigrams"] = "characters",
        bm25_tokenizer: Tokenizer | None = None,
    ) -> None:
        if bm25_algorithm not in _ALGORITHMS:
            raise ValueError(f"BM25 algorithm '{bm25_algorithm}' is not supported. Choose one of {list(_ALGORITHMS)}.")
        _check_choice("embedding_similarity_function", embedding_similarity_function, _SIMILARITIES)
        _check_choice("search", search, SEARCH_SCOPES)
        self.bm25_tokenization_regex = bm25_tokenization_regex
        self.bm25_algorithm = bm25_algorithm
        self.bm25_parameters = bm25_parameters or {}
        self.embedding_similarity_function = embedding_similarity_function
        self.shared = shared
        self.executor = async_executor
        self.return_embedding = return_embedding
        self.strict_datetime_comparison = strict_datetime_comparison
        self.search = search
        self.cjk = cjk
        self.bm25_tokenizer = bm25_tokenizer
        self._tokenizer = bm25_tokenizer or regex_tokenizer(bm25_tokenization_regex)
        self.index, self._contents = self._open(index)

    def _open(self, index: str | None) -> tuple[str, Contents]:
        name = str(uuid.uuid4()) if index is None else index
        if not self.shared:
            return name, self._new_contents()
        known = self._unnamed.get(name) or self._named.get(name)
        if known is None:
            known = self._new_contents()
            (self._unnamed if index is None else self._named)[name] = known
        return name, known

    def _new_contents(self) -> Contents:
        return Contents(SEARCH_SCOPES[self.search], self._tokenizer, self.cjk)

    def _init_parameters(self) -> dict[str, Any]:
        self.async_executor = None  # threads can't be written down
        parameters = super()._init_parameters()
        del parameters["async_executor"]
        return parameters

    # --- writing -----------------------------------------------------------------------------------------------------

    def write_documents(self, documents: Iterable[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE) -> int:
        """Return how many documents were written: all that were not skipped, or an error and none.

        :param documents: any iterable of documents.
        :param policy: what happens with an id that is stored already, or twice in the batch; ``NONE`` means ``FAIL``.
        :raises ValueError: something else than documents is given, or an embedding is no finite vector.
        :raises DuplicateDocumentError: the policy is ``FAIL`` and an id is there already.
        """
        written, skipped = self._contents.write(_checked_documents(documents), policy)
        for id in skipped:
            logger.warning("ID '%s' already exists, so the document is skipped.", id)
        return written

    def delete_documents(self, document_ids: Iterable[str]) -> None:
        """Delete the documents with these ids; unknown ids are ignored."""
        self._contents.delete(list(document_ids))

    def delete_all_documents(self) -> None:
        """Delete every document."""
        self._contents.clear()

    def delete_by_filter(self, filters: dict[str, Any]) -> int:
        """Return how many documents matched a filter and were deleted.

        :raises FilterError: the filter is malformed.
        """
        with self._contents.writing:
            return self._contents.delete([document.id for _, document in self._matching(filters)])

    def update_by_filter(self, filters: dict[str, Any], meta: dict[str, Any]) -> int:
        """Return how many documents matched a filter and got `meta` merged into theirs; ids stay.

        :raises FilterError: the filter is malformed.
        """
        return self._contents.update(parse_filter(filters), meta, strict_dates=self.strict_datetime_comparison)

    # --- reading -----------------------------------------------------------------------------------------------------

    def count_documents(self) -> int:
        """Return how many documents the store holds."""
        return len(self._contents)

    def count_documents_by_filter(self, filters: dict[str, Any]) -> int:
        """Return how many documents match a filter; an empty one matches all."""
        return len(self._matching(filters))

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """Return the documents that match a filter, in the order of writing; without a filter all of them.

        :raises FilterError: the filter is malformed.
        """
        return [self._outward(document) for _, document in self._matching(filters)]

    def get_documents_by_id(self, document_ids: Sequence[str]) -> list[Document]:
        """Return the documents with these ids, in the order of writing; unknown ids are left out."""
        return [self._outward(document) for document in self._contents.by_id(document_ids)]

    def get_documents_by_key(
        self, key: str, values: Sequence[Any], filters: dict[str, Any] | None = None
    ) -> list[Document]:
        """Return the documents that hold one of `values` under `key`, in the order of writing.

        :param key: a metadata key, with or without ``meta.``, or ``id``.
        :param values: a document holds a value if its own equals it, or is a list with an equal element.
        :param filters: what the documents must match besides.
        :raises FilterError: the filter is malformed.
        """
        found = self._contents.holding(key, values)
        if filters:
            allowed = {slot for slot, _ in self._matching(filters)}
            found = [(slot, document) for slot, document in found if slot in allowed]
        return [self._outward(document) for _, document in found]

    def bm25_retrieval(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int = 10, scale_score: bool = False
    ) -> list[Document]:
        """Return the documents that share a term with a query, best first; ties in the order of writing.

        :param query: text; each of its terms counts once.
        :param filters: what the documents must match. Statistics are over all searched documents all the same.
        :param top_k: how many documents at most.
        :param scale_score: squeeze scores into 0 to 1: 1 / (1 + exp(-score / 8)).
        :raises ValueError: the query is empty, or `top_k` negative.
        :raises FilterError: the filter is malformed.
        """
        if not query:
            raise ValueError("Query should be a non-empty string")
        _check_top_k(top_k)
        parsed = parse_filter(filters) if filters else None
        hits, documents = self._consistent(partial(self._bm25_hits, query, parsed, top_k))
        scaled = [_expit(score / BM25_SCALING_FACTOR) if scale_score else score for _, score in hits]
        return [self._outward(document, score) for document, score in zip(documents, scaled, strict=True)]

    def _bm25_hits(self, query: str, filter: Filter | None, top_k: int) -> list[tuple[int, float]]:
        return self._contents.keywords.search(
            self._terms(query),
            variant=self.bm25_algorithm,
            parameters=self.bm25_parameters,
            top_k=top_k,
            allowed=None if filter is None else self._slots(filter),
        )

    def explain_bm25(self, query: str, document_ids: Sequence[str]) -> dict[str, tuple[TermMatch, ...]]:
        """Return for each document the terms of a query that it holds, and what each adds to its unscaled score.

        :param query: as for `bm25_retrieval`.
        :param document_ids: the documents; those that are not searched are left out.
        """
        slots = {
            id: slot for id, slot in self._contents.slots_of(document_ids).items() if slot in self._contents.keywords
        }
        explained = self._contents.keywords.explain(
            self._terms(query), list(slots.values()), variant=self.bm25_algorithm, parameters=self.bm25_parameters
        )
        return {
            id: tuple(TermMatch(term.term, term.tf, term.df, term.score) for term in terms)
            for id, terms in zip(slots, explained, strict=True)
        }

    def embedding_retrieval(
        self,
        query_embedding: Sequence[float],
        filters: dict[str, Any] | None = None,
        top_k: int = 10,
        scale_score: bool = False,
        return_embedding: bool | None = False,
    ) -> list[Document]:
        """Return the documents whose embeddings are most similar to a vector, best first; ties in the order of writing.

        :param query_embedding: a list or an array of numbers, as long as the documents' embeddings.
        :param filters: what the documents must match.
        :param top_k: how many documents at most.
        :param scale_score: squeeze scores into 0 to 1: (score + 1) / 2 for cosine, 1 / (1 + exp(-score / 100)) else.
        :param return_embedding: whether they carry their embedding; None: as the store is set.
        :raises ValueError: the vector is empty or not finite, or `top_k` negative.
        :raises FilterError: the filter is malformed.
        :raises DocumentStoreError: the embeddings are of several sizes, or of another than the query.
        """
        if isinstance(query_embedding, str) or not hasattr(query_embedding, "__len__") or len(query_embedding) == 0:
            raise ValueError("query_embedding should be a non-empty list of floats.")
        query = as_vector(query_embedding, "the query")
        _check_top_k(top_k)
        parsed = parse_filter(filters) if filters else None
        hits, documents = self._consistent(partial(self._nearest, query, parsed, top_k))
        if not hits:
            logger.info("No document with an embedding was searched; a document embedder makes embeddings.")
        scale = self._similarity_scale(scale_score)
        keep = self.return_embedding if return_embedding is None else return_embedding
        return [
            self._outward(document, scale(score), keep_embedding=keep)
            for document, (_, score) in zip(documents, hits, strict=True)
        ]

    def _nearest(self, query: Any, filter: Filter | None, top_k: int) -> list[tuple[int, float]]:
        allowed = None if filter is None else self._slots(filter)
        cosine = self.embedding_similarity_function == "cosine"
        try:
            return nearest(self._contents.vectors(), query, cosine=cosine, top_k=top_k, allowed=allowed)
        except MixedSizesError as error:
            examples = {size: self._contents.by_slot([slot]) for size, slot in error.slot_of_size.items()}
            one_each = {size: found[0] for size, found in examples.items() if found}
            raise DocumentStoreError(mixed_sizes_message(one_each)) from None

    def _similarity_scale(self, scale_score: bool) -> Callable[[float], float]:
        if not scale_score:
            return float
        if self.embedding_similarity_function == "cosine":
            return lambda score: (score + 1) / 2
        return lambda score: _expit(score / DOT_PRODUCT_SCALING_FACTOR)

    def _consistent(
        self, search: Callable[[], list[tuple[int, float]]]
    ) -> tuple[list[tuple[int, float]], list[Document]]:
        """Return hits with their documents, of one state of the store: searched again if a writer came between."""
        for _ in range(_TRIES):
            hits = search()
            documents = self._contents.by_slot([slot for slot, _ in hits])
            if documents is not None:
                return hits, documents
        with self._contents.writing:  # writers keep coming between, so they wait for once
            hits = search()
            return hits, self._contents.by_slot([slot for slot, _ in hits]) or []

    def query_terms(self, query: str) -> list[str]:
        """Return the distinct terms of a query, as they are in the index, in the order of their appearance."""
        terms = self._terms(query)
        return list(dict.fromkeys(tokenize(terms, self.cjk) if isinstance(terms, str) else terms))

    def search_statistics(self) -> dict[str, int]:
        """Return the numbers of the keyword index: ``documents`` searched, their ``tokens``, the ``vocabulary``."""
        return dict(self._contents.keywords.statistics())  # type: ignore[arg-type]  # a TypedDict of numbers

    def get_metadata_fields_info(self) -> dict[str, dict[str, str]]:
        """Return the metadata keys of all documents, each with its type: boolean, int, float or keyword."""
        return metadata_types(document for _, document in self._contents.all())

    def _terms(self, query: str) -> str | list[str]:
        return query if self._tokenizer is None else self._tokenizer(query)

    def _matching(self, filters: dict[str, Any] | None) -> list[tuple[int, Document]]:
        if not filters:
            return self._contents.all()
        return self._contents.matching(parse_filter(filters), strict_dates=self.strict_datetime_comparison)

    def _slots(self, filter: Filter) -> list[int]:
        found = self._contents.matching(filter, strict_dates=self.strict_datetime_comparison)
        return [slot for slot, _ in found]

    def _outward(
        self, document: Document, score: float | None = None, *, keep_embedding: bool | None = None
    ) -> Document:
        keep = self.return_embedding if keep_embedding is None else keep_embedding
        changes: dict[str, Any] = {} if score is None else {"score": score}
        if not keep:
            changes["embedding"] = None
        return document.independent_copy(**changes)

    # --- async: the same methods, in threads -------------------------------------------------------------------------

    async def _in_thread(self, method: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        call = partial(contextvars.copy_context().run, partial(method, *args, **kwargs))
        return await asyncio.get_running_loop().run_in_executor(self.executor, call)

    async def _written(self, small: bool, method: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do a small write now, so that a read begun after it sees it; a large one, or one that must wait, in a thread."""
        if small and self._contents.writing.acquire(blocking=False):
            try:
                return method(*args, **kwargs)
            finally:
                self._contents.writing.release()
        return await self._in_thread(method, *args, **kwargs)

    async def write_documents_async(
        self, documents: Iterable[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE
    ) -> int:
        """Return what `write_documents` returns."""
        batch = _checked_documents(documents)
        small = len(batch) <= _SMALL_WRITE_DOCUMENTS and (
            sum(len(document.content or "") for document in batch) <= _SMALL_WRITE_CHARACTERS
        )
        return await self._written(small, self.write_documents, batch, policy)

    async def delete_documents_async(self, document_ids: Iterable[str]) -> None:
        """Do what `delete_documents` does."""
        ids = list(document_ids)
        await self._written(len(ids) <= _SMALL_WRITE_DOCUMENTS, self.delete_documents, ids)

    async def delete_all_documents_async(self) -> None:
        """Do what `delete_all_documents` does."""
        await self._in_thread(self.delete_all_documents)

    async def delete_by_filter_async(self, filters: dict[str, Any]) -> int:
        """Return what `delete_by_filter` returns."""
        return await self._in_thread(self.delete_by_filter, filters)

    async def update_by_filter_async(self, filters: dict[str, Any], meta: dict[str, Any]) -> int:
        """Return what `update_by_filter` returns."""
        return await self._in_thread(self.update_by_filter, filters, meta)

    async def count_documents_async(self) -> int:
        """Return what `count_documents` returns."""
        return self.count_documents()

    async def count_documents_by_filter_async(self, filters: dict[str, Any]) -> int:
        """Return what `count_documents_by_filter` returns."""
        return await self._in_thread(self.count_documents_by_filter, filters)

    async def filter_documents_async(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """Return what `filter_documents` returns."""
        return await self._in_thread(self.filter_documents, filters)

    async def get_documents_by_id_async(self, document_ids: Sequence[str]) -> list[Document]:
        """Return what `get_documents_by_id` returns."""
        return await self._in_thread(self.get_documents_by_id, document_ids)

    async def get_documents_by_key_async(
        self, key: str, values: Sequence[Any], filters: dict[str, Any] | None = None
    ) -> list[Document]:
        """Return what `get_documents_by_key` returns."""
        return await self._in_thread(self.get_documents_by_key, key, values, filters)

    async def bm25_retrieval_async(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int = 10, scale_score: bool = False
    ) -> list[Document]:
        """Return what `bm25_retrieval` returns."""
        return await self._in_thread(self.bm25_retrieval, query, filters, top_k, scale_score)

    async def explain_bm25_async(self, query: str, document_ids: Sequence[str]) -> dict[str, tuple[TermMatch, ...]]:
        """Return what `explain_bm25` returns."""
        return await self._in_thread(self.explain_bm25, query, document_ids)

    async def embedding_retrieval_async(
        self,
        query_embedding: Sequence[float],
        filters: dict[str, Any] | None = None,
        top_k: int = 10,
        scale_score: bool = False,
        return_embedding: bool | None = False,
    ) -> list[Document]:
        """Return what `embedding_retrieval` returns."""
        return await self._in_thread(
            self.embedding_retrieval, query_embedding, filters, top_k, scale_score, return_embedding
        )

    # --- files -------------------------------------------------------------------------------------------------------

    def save_to_disk(self, path: str | PathLike[str]) -> None:
        """Write the settings and all documents to a file, whole or not at all.

        :raises StoreFileError: a document's metadata holds something that can't be written. The old file stays then.
        """
        documents = [document.independent_copy() for _, document in self._contents.all()]
        saved_file.write_file(path, {**self.to_dict(), "documents": [_fields(document) for document in documents]})

    @classmethod
    def load_from_disk(cls, path: str | PathLike[str]) -> "InMemoryDocumentStore":
        """Return the store that `save_to_disk` wrote.

        :raises FileNotFoundError: there is no such file.
        :raises StoreFileError: it is damaged, or no saved store.
        """
        data = saved_file.read_file(path)
        try:
            documents = [Document.from_dict(fields) for fields in data.pop("documents")]
            store = default_from_dict(cls, data)
            store.write_documents(documents, policy=DuplicatePolicy.OVERWRITE)
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            raise StoreFileError(f"{path} is no saved store: {error}") from error
        return store


def _fields(document: Document) -> dict[str, Any]:
    blob, sparse = document.blob, document.sparse_embedding
    return {
        **document.__dict__,
        "blob": None if blob is None else {"data": blob.data, "meta": blob.meta, "mime_type": blob.mime_type},
        "sparse_embedding": None if sparse is None else sparse.to_dict(),
    }


def _checked_documents(documents: Iterable[Document]) -> list[Document]:
    if not isinstance(documents, Iterable) or isinstance(documents, (str, bytes, Mapping)):
        raise ValueError(f"Please provide a list of Documents, not {type(documents).__name__}.")
    batch = list(documents)
    for place, document in enumerate(batch):
        if not isinstance(document, Document):
            raise ValueError(f"Please provide a list of Documents. Item {place} is of type {type(document).__name__}.")
    return batch


def _check_choice(name: str, value: str, choices: Iterable[str]) -> None:
    if value not in choices:
        raise ValueError(f"{name} is '{value}', but must be one of {list(choices)}.")


def _check_top_k(top_k: int) -> None:
    if top_k < 0:
        raise ValueError(f"top_k must not be negative, but is {top_k}.")


def _expit(value: float) -> float:
    if value >= 0:
        return 1 / (1 + math.exp(-value))
    return math.exp(value) / (1 + math.exp(value))  # exp() of a large positive number would overflow
