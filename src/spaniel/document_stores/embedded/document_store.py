"""The public methods that the stores inside a process share."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import Self

from spaniel.core.callables import CallableParameters
from spaniel.dataclasses import Document
from spaniel.document_stores.base import BaseDocumentStore
from spaniel.document_stores.embedded.async_methods import in_reader_thread, in_writer_thread
from spaniel.document_stores.embedded.indexing import Analyzer, SearchScope
from spaniel.document_stores.embedded.keyword_ranking import validate_word_parameters
from spaniel.document_stores.embedded.metadata import count_unique, metadata_types, min_max, unique_values
from spaniel.document_stores.embedded.scoring import (
    BM25Algorithm,
    Similarity,
    VectorSearch,
    validate_bm25_parameters,
    validate_ranking,
)
from spaniel.document_stores.embedded.search import SearchMethods
from spaniel.document_stores.embedded.store_state import StoreState, WritableStoreState
from spaniel.document_stores.embedded.writer import MAX_SMALL_WRITE_DOCUMENTS
from spaniel.document_stores.validation import validate_count, validate_ids
from spaniel.filters import matches, parse_filter
from spaniel.json_types import Filters, Json, JsonObject, Meta


class EmbeddedDocumentStore(SearchMethods, CallableParameters, BaseDocumentStore):
    """Reads, searches, updates and deletes the documents of a state, as independent copies.

    A subclass opens the state, and passes it to `_attach` at the end of its constructor.
    """

    _callable_parameters = ("analyzer",)
    _encoding_parameters = ("analyzer",)

    def __init__(
        self,
        *,
        bm25_algorithm: BM25Algorithm,
        bm25_parameters: Mapping[str, float] | None,
        embedding_similarity_function: Similarity,
        vector_search: VectorSearch,
        async_executor: Executor | None,
        return_embedding: bool,
        strict_datetime_comparison: bool,
    ) -> None:
        validate_ranking(bm25_algorithm, embedding_similarity_function, vector_search)
        self.bm25_algorithm = bm25_algorithm
        self.bm25_parameters = validate_bm25_parameters(bm25_parameters or {})
        self.embedding_similarity_function = embedding_similarity_function
        self.vector_search = vector_search
        self.async_executor = async_executor
        self.return_embedding = return_embedding
        self.strict_datetime_comparison = strict_datetime_comparison

    def _attach(self, state: WritableStoreState) -> None:
        self._state = state
        if state.indexing.scores_words:
            validate_word_parameters(self.bm25_parameters)
        if self.vector_search == "approximate":
            state.prepare_approximate_search()

    @property
    def search_scope(self) -> SearchScope:
        """The documents that are searched."""
        return self._state.indexing.search_scope

    @property
    def analyzer(self) -> Analyzer:
        """The words of texts and queries."""
        return self._state.indexing.analyzer

    @property
    def fields(self) -> dict[str, float] | None:
        """The metadata keys that are searched too, with their weights."""
        return dict(self._state.indexing.fields) or None

    @property
    def bm25_tokenization_regex(self) -> str:
        """The pattern of a token of the analyzer ``standard``."""
        return self._state.indexing.bm25_tokenization_regex

    def _init_parameters(self) -> JsonObject:
        parameters = super()._init_parameters()
        parameters.pop("async_executor", None)  # threads can't be serialised
        if isinstance(self.analyzer, re.Pattern):
            parameters["analyzer"] = {"pattern": self.analyzer.pattern, "flags": self.analyzer.flags}
        return parameters

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """Return the store that `to_dict` wrote."""
        parameters = dict(data.get("init_parameters") or {})
        if isinstance(analyzer := parameters.get("analyzer"), dict):
            parameters["analyzer"] = re.compile(analyzer["pattern"], analyzer["flags"])
        return super().from_dict({**data, "init_parameters": parameters})

    @property
    def storage(self) -> Mapping[str, Document]:
        """The documents by id, read-only: each look-up returns a copy."""
        return _Storage(self._state)

    def count_documents(self) -> int:
        """Return the number of documents."""
        return self._state.count()

    def count_documents_by_filter(self, filters: Filters) -> int:
        """Return the number of documents that match a filter; `{}` matches all."""
        if not filters:
            return self._state.count()
        return len(self._state.find_matching_slots(parse_filter(filters), strict_dates=self.strict_datetime_comparison))

    def filter_documents(self, filters: Filters | None = None) -> list[Document]:
        """Return the documents that match a filter, or all, in the order of writing.

        :raises FilterError: the filter is malformed.
        """
        return self._copies(self._find(filters))

    def get_documents_by_id(self, document_ids: Sequence[str]) -> list[Document]:
        """Return the documents with these ids, in the order of writing; skip unknown ids."""
        return self._copies(self._state.get_by_id(validate_ids(document_ids)))

    def get_documents_by_key(self, key: str, values: Sequence[Json], filters: Filters | None = None) -> list[Document]:
        """Return the documents that hold any of `values` under `key`, in the order of writing.

        :param key: a metadata key, with or without ``meta.``, or ``id``.
        :param values: values to equal, or to be equal to an element of a list.
        :param filters: a filter that the documents must match too.
        :raises FilterError: the filter is malformed.
        """
        return self.get_documents_by_keys({key: values}, filters)

    def get_documents_by_keys(
        self, values: Mapping[str, Sequence[Json]], filters: Filters | None = None
    ) -> list[Document]:
        """Return the documents that hold a value of any of several keys, in the order of writing.

        :param values: values by key, as for `get_documents_by_key`.
        :param filters: a filter that the documents must match too.
        :raises FilterError: the filter is malformed.
        """
        parsed, strict = parse_filter(filters) if filters else None, self.strict_datetime_comparison
        found = [document for _, document in self._state.find_holding(values)]
        if parsed is not None:
            found = [each for each in found if matches(parsed, each, strict_datetime_comparison=strict)]
        return self._copies(found)

    def delete_documents(self, document_ids: Iterable[str]) -> None:
        """Delete the documents with these ids; unknown ids are ignored."""
        self._state.delete(validate_ids(document_ids))

    def delete_all_documents(self) -> None:
        """Delete every document."""
        self._state.clear()

    def delete_by_filter(self, filters: Filters) -> int:
        """Delete the documents that match a filter, and return their number.

        :raises FilterError: the filter is malformed, or empty.
        """
        return self._state.delete_matching(parse_filter(filters), strict_dates=self.strict_datetime_comparison)

    def update_by_filter(self, filters: Filters, meta: Meta) -> int:
        """Merge `meta` into that of the documents that match a filter, and return their number.

        Ids do not change.

        :raises FilterError: the filter is malformed, or empty.
        :raises ValueError: `meta` is not a dict.
        """
        if not isinstance(meta, Mapping):
            raise ValueError(f"`meta` must be a dict of changes, got {type(meta).__name__}.")
        strict = self.strict_datetime_comparison
        return self._state.update_matching(parse_filter(filters), meta, strict_dates=strict)

    def get_metadata_fields_info(self) -> dict[str, dict[str, str]]:
        """Return the metadata keys with their types: boolean, int, float or keyword."""
        return metadata_types(self._find(None))

    def count_unique_metadata_by_filter(self, filters: Filters, metadata_fields: list[str]) -> dict[str, int]:
        """Return the number of distinct values per field, among the documents that match a filter.

        :param filters: `{}` matches all.
        :param metadata_fields: with or without ``meta.``; a field may be nested (``author.name``).
        """
        return count_unique(self._find(filters), metadata_fields)

    def get_metadata_field_min_max(self, metadata_field: str) -> dict[str, Json]:
        """Return ``min`` and ``max`` under a field; None unless all are numbers or all strings."""
        return min_max(self._find(None), metadata_field)

    def get_metadata_field_unique_values(
        self,
        metadata_field: str,
        search_term: str | None = None,
        from_: int = 0,
        size: int = 10,
        filters: Filters | None = None,
    ) -> tuple[list[Json], int]:
        """Return a page of the distinct values under a field, sorted as text, and their number.

        :param metadata_field: with or without ``meta.``; it may be nested (``author.name``).
        :param search_term: a text that values must contain, in any case.
        :param from_: number of values before the page.
        :param size: maximum number of values on the page.
        :param filters: a filter on the documents.
        :raises ValueError: `from_` or `size` is negative.
        """
        start, length = validate_count("from_", from_), validate_count("size", size)
        values = unique_values(self._find(filters), metadata_field, search_term)
        return values[start : start + length], len(values)

    async def count_documents_async(self) -> int:
        """Return the result of `count_documents`."""
        return self.count_documents()

    async def delete_documents_async(self, document_ids: Iterable[str]) -> None:
        """Run `delete_documents` without blocking the event loop."""
        ids = validate_ids(document_ids)
        delete = partial(self.delete_documents, ids)
        await self._state.writer.run(delete, small=len(ids) <= MAX_SMALL_WRITE_DOCUMENTS)

    count_documents_by_filter_async = in_reader_thread(count_documents_by_filter)
    filter_documents_async = in_reader_thread(filter_documents)
    get_documents_by_id_async = in_reader_thread(get_documents_by_id)
    get_documents_by_key_async = in_reader_thread(get_documents_by_key)
    get_documents_by_keys_async = in_reader_thread(get_documents_by_keys)
    delete_all_documents_async = in_writer_thread(delete_all_documents)
    delete_by_filter_async = in_writer_thread(delete_by_filter)
    update_by_filter_async = in_writer_thread(update_by_filter)
    get_metadata_fields_info_async = in_reader_thread(get_metadata_fields_info)
    count_unique_metadata_by_filter_async = in_reader_thread(count_unique_metadata_by_filter)
    get_metadata_field_min_max_async = in_reader_thread(get_metadata_field_min_max)
    get_metadata_field_unique_values_async = in_reader_thread(get_metadata_field_unique_values)

    @property
    def executor(self) -> Executor:
        """The executor of async methods: `async_executor`, else the thread of the async writes."""
        return self.async_executor or self._state.writer.thread

    def shutdown(self) -> None:
        """Wait for the async writes that are queued. The store can still be used."""
        self._state.writer.shutdown()

    def _find(self, filters: Filters | None) -> list[Document]:
        if not filters:
            return [document for _, document in self._state.all()]
        found = self._state.find_matching(parse_filter(filters), strict_dates=self.strict_datetime_comparison)
        return [document for _, document in found]

    def _copies(self, documents: list[Document]) -> list[Document]:
        return Document.copies_of(documents, embedding=self.return_embedding, lazy=True)


class _Storage(Mapping[str, Document]):
    def __init__(self, state: StoreState) -> None:
        self._state = state

    def __getitem__(self, document_id: str) -> Document:
        for document in self._state.get_by_id([document_id]):
            return document.independent_copy()
        raise KeyError(document_id)

    def __iter__(self) -> Iterator[str]:
        return iter(self._state.ids())

    def __len__(self) -> int:
        return self._state.count()
