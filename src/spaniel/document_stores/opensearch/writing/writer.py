"""Writes and deletions of documents in bulk, and their rollback."""

import itertools
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from spaniel.dataclasses import Document
from spaniel.document_stores.embedded.indexing import SearchScope
from spaniel.document_stores.opensearch.filters.clauses import ALL
from spaniel.document_stores.opensearch.index import Index
from spaniel.document_stores.opensearch.writing import bulk
from spaniel.document_stores.opensearch.writing.batch import WriteBatch, routing_condition
from spaniel.document_stores.opensearch.writing.by_query import change_by_query
from spaniel.document_stores.types.policy import DuplicatePolicy
from spaniel.document_stores.validation import validate_ids
from spaniel.errors import DocumentsRefusedError, DocumentStoreError, DuplicateDocumentError, StoreUnavailableError
from spaniel.runtime import Gather, Program, Sleep

logger = logging.getLogger(__name__)

Refresh: TypeAlias = Literal["wait_for", True, False]
NestedFields: TypeAlias = list[str] | Literal["*"]
Progress: TypeAlias = Callable[[int], None]

_REFRESH: dict[str | bool, str | None] = {"wait_for": "wait_for", True: "true", False: None}
_LATE_ARRIVALS = (0.05, 0.2, 0.5)  # seconds
_SHOWN = 5  # reasons in a message


