"""The OpenSearch document store: its settings, and its methods as those of its parts."""

import functools
import inspect
import os
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, get_args

from spaniel.core.secret import Secret
from spaniel.core.serialization import default_from_dict
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.dataclasses.document import RESERVED
from spaniel.document_stores.base import BaseDocumentStore
from spaniel.document_stores.embedded.indexing import SearchScope
from spaniel.document_stores.local.maintenance.jsonl import write_lines
from spaniel.document_stores.opensearch.administration import IndexAdministration
from spaniel.document_stores.opensearch.index import Index
from spaniel.document_stores.opensearch.lease import Lease
from spaniel.document_stores.opensearch.reading.documents import DocumentReader, iterate_documents
from spaniel.document_stores.opensearch.reading.metadata import MetadataReader
from spaniel.document_stores.opensearch.schema.document_source import CONTENT
from spaniel.document_stores.opensearch.schema.mapping import KEPT, MARKS, default_mapping
from spaniel.document_stores.opensearch.schema.word_fields import WordFields
from spaniel.document_stores.opensearch.search.metadata_search import MetadataSearcher
from spaniel.document_stores.opensearch.search.ranker import Ranker
from spaniel.document_stores.opensearch.search.search_target import SearchTarget, SearchType
from spaniel.document_stores.opensearch.search.terms import QueryTerms
from spaniel.document_stores.opensearch.search.word_ranker import WordRanker
from spaniel.document_stores.opensearch.transport.connection import (
    Auth,
    Connection,
    Hosts,
    resolve_auth,
    serialize_auth,
)
from spaniel.document_stores.opensearch.transport.http_request import JsonSerializer
from spaniel.document_stores.opensearch.writing.filter_changes import FilterChanges
from spaniel.document_stores.opensearch.writing.writer import IndexWriter, NestedFields
from spaniel.document_stores.validation import validate_choice, validate_count, validate_number
from spaniel.json_types import Filters, JsonObject
from spaniel.runtime import Program, RetryPolicy, async_method, sync_method

S = TypeVar("S")
D = TypeVar("D")
P = ParamSpec("P")
T = TypeVar("T")


def _delegate(
    part: Callable[[S], D], program: Callable[Concatenate[D, P], Program[T]]
) -> tuple[Callable[Concatenate[S, P], T], Callable[Concatenate[S, P], Coroutine[Any, Any, T]]]:
    """Return the sync and the async method that run a program of a part, with its documentation."""

    @functools.wraps(program)
    def forward(self: S, /, *args: P.args, **kwargs: P.kwargs) -> Program[T]:
        return (yield from program(part(self), *args, **kwargs))

    forward.__signature__ = inspect.signature(program)  # type: ignore[attr-defined]  # functions have it
    del forward.__wrapped__  # `async_method` runs the innermost function
    method = sync_method(forward)
    return method, async_method(method)


