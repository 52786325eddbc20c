"""The index of a store: created on first use, with its fields as the mapping has them."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field

from spaniel.document_stores.opensearch.schema.document_source import CONTENT
from spaniel.document_stores.opensearch.schema.fields import Fields
from spaniel.document_stores.opensearch.schema.word_fields import WordFields
from spaniel.document_stores.opensearch.transport.http_request import HttpRequest, send_with_retries
from spaniel.errors import DocumentStoreError, StoreRequestError
from spaniel.json_types import Json, JsonObject
from spaniel.runtime import Program, RetryPolicy

COMPLETE = {"allow_partial_search_results": "false"}
"""A search in which a shard fails is an error, not a shorter answer."""

MISSING, CONFLICT = 404, 409
"""Status codes of the server."""

_SET_BY_SERVER = {"uuid", "creation_date", "provided_name", "version", "resize", "routing"}
_ANY_VECTOR = {"query": {"exists": {"field": "embedding"}}, "size": 1, "terminate_after": 1, "_source": False}
_DATA_STREAM = ".ds-"  # prefix of the names of its indices
_WORDS_AGE = 30.0  # seconds
_MAPPING_AGE = 1.0  # seconds; a document is not searchable any sooner either


@dataclass(eq=False)
class Index:
    """A handle of an index or an alias, which is created on first use."""

    name: str
    mappings: JsonObject
    settings: JsonObject | None
    _: KW_ONLY
    create: bool
    retry_policy: RetryPolicy
    content_field: str = CONTENT
    words: WordFields | None = field(default=None, init=False)  # the searched fields of an existing index
    combines_fields: bool = True  # False once the server rejected such a query
    has_vectors: bool = False  # once a vector was seen: to exclude vectors from answers costs time
    _fields: Fields | None = field(default=None, init=False)
    _read_at: float = field(default=0.0, init=False)
    _names: frozenset[str] = field(default=frozenset(), init=False)

    def path(self, api: str) -> str:
        """Return the path of an API of the index, such as ``_search``."""
        return f"/{self.name}/{api}"

    def send(self, method: str, api: str, body: Json = None, params: Mapping[str, str] | None = None) -> Program[Json]:
        """Return the answer of an API of the index, or of a path of the cluster, with retries."""
        path = api if api.startswith("/") else self.path(api)
        return send_with_retries(HttpRequest(method, path, body, params), self.retry_policy)

    def send_if_exists(self, api: str) -> Program[JsonObject | None]:
        """Return the answer of an API that reads, or None if the index does not exist."""
        try:
            answer: JsonObject = yield from self.send("GET", api)
        except StoreRequestError as error:
            if error.status != MISSING:
                raise
            return None
        return answer

    def search(self, body: JsonObject) -> Program[JsonObject]:
        """Return the answer to a search of all shards."""
        return self.send("POST", "_search", body, COMPLETE)

    def refresh(self) -> Program[None]:
        """Make all writes so far visible to searches."""
        yield from self.send("POST", "_refresh")

    def ready(self) -> Program[Fields]:
        """Create a missing index if allowed, and return its fields; asks the server only once."""
        if self._fields is None and not (yield from self._read()):
            if not self.create:
                raise DocumentStoreError(
                    f"The index '{self.name}' does not exist (index_not_found_exception), and the store has create_index=False. "
                    "Create it with create_index(), or check its name."
                )
            yield from self.create_on_server(self.name, self.mappings, self.settings)
            yield from self._read()
        if self._fields is None:
            raise DocumentStoreError(f"The index '{self.name}' was deleted while it was created. Try again.")
        return self._fields

    def ready_for_writes(self, *, reread: bool = True) -> Program[Fields]:
        """Create a missing index, check that it can be written, and return its fields."""
        # A write alone would let the server create a deleted index with a mapping of its own.
        if reread and self._fields is not None and not (yield from self._read()):
            self._fields = None
        fields = yield from self.ready()
        if len(self._names) > 1:
            raise DocumentStoreError(
                f"'{self.name}' stands for {len(self._names)} indices ({', '.join(sorted(self._names)[:5])}), and an id "
                "could be in each of them. Write to one of them: give its name as index=..."
            )
        if any(name.startswith(_DATA_STREAM) for name in self._names):
            raise DocumentStoreError(
                f"'{self.name}' is a data stream, which only takes new documents: none can be replaced or deleted by its id. "
                "Use an index."
            )
        return fields

    def check_not_replaced(self, fields: Fields) -> Program[None]:
        """Check that the index is the same as before a write: a mapping only grows."""
        exists = yield from self._read()
        if not exists or self._fields is None or not self._fields.includes(fields):
            self._fields = None
            raise DocumentStoreError(
                f"The index '{self.name}' was deleted while it was written. The documents of this call are lost, or in an index "
                "that the server has created with a mapping of its own: delete that, then write again."
            )

    def fields(self, names: Iterable[str] = ()) -> Program[Fields]:
        """Return the fields; read the mapping again if it lacks a name that others may have added."""
        fields = yield from self.ready()
        if time.monotonic() - self._read_at > _MAPPING_AGE and not all(fields.knows(name) for name in names):
            yield from self._read()
            fields = self._fields or fields
        return fields

    def expire_mapping(self) -> None:
        """Read the mapping again at the next unknown field: a write may have added it."""
        self._read_at = float("-inf")

    def read_words(self) -> Program[WordFields | None]:
        """Return the searched fields of the index; None if it has none, or does not exist.

        They are read again after a while: other processes may have added languages.
        """
        if self._fields is None or time.monotonic() - self._read_at > _WORDS_AGE:
            yield from self._read()
        return self.words

    def add_searched_fields(self, words: WordFields) -> None:
        """Give a new index searched fields."""
        self.mappings = words.complete_mapping(self.mappings)
        self.settings = words.complete_settings(self.settings)

    def add_languages(self, languages: Iterable[str]) -> Program[None]:
        """Add the stems of languages for the documents that are written from now on."""
        yield from self.ready()
        yield from self._read()
        words = None if self.words is None else self.words.add_languages(languages)
        if words is None or words == self.words:
            return
        answer = yield from self.send("GET", "_mapping")
        for name, index in answer.items():
            yield from self.send("PUT", f"/{name}/_mapping", words.extend_mapping(index["mappings"]))
        yield from self._read()

    def create_on_server(self, name: str, mappings: JsonObject, settings: JsonObject | None) -> Program[None]:
        """Create an index unless it exists."""
        body = {"mappings": mappings, **({"settings": settings} if settings else {})}
        try:
            yield from self.send("PUT", f"/{name}", body)
        except StoreRequestError as error:
            if error.kind == "invalid_index_name_exception":
                raise DocumentStoreError(f"'{name}' can't be the name of an index: {error}") from error
            if error.kind != "resource_already_exists_exception":
                raise

    def recreate(self) -> Program[None]:
        """Delete the index, but no alias, and create it with its mapping and settings."""
        answer = yield from self.send("GET", f"/{self.name}")
        [(name, old), *others] = answer.items()
        if name != self.name or others:
            raise DocumentStoreError(
                f"'{self.name}' is an alias of {sorted(answer)}, so the index can't be recreated. "
                "Use recreate_index=False, or a store of the index itself."
            )
        settings = {key: value for key, value in old["settings"]["index"].items() if key not in _SET_BY_SERVER}
        try:
            yield from self.send("DELETE", f"/{name}")
        except StoreRequestError as error:
            if error.kind != "index_not_found_exception":  # deleted by a request whose answer was lost
                raise
        yield from self.create_on_server(name, old["mappings"], {"index": settings})
        self._fields = None

    def _read(self) -> Program[bool]:
        """Read the mapping; return True if the index exists."""
        answer = yield from self.send("GET", "_mapping", params={"ignore_unavailable": "true"})
        _validate_mapping(answer, self.name)
        first = self._fields is None
        if answer:
            self._names = frozenset(answer)
            mappings = [index["mappings"] for index in answer.values()]  # several, for an alias
            self._fields = Fields.of(mappings, self.content_field)
            self.words = WordFields.read(mappings, self.content_field)
            self._read_at = time.monotonic()
            if first and not self.has_vectors and self._fields.knows("embedding"):
                hits = yield from self.send("POST", "_search", _ANY_VECTOR, {"filter_path": "hits.hits._id"})
                self.has_vectors = bool(hits)
        return bool(answer)


def _validate_mapping(answer: Json, name: str) -> None:
    if not isinstance(answer, dict) or not all(
        isinstance(each, dict) and isinstance(each.get("mappings"), dict) for each in answer.values()
    ):
        raise DocumentStoreError(
            f"The mapping of '{name}' can't be read from the answer. Is this OpenSearch? Check hosts."
        )