@dataclass(frozen=True)
class IndexWriter:
    """Writes and deletes documents in bulk requests, `writers` of them at a time."""

    index: Index
    chunk_size: int
    max_chunk_bytes: int
    writers: int
    search_scope: SearchScope
    nested_fields: NestedFields | None

    def write_documents(
        self,
        documents: Iterable[Document],
        policy: DuplicatePolicy = DuplicatePolicy.NONE,
        refresh: Refresh = "wait_for",
        *,
        progress: Progress | None = None,
    ) -> Program[int]:
        """Return the number of documents written: all that were not skipped.

        They are sent in requests of `chunk_size` documents, `writers` of them at a time. Documents
        that the server is too busy for are sent again, after longer and longer pauses. With the
        policy ``FAIL``, an existing document undoes the whole call.

        :param documents: any iterable; only those of the current requests are in memory.
        :param policy: for ids that exist or occur twice; ``NONE`` means ``FAIL``.
        :param refresh: visibility to searches: ``wait_for``: return after the next refresh of the
            index; True: refresh it; False: return before.
        :param progress: called after each request with the number of documents written so far,
            from several threads.
        :raises ValueError: `documents` is not an iterable of documents.
        :raises DuplicateDocumentError: the policy is ``FAIL`` and an id exists. Nothing is written.
        :raises DocumentsRefusedError: the server rejected some documents, such as those of another
            embedding dimension; it lists them with the reasons. The others are written.
        :raises StoreUnavailableError: the server is unreachable or busy for too long.
        """
        policy = DuplicatePolicy(policy)
        if policy is DuplicatePolicy.NONE:
            policy = DuplicatePolicy.FAIL
        fields = yield from self.index.ready_for_writes()
        batch = WriteBatch(
            documents,
            policy,
            bulk.Backoff(self.index.retry_policy),
            search_leaves=self.search_scope == "leaves",
            marked=fields.marked,
            find_nested=self.nested_fields == "*",
            content=self.index.content_field,
        )
        try:
            requests = yield Gather(self._requests(batch.actions(), batch, refresh, progress), self.writers)
            requests += yield Gather(self._requests(batch.overwrites(), batch, refresh, progress), 1)
            self.index.has_vectors = self.index.has_vectors or batch.has_vectors
            self.index.expire_mapping()
            if len(requests) > 1:
                yield from self.index.check_not_replaced(fields)
        except BaseException as error:  # a cancelled call is undone too
            left = yield from self._undo_failed(batch)
            if isinstance(error, StoreUnavailableError):
                raise StoreUnavailableError(f"{error} {left}", refused=error.refused) from error
            raise
        if len(requests) > 1 and refresh:
            yield from self.index.refresh()
        return (yield from self._finish(batch))

    def delete_documents(
        self, document_ids: Iterable[str], refresh: Refresh = "wait_for", routing: Mapping[str, str] | None = None
    ) -> Program[None]:
        """Delete the documents with these ids; unknown ids are ignored.

        :param document_ids: ids, in any order.
        :param refresh: as for `write_documents`.
        :param routing: by id, the routing that its document was written with, if any.
        """
        yield from self.index.ready_for_writes(reread=False)
        ids = list(dict.fromkeys(validate_ids(document_ids)))
        routings = routing or {}
        actions = (
            bulk.Action("delete", id, None, routing_condition(routings.get(id))) for id in ids if not bulk.id_error(id)
        )
        chunks = list(bulk.chunk_actions(actions, 4 * self.chunk_size, self.max_chunk_bytes))
        result, backoff = bulk.BulkResult(), bulk.Backoff(self.index.retry_policy)
        for chunk in chunks:
            parameter = _REFRESH[refresh] if len(chunks) == 1 else None
            result.add((yield from bulk.send_bulk(self.index, chunk, parameter, backoff)))
            if result.blocked:
                raise _block_error(result, self.index.name, "deleted")
        if len(chunks) > 1 and refresh:
            yield from self.index.refresh()
        if result.refused:
            raise _refusal_error(result, self.index.name, "deleted")

    def delete_all_documents(self, recreate_index: bool = False, refresh: bool = True) -> Program[None]:
        """Delete every document.

        :param recreate_index: True: delete the index and create it with its mapping and settings,
            which is faster for many documents.
        :param refresh: True: searches see it when the call returns.
        :raises DocumentStoreError: `recreate_index` is True for an alias.
        """
        yield from self.index.ready_for_writes()
        if recreate_index:
            yield from self.index.recreate()
        else:
            yield from change_by_query(self.index, "_delete_by_query", {"query": ALL}, refresh=refresh)

    def _requests(
        self, actions: Iterable[bulk.Action], batch: WriteBatch, refresh: Refresh, progress: Progress | None
    ) -> Iterator[Program[None]]:
        """Yield the program that sends each chunk. A single request refreshes the index itself."""
        chunks = bulk.chunk_actions(actions, self.chunk_size, self.max_chunk_bytes)
        first, second = next(chunks, None), next(chunks, None)
        if first is not None:
            yield self._send(first, batch, _REFRESH[refresh] if second is None else None, progress)
        for chunk in itertools.chain([second], chunks) if second is not None else ():
            yield self._send(chunk, batch, None, progress)

    def _send(
        self, chunk: list[bulk.Action], batch: WriteBatch, refresh: str | None, progress: Progress | None
    ) -> Program[None]:
        if batch.stopped:
            return
        if names := batch.nested - batch.mapped:
            yield from self._map_nested(names)
            batch.mapped |= names
        result = bulk.BulkResult()
        if batch.policy is not DuplicatePolicy.OVERWRITE:
            existing = yield from bulk.find_existing(self.index, chunk)
            result.conflicts += [action.id for action in chunk if action.id in existing]
            chunk = [action for action in chunk if action.id not in existing]
        if chunk and not (result.conflicts and batch.policy is DuplicatePolicy.FAIL):
            try:
                result.add((yield from bulk.send_bulk(self.index, chunk, refresh, batch.backoff)))
            except BaseException:
                batch.uncertain.extend(chunk)
                raise
        count = batch.add(result)
        if progress is not None:
            progress(count)

    def _map_nested(self, names: set[str]) -> Program[None]:
        fields = yield from self.index.fields(names)
        for name in sorted(names - fields.nested):
            try:
                yield from self.index.send("PUT", "_mapping", {"properties": {name: {"type": "nested"}}})
            except DocumentStoreError as error:
                logger.warning("The field '%s' can't be nested in the index '%s': %s", name, self.index.name, error)
            else:
                self.index.expire_mapping()

    def _finish(self, batch: WriteBatch) -> Program[int]:
        result = batch.result
        duplicates = sorted({*result.conflicts, *batch.repeated})
        if batch.policy is DuplicatePolicy.FAIL and duplicates:
            yield from self._undo(batch)
            shown = ", ".join(f"'{id}'" for id in duplicates[:_SHOWN])
            more = f" and {len(duplicates) - _SHOWN} more" if len(duplicates) > _SHOWN else ""
            raise DuplicateDocumentError(
                f"IDs {shown}{more} already exist in the index '{self.index.name}', or are given twice. "
                "Nothing was written; another policy skips or overwrites them."
            )
        for id in [*result.conflicts, *batch.repeated] if batch.policy is DuplicatePolicy.SKIP else ():
            logger.warning("ID '%s' already exists, so the document is skipped.", id)
        if result.blocked:
            yield from self._undo_failed(batch)
            raise _block_error(result, self.index.name)
        if result.refused:
            raise _refusal_error(result, self.index.name)
        return result.done + batch.overwritten

    def _undo_failed(self, batch: WriteBatch) -> Program[str]:
        """Undo a failed call if its policy requires it; describe the remaining documents."""
        count = batch.result.done
        if batch.policy is not DuplicatePolicy.FAIL:
            return f"{count:,} documents were written before."
        try:
            yield from self._undo(batch)
        except DocumentStoreError:
            return f"{count:,} documents that were written before could not be deleted again."
        return "Nothing was written."

    def _undo(self, batch: WriteBatch) -> Program[None]:
        """Delete the documents that a call created, unless they were changed since."""
        created, batch.result.created = batch.result.created, []
        yield from self._send_deletions(created)
        uncertain, batch.uncertain = [action for action in batch.uncertain if action.operation == "create"], []
        for pause in _LATE_ARRIVALS if uncertain else ():  # the server may execute them after the connection is lost
            yield Sleep(pause)
            undo: list[bulk.Action] = []
            for chunk in bulk.chunk_actions(uncertain, self.chunk_size, self.max_chunk_bytes):
                undo += yield from bulk.find_written(self.index, chunk)
            yield from self._send_deletions(undo)

    def _send_deletions(self, actions: list[bulk.Action]) -> Program[None]:
        for chunk in bulk.chunk_actions(actions, self.chunk_size, self.max_chunk_bytes):
            yield from bulk.send_bulk(self.index, chunk)
        if actions:
            yield from self.index.refresh()


def _block_error(result: bulk.BulkResult, index: str, change: str = "written") -> StoreUnavailableError:
    return StoreUnavailableError(
        f"The index '{index}' accepts no changes now: {result.blocked} {result.done:,} documents were {change} before; the others "
        "were not.",
        refused=True,
    )


def _refusal_error(result: bulk.BulkResult, index: str, change: str = "written") -> DocumentsRefusedError:
    shown = "; ".join(f"'{id}': {reason}" for id, reason in list(result.refused.items())[:_SHOWN])
    more = f"; and {len(result.refused) - _SHOWN} more (see .refused)" if len(result.refused) > _SHOWN else ""
    return DocumentsRefusedError(
        f"{len(result.refused)} documents were not {change} in the index '{index}', {result.done} were. {shown}{more}",
        dict(result.refused),
        result.done,
    )
