"""The OpenSearch document store: how it is set up, and closed."""

from collections.abc import Mapping
from typing import Any, Literal, Self

from spaniel.core.secret import Secret
from spaniel.core.serialization import default_from_dict
from spaniel.dataclasses.copying import copy_value
from spaniel.dataclasses.document import RESERVED
from spaniel.document_stores.base import BaseDocumentStore
from spaniel.document_stores.embedded.store_state import SEARCH_SCOPES
from spaniel.document_stores.opensearch.administration import Overview
from spaniel.document_stores.opensearch.index import Index
from spaniel.document_stores.opensearch.lease import Lease
from spaniel.document_stores.opensearch.reading.iteration import Iterating
from spaniel.document_stores.opensearch.reading.metadata import Metadata
from spaniel.document_stores.opensearch.schema.document_source import CONTENT
from spaniel.document_stores.opensearch.schema.mapping import KEPT, MARKS, default_mapping
from spaniel.document_stores.opensearch.search.hybrid_search import Hybrid
from spaniel.document_stores.opensearch.search.metadata_search import MetadataSearch
from spaniel.document_stores.opensearch.transport.connection import Connection, Hosts, resolved_auth, saved_auth
from spaniel.document_stores.opensearch.transport.http_request import JsonBodies
from spaniel.document_stores.opensearch.writing.writer import Writing
from spaniel.document_stores.validation import validate_choice, validate_count, validate_number
from spaniel.runtime import Program, RetryPolicy, async_method, sync_method

_SEARCH_TYPES = ("query_then_fetch", "dfs_query_then_fetch")