class OpenSearchDocumentStore(BaseDocumentStore):
    """Stores documents in an index of an OpenSearch cluster, which searches them.

    It has the methods of every other store. The index is created on first use; an existing index
    is used unchanged. The layout of documents is that of opensearch-haystack.

    :param hosts: ``https://name:9200``, or a list of such; default ``http://localhost:9200``.
    :param index: the name of the index, or of an alias.
    :param max_chunk_bytes: maximum size of a bulk request.
    :param embedding_dim: dimension of the embeddings of a new index. None: an index without
        vectors, which every server can create; embeddings are stored, and not searched.
    :param return_embedding: True: returned documents include their embedding.
    :param method: the vector index of a new index, as OpenSearch describes it: engine,
        ``space_type``, and so on.
    :param mappings: the mapping of a new index, in place of the default.
    :param settings: the settings of a new index. Default: ``{"index.knn": True}``.
    :param create_index: True: create a missing index.
    :param http_auth: user name and password, as two secrets or as text; or an object that signs
        requests, passed to the client. Default: the environment variables OPENSEARCH_USERNAME and
        OPENSEARCH_PASSWORD, if set.
    :param use_ssl: True: use TLS.
    :param verify_certs: True: verify the server's certificate.
    :param timeout: seconds per request; default 60.
    :param nested_fields: metadata fields that are lists of objects, such that conditions must match
        the same object; or ``*``: all such fields in written documents.
    :param search: ``leaves``: documents with children are stored, filtered and fetched, but are in
        no search and no statistics; or ``all``.
    :param search_type: ``query_then_fetch``: BM25 with the statistics of each shard; or
        ``dfs_query_then_fetch``: with those of the whole index, slightly slower.
    :param chunk_size: documents per bulk request.
    :param writers: concurrent bulk requests per call.
    :param patience: seconds for retries of a request while the cluster is busy or loses a node.
    :param content_field: the field with the text of documents in an existing index.
    :param kwargs: further arguments of the clients of ``opensearch-py``, such as ``ca_certs``.
    :raises ValueError: an option has an unknown value.

    ::

        store = OpenSearchDocumentStore(hosts="http://localhost:9200", index="docs",
        embedding_dim=384) store.write_documents([Document(content="red apple"),
        Document(content="blue sky")]) store.bm25_retrieval("apple")
    """

    def __init__(
        self,
        *,
        hosts: Hosts | None = None,
        index: str = "default",
        max_chunk_bytes: int = 100 * 1024 * 1024,
        embedding_dim: int | None = 768,
        return_embedding: bool = False,
        method: JsonObject | None = None,
        mappings: JsonObject | None = None,
        settings: JsonObject | None = None,
        create_index: bool = True,
        http_auth: Auth = (
            Secret.from_env_var("OPENSEARCH_USERNAME", strict=False),  # noqa: B008 (a name, not its value)
            Secret.from_env_var("OPENSEARCH_PASSWORD", strict=False),  # noqa: B008
        ),
        use_ssl: bool | None = None,
        verify_certs: bool | None = None,
        timeout: float | None = None,
        nested_fields: NestedFields | None = None,
        search: SearchScope = "all",
        search_type: SearchType = "query_then_fetch",
        chunk_size: int = 500,
        writers: int = 4,
        patience: float = 60.0,
        content_field: str = "content",
        **kwargs: Any,
    ) -> None:
        self.search_scope = validate_choice("search", search, get_args(SearchScope))
        self.search_type = validate_choice("search_type", search_type, get_args(SearchType))
        self.hosts = copy_value(hosts)
        self.index = index
        self.max_chunk_bytes = validate_count("max_chunk_bytes", max_chunk_bytes, positive=True)
        self.embedding_dim = (
            None if embedding_dim is None else validate_count("embedding_dim", embedding_dim, positive=True)
        )
        self.content_field = _validate_content_field(content_field)
        self.return_embedding = return_embedding
        self.method = copy_value(method)
        self.nested_fields = copy_value(nested_fields)
        self.mappings = copy_value(mappings)
        default_settings = {} if embedding_dim is None else {"index.knn": True}
        self.settings = default_settings if settings is None else copy_value(settings)
        self.http_auth = http_auth
        self.use_ssl = use_ssl
        self.verify_certs = verify_certs
        self.timeout = None if timeout is None else validate_number("timeout", timeout)
        self.chunk_size = validate_count("chunk_size", chunk_size, positive=True)
        self.writers = validate_count("writers", writers, positive=True)
        self.patience = validate_number("patience", patience)
        self.kwargs = kwargs
        nested = self.nested_fields if isinstance(self.nested_fields, list) else None
        self._connection = Connection(self.hosts, self._client_options)
        self._index = Index(
            index,
            self.mappings or default_mapping(self.embedding_dim, self.method, nested, content_field),
            self.settings,
            create=create_index,
            retry_policy=RetryPolicy(seconds=self.patience),
            content_field=content_field,
        )
        self._query_terms = QueryTerms()

    def _client_options(self) -> dict[str, Any]:
        """Return the arguments of a client; secrets are read from the environment now."""
        return {
            "serializer": JsonSerializer(),
            "http_auth": resolve_auth(self.http_auth),
            "use_ssl": self.use_ssl,
            "verify_certs": self.verify_certs,
            "timeout": self.timeout,
            **self.kwargs,
        }

    @property
    def _target(self) -> Connection:
        return self._connection

    # The parts have the current settings, which may be assigned.

    def _reader(self) -> DocumentReader:
        return DocumentReader(self._index, self.return_embedding)

    def _writer(self) -> IndexWriter:
        sizes = self.chunk_size, self.max_chunk_bytes, self.writers
        return IndexWriter(self._index, *sizes, self.search_scope, self.nested_fields)

    def _changes(self) -> FilterChanges:
        return FilterChanges(self._index)

    def _search_target(self) -> SearchTarget:
        return SearchTarget(self._index, self.search_type, self.search_scope)

    def _ranker(self) -> Ranker:
        return Ranker(self._search_target(), self.return_embedding, self._query_terms)

    def _word_ranker(self) -> WordRanker:
        return WordRanker(self._search_target())

    def _metadata(self) -> MetadataReader:
        return MetadataReader(self._index)

    def _metadata_searcher(self) -> MetadataSearcher:
        return MetadataSearcher(self._search_target())

    def _administration(self) -> IndexAdministration:
        return IndexAdministration(self._index, self.search_scope)

    count_documents, count_documents_async = _delegate(_reader, DocumentReader.count_documents)
    count_documents_by_filter, count_documents_by_filter_async = _delegate(
        _reader, DocumentReader.count_documents_by_filter
    )
    filter_documents, filter_documents_async = _delegate(_reader, DocumentReader.filter_documents)
    get_documents_by_id, get_documents_by_id_async = _delegate(_reader, DocumentReader.get_documents_by_id)
    get_nodes_by_id, get_nodes_by_id_async = _delegate(_reader, DocumentReader.get_nodes_by_id)
    get_documents_by_key, get_documents_by_key_async = _delegate(_reader, DocumentReader.get_documents_by_key)
    get_documents_by_keys, get_documents_by_keys_async = _delegate(_reader, DocumentReader.get_documents_by_keys)
    get_documents_in_ranges, get_documents_in_ranges_async = _delegate(_reader, DocumentReader.get_documents_in_ranges)

    write_documents, write_documents_async = _delegate(_writer, IndexWriter.write_documents)
    delete_documents, delete_documents_async = _delegate(_writer, IndexWriter.delete_documents)
    delete_all_documents, delete_all_documents_async = _delegate(_writer, IndexWriter.delete_all_documents)
    delete_by_filter, delete_by_filter_async = _delegate(_changes, FilterChanges.delete_by_filter)
    update_by_filter, update_by_filter_async = _delegate(_changes, FilterChanges.update_by_filter)

    bm25_retrieval, bm25_retrieval_async = _delegate(_ranker, Ranker.bm25_retrieval)
    explain_bm25, explain_bm25_async = _delegate(_ranker, Ranker.explain_bm25)
    query_terms, query_terms_async = _delegate(_ranker, Ranker.query_terms)
    embedding_retrieval, embedding_retrieval_async = _delegate(_ranker, Ranker.embedding_retrieval)
    hybrid_retrieval, hybrid_retrieval_async = _delegate(_ranker, Ranker.hybrid_retrieval)
    word_fields, word_fields_async = _delegate(_word_ranker, WordRanker.word_fields)
    word_terms, word_terms_async = _delegate(_word_ranker, WordRanker.word_terms)
    word_retrieval, word_retrieval_async = _delegate(_word_ranker, WordRanker.word_retrieval)
    count_word_matches, count_word_matches_async = _delegate(_word_ranker, WordRanker.count_word_matches)
    metadata_search, metadata_search_async = _delegate(_metadata_searcher, MetadataSearcher.metadata_search)

    get_metadata_fields_info, get_metadata_fields_info_async = _delegate(
        _metadata, MetadataReader.get_metadata_fields_info
    )
    get_metadata_field_min_max, get_metadata_field_min_max_async = _delegate(
        _metadata, MetadataReader.get_metadata_field_min_max
    )
    count_unique_metadata_by_filter, count_unique_metadata_by_filter_async = _delegate(
        _metadata, MetadataReader.count_unique_metadata_by_filter
    )
    get_metadata_field_unique_values, get_metadata_field_unique_values_async = _delegate(
        _metadata, MetadataReader.get_metadata_field_unique_values
    )
    count_by_value, count_by_value_async = _delegate(_metadata, MetadataReader.count_by_value)

    create_index, create_index_async = _delegate(_administration, IndexAdministration.create_index)
    prepare, prepare_async = _delegate(_administration, IndexAdministration.prepare)
    exists, exists_async = _delegate(_administration, IndexAdministration.exists)
    count_if_there, count_if_there_async = _delegate(_administration, IndexAdministration.count_if_there)
    refresh, refresh_async = _delegate(_administration, IndexAdministration.refresh)
    search_statistics, search_statistics_async = _delegate(_administration, IndexAdministration.search_statistics)
    size_in_bytes, size_in_bytes_async = _delegate(_administration, IndexAdministration.size_in_bytes)
    identity, identity_async = _delegate(_administration, IndexAdministration.identity)
    changes, changes_async = _delegate(_administration, IndexAdministration.changes)
    vector_size, vector_size_async = _delegate(_administration, IndexAdministration.vector_size)
    ids_starting_with, ids_starting_with_async = _delegate(_administration, IndexAdministration.ids_starting_with)
    add_languages, add_languages_async = _delegate(_administration, IndexAdministration.add_languages)
    health, health_async = _delegate(_administration, IndexAdministration.health)

    def add_searched_fields(self, analyzer: str, fields: Mapping[str, float]) -> None:
        """Give the index, if it is created from now on, searched fields (docs/opensearch-words.md).

        :param analyzer: ``auto``, a language, ``cjk`` or ``code``; or ``standard``: without.
        :param fields: metadata keys that are searched with the text, and their weights.
        :raises DocumentStoreError: a cluster has no such analyzer, or can't have such a weight.
        """
        if (words := WordFields.make(analyzer, fields, self.content_field)) is not None:
            self._index.add_searched_fields(words)

    def iterate(
        self,
        filters: Filters | None = None,
        *,
        batch: int = 1000,
        after: str | None = None,
        return_embedding: bool = True,
        keys: Sequence[str] | None = None,
    ) -> Iterator[Document]:
        """Yield the documents that match a filter, ordered by id, from a frozen view of the index.

        Only a batch is in memory, so the index may be of any size.

        :param filters: restricts the documents; None: all documents.
        :param batch: documents per request; at most 10,000.
        :param after: continue after this id.
        :param return_embedding: True: include embeddings.
        :param keys: fetch only these metadata keys, without content and embedding. None:
            everything.
        :raises ValueError: `batch` is less than 1.
        :raises FilterError: the filter is malformed.
        """
        return iterate_documents(self._connection, self._index, filters, batch, after, return_embedding, keys)

    def export(self, path: str | os.PathLike[str], *, progress: Callable[[int], None] = lambda _: None) -> int:
        """Return the number of documents written to a file, as lines of JSON with embeddings.

        :param path: the file. It replaces an existing file when it is complete.
        :param progress: called after each document with the number of documents so far.
        :raises OSError: the file can't be written.
        """
        return write_lines(path, self.iterate(), progress)

    def lease(self, id: str) -> Lease:
        """Return the lease for writing, which a process at a time can acquire; it is a document of
        the index.

        :param id: of that document.
        """
        return Lease(self._connection, self._index, id)

    def _init_parameters(self) -> dict[str, Any]:
        parameters = super()._init_parameters()
        options = parameters.pop("kwargs")
        create = {"create_index": self._index.create}  # the attribute of this name is a method
        return {**parameters, **create, "http_auth": serialize_auth(self.http_auth), **options}

    _own_options = frozenset({"search", "search_type", "chunk_size", "writers", "patience", "content_field"})

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """Return the store that `to_dict` serialised.

        :raises DeserializationError: a parameter is unknown or invalid.
        """
        parameters = dict(data.get("init_parameters") or {})
        auth = parameters.get("http_auth")
        if isinstance(auth, (list, tuple)) and all(isinstance(item, Mapping) for item in auth):
            parameters["http_auth"] = tuple(Secret.from_dict(dict(item)) for item in auth)
        return default_from_dict(cls, {**data, "init_parameters": parameters})

    def close(self) -> None:
        """Close the connections of plain code. The store can be used again."""
        self._connection.close()

    async def close_async(self) -> None:
        """Close the connections of the running event loop."""
        await self._connection.close_async()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close_async()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.index!r} at {self._connection.place})"


def _validate_content_field(name: str) -> str:
    if not isinstance(name, str) or not name or "." in name or (name != CONTENT and name in RESERVED | {KEPT, MARKS}):
        raise ValueError(
            f"content_field must be the name of a field that holds text, without dots, and no other field of a document, got "
            f"{name!r}."
        )
    return name
