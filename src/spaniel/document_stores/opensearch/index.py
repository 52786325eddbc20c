"""The index of a store: made when it is first needed, and what its mapping says."""

import time
from collections.abc import Iterable
from typing import Any

from spaniel.document_stores.opensearch.schema.document_source import CONTENT
from spaniel.document_stores.opensearch.schema.fields import Fields
from spaniel.document_stores.opensearch.transport.http_request import Ask, answered
from spaniel.errors import DocumentStoreError, StoreRequestError
from spaniel.runtime import Program, RetryPolicy

_GIVEN_BY_SERVER = {"uuid", "creation_date", "provided_name", "version", "resize", "routing"}
_ANY_VECTOR = {"query": {"exists": {"field": "embedding"}}, "size": 1, "terminate_after": 1, "_source": False}
_DATA_STREAM = ".ds-"  # how the names of its indices begin
_FRESH = 1.0  # seconds; a document is searchable no sooner either


class Index:
    """One index, or an alias of one.

    :param name: as the server knows it.
    :param mappings: what it is made with.
    :param settings: what it is made with.
    :param create: whether it is made where it is missing.
    :param content_field: where the text of its documents lies.
    """

    def __init__(
        self,
        name: str,
        mappings: dict[str, Any],
        settings: dict[str, Any] | None,
        *,
        create: bool,
        patience: RetryPolicy,
        content_field: str = CONTENT,
    ) -> None:
        self.content_field = content_field
        self.name = name
        self.mappings = mappings
        self.settings = settings
        self.create = create
        self.patience = patience
        self.has_vectors = False
        """Whether a document was seen to have a vector: to leave vectors out of answers costs time."""
        self._fields: Fields | None = None
        self._read_at = 0.0
        self._names: frozenset[str] = frozenset()

    def path(self, api: str) -> str:
        """Return the path of an API of the index, such as ``_search``."""
        return f"/{self.name}/{api}"

    def ready(self) -> Program[Fields]:
        """Make sure that the index is there, and return its fields. Asks the server once only.

        :raises DocumentStoreError: it is missing, and is not to be made.
        """
        if self._fields is None and not (yield from self._read()):
            if not self.create:
                raise DocumentStoreError(
                    f"The index '{self.name}' does not exist (index_not_found_exception), and the store has create_index=False. "
                    "Create it with create_index(), or check its name."
                )
            yield from self.make(self.name, self.mappings, self.settings)
            yield from self._read()
        if self._fields is None:
            raise DocumentStoreError(f"The index '{self.name}' was deleted while it was made. Try again.")
        return self._fields

    def written(self, *, again: bool = True) -> Program[Fields]:
        """Make sure that the index is there and can be written, and return its fields.

        An index that was deleted is made here, with its mapping: at a write, the server would make one with its own.

        :param again: whether to ask the server though the fields are known.
        :raises DocumentStoreError: it is missing and is not to be made, or the name stands for several, or a data stream.
        """
        if again and self._fields is not None and not (yield from self._read()):
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

    def check_still_there(self, fields: Fields) -> Program[None]:
        """Make sure that what was written went to the index that was there before.

        :param fields: of that index. A mapping only grows, so one that lacks a field is that of another index.
        :raises DocumentStoreError: the index was deleted meanwhile, and the server has made another one.
        """
        there = yield from self._read()
        if not there or self._fields is None or not self._fields.has_all_of(fields):
            self._fields = None
            raise DocumentStoreError(
                f"The index '{self.name}' was deleted while it was written. The documents of this call are lost, or in an index "
                "that the server has made with a mapping of its own: delete that, then write again."
            )

    def fields(self, names: Iterable[str] = ()) -> Program[Fields]:
        """Return what is known of the fields; the mapping is read again if it lacks one of the names.

        Others may have written documents with new fields since.
        """
        fields = yield from self.ready()
        if time.monotonic() - self._read_at > _FRESH and not all(fields.knows(name) for name in names):
            yield from self._read()
            fields = self._fields or fields
        return fields

    def forget(self) -> None:
        """Read the mapping again when it is next needed: a write may have added fields."""
        self._read_at = float("-inf")

    def make(self, name: str, mappings: dict[str, Any], settings: dict[str, Any] | None) -> Program[None]:
        """Make an index, unless it is there."""
        body = {"mappings": mappings, **({"settings": settings} if settings else {})}
        try:
            yield from answered(Ask("PUT", f"/{name}", body), self.patience)
        except StoreRequestError as error:
            if error.kind not in {"resource_already_exists_exception", "invalid_index_name_exception"}:
                raise
            if error.kind == "invalid_index_name_exception":
                raise DocumentStoreError(f"'{name}' can't be the name of an index: {error}") from error

    def made_again(self) -> Program[None]:
        """Delete the index and make it again with the mapping and the settings that it has.

        :raises DocumentStoreError: the name is an alias.
        """
        answer = yield from answered(Ask("GET", f"/{self.name}"), self.patience)
        [(name, old), *others] = answer.items()
        if name != self.name or others:
            raise DocumentStoreError(
                f"'{self.name}' is an alias of {sorted(answer)}, so the index can't be made again. "
                "Use recreate_index=False, or a store of the index itself."
            )
        settings = {key: value for key, value in old["settings"]["index"].items() if key not in _GIVEN_BY_SERVER}
        try:
            yield from answered(Ask("DELETE", f"/{name}"), self.patience)
        except StoreRequestError as error:
            if error.kind != "index_not_found_exception":  # the answer was lost, and the index is gone
                raise
        yield from self.make(name, old["mappings"], {"index": settings})
        self._fields = None

    def _read(self) -> Program[bool]:
        """Read the mapping; return whether the index is there."""
        ask = Ask("GET", self.path("_mapping"), params={"ignore_unavailable": "true"})
        answer = yield from answered(ask, self.patience)
        _check_shape(answer, self.name)
        first = self._fields is None
        if answer:
            self._names = frozenset(answer)
            mappings = (index["mappings"] for index in answer.values())  # an alias may stand for several
            self._fields = Fields.of(mappings, self.content_field)
            self._read_at = time.monotonic()
            if first and not self.has_vectors and self._fields.knows("embedding"):
                found = Ask("POST", self.path("_search"), _ANY_VECTOR, {"filter_path": "hits.hits._id"})
                self.has_vectors = bool((yield from answered(found, self.patience)))
        return bool(answer)


def _check_shape(answer: Any, name: str) -> None:
    """Make sure that an answer is the mapping of indices.

    :raises DocumentStoreError: it is not, so something else answers at this address.
    """
    if not isinstance(answer, dict) or not all(
        isinstance(each, dict) and isinstance(each.get("mappings"), dict) for each in answer.values()
    ):
        raise DocumentStoreError(
            f"The mapping of '{name}' can't be read, as the answer is no mapping. Is this OpenSearch? Check hosts."
        )