class OpenSearchDocumentStore(Writing, Hybrid, Metadata, MetadataSearch, Iterating, Overview, BaseDocumentStore):
    """Keeps documents in an index of an OpenSearch cluster, and lets the cluster search them.

    The calls are those of every other store, so whatever merges, widens or follows links works on it. The index is made when
    it is first needed; one that exists is used as it is. Documents are laid out as by opensearch-haystack.

    :param hosts: where the cluster is: ``https://name:9200``, or a list of such; default ``http://localhost:9200``.
    :param index: the name of the index, or of an alias.
    :param max_chunk_bytes: how large a bulk request may be.
    :param embedding_dim: how many numbers an embedding has, in an index that is made. None: an index without vectors, which
        any server can make; embeddings are stored, and not searched.
    :param return_embedding: whether returned documents carry their embedding.
    :param method: how vectors are indexed, in an index that is made: engine, ``space_type``, and so on; as OpenSearch
        describes it.
    :param mappings: the mapping of an index that is made, in the place of the usual one.
    :param settings: the settings of an index that is made. Default: ``{"index.knn": True}``.
    :param create_index: whether a missing index is made.
    :param http_auth: user name and password, as two secrets, or as text; or an object that signs requests, passed on to the
        client. Default: what is in the environment variables OPENSEARCH_USERNAME and OPENSEARCH_PASSWORD, if any.
    :param use_ssl: whether to use TLS.
    :param verify_certs: whether to check the server's certificate.
    :param timeout: how many seconds a request may take; default 60.
    :param nested_fields: metadata fields that are lists of objects, of which one object must match several conditions; or
        ``*``: those that are found in what is written.
    :param search: ``leaves``: documents with children are kept, filtered and fetched, but in no search and no statistic; or
        ``all``.
    :param search_type: ``query_then_fetch``: BM25 with the statistics of each shard; or ``dfs_query_then_fetch``: with those
        of the whole index, a little slower.
    :param chunk_size: how many documents go in one bulk request.
    :param writers: how many bulk requests of one call are under way at a time.
    :param patience: how many seconds one request is made again while the cluster is busy or loses a node.
    :param content_field: the field that holds the text of the documents, where an index has it under another name.
    :param kwargs: what else the clients of ``opensearch-py`` take, such as ``ca_certs``.
    :raises ValueError: an option is none of its values.

    ::

        store = OpenSearchDocumentStore(hosts="http://localhost:9200", index="docs", embedding_dim=384)
        store.write_documents([Document(content="red apple"), Document(content="blue sky")])
        store.bm25_retrieval("apple")
    """

    def __init__(
        self,
        *,
        hosts: Hosts | None = None,
        index: str = "default",
        max_chunk_bytes: int = 100 * 1024 * 1024,
        embedding_dim: int | None = 768,
        return_embedding: bool = False,
        method: dict[str, Any] | None = None,
        mappings: dict[str, Any] | None = None,
        settings: dict[str, Any] | None = None,
        create_index: bool = True,
        http_auth: Any = (
            Secret.from_env_var("OPENSEARCH_USERNAME", strict=False),  # noqa: B008 (a name, not its value)
            Secret.from_env_var("OPENSEARCH_PASSWORD", strict=False),  # noqa: B008
        ),
        use_ssl: bool | None = None,
        verify_certs: bool | None = None,
        timeout: float | None = None,
        nested_fields: list[str] | Literal["*"] | None = None,
        search: Literal["all", "leaves"] = "all",
        search_type: Literal["query_then_fetch", "dfs_query_then_fetch"] = "query_then_fetch",
        chunk_size: int = 500,
        writers: int = 4,
        patience: float = 60.0,
        content_field: str = "content",
        **kwargs: Any,
    ) -> None:
        validate_choice("search", search, SEARCH_SCOPES)
        validate_choice("search_type", search_type, _SEARCH_TYPES)
        self.hosts = copy_value(hosts)
        self.index = index
        self.max_chunk_bytes = validate_count("max_chunk_bytes", max_chunk_bytes, positive=True)
        self.embedding_dim = (
            None if embedding_dim is None else validate_count("embedding_dim", embedding_dim, positive=True)
        )
        self.content_field = _checked_content_field(content_field)
        self.return_embedding = return_embedding
        self.method = copy_value(method)
        self.nested_fields = copy_value(nested_fields)
        self.mappings = copy_value(mappings)
        usual = {} if embedding_dim is None else {"index.knn": True}
        self.settings = usual if settings is None else copy_value(settings)
        self.http_auth = http_auth
        self.use_ssl = use_ssl
        self.verify_certs = verify_certs
        self.timeout = None if timeout is None else validate_number("timeout", timeout)
        self.search_scope = search
        self.search_type = search_type
        self.chunk_size = validate_count("chunk_size", chunk_size, positive=True)
        self.writers = validate_count("writers", writers, positive=True)
        self.patience = validate_number("patience", patience)
        self.kwargs = kwargs
        self._connection = Connection(self.hosts, self._client_options)
        self._index = Index(
            index,
            self.mappings
            or default_mapping(
                self.embedding_dim,
                self.method,
                self.nested_fields if isinstance(self.nested_fields, list) else None,
                content_field,
            ),
            self.settings,
            create=create_index,
            patience=RetryPolicy(seconds=self.patience),
            content_field=content_field,
        )

    def _client_options(self) -> dict[str, Any]:
        """Return what the clients are made with; secrets are read from the environment now."""
        return {
            "serializer": JsonBodies(),
            "http_auth": resolved_auth(self.http_auth),
            "use_ssl": self.use_ssl,
            "verify_certs": self.verify_certs,
            "timeout": self.timeout,
            **self.kwargs,
        }

    @sync_method
    def create_index(
        self,
        index: str | None = None,
        mappings: dict[str, Any] | None = None,
        settings: dict[str, Any] | None = None,
    ) -> Program[None]:
        """Make an index, unless it is there; whatever `create_index` of the constructor says.

        :param index: its name; default: the store's.
        :param mappings: default: the store's.
        :param settings: default: the store's.
        """
        yield from self._index.make(index or self.index, mappings or self._index.mappings, settings or self.settings)

    create_index_async = async_method(create_index)

    @sync_method
    def prepare(self) -> Program[None]:
        """Make the index if it is missing and may be made, and make sure that it can be written.

        :raises DocumentStoreError: it can't.
        """
        yield from self._index.written()

    prepare_async = async_method(prepare)

    def lease(self, id: str) -> Lease:
        """Return the turn to write, which one process at a time can take; it is kept in a document of the index.

        :param id: of that document.
        """
        return Lease(self._connection, self._index, id)

    def _init_parameters(self) -> dict[str, Any]:
        parameters = super()._init_parameters()
        options = parameters.pop("kwargs")
        create = {"create_index": self._index.create}  # the attribute of this name is a method
        return {**parameters, **create, "http_auth": saved_auth(self.http_auth), **options}

    _own_options = frozenset({"search", "search_type", "chunk_size", "writers", "patience", "content_field"})

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return the store that `to_dict` wrote.

        :raises DeserializationError: a parameter is unknown or can't be built.
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
        """Close the connections of the event loop that runs here."""
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


def _checked_content_field(name: str) -> str:
    if not isinstance(name, str) or not name or "." in name or (name != CONTENT and name in RESERVED | {KEPT, MARKS}):
        raise ValueError(
            f"content_field must be the name of a field that holds text, without dots, and no other field of a document, got "
            f"{name!r}."
        )
    return name
