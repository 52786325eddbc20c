"""What changes the index: documents in bulk, by id, by filter."""

import itertools
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal, TypeAlias

from spaniel.dataclasses import Document
from spaniel.document_stores.opensearch.filters.clauses import ALL
from spaniel.document_stores.opensearch.transport.http_request import Ask, answered
from spaniel.document_stores.opensearch.writing.batch import Batch, routing_to
from spaniel.document_stores.opensearch.writing.bulk import (
    Action,
    Outcome,
    Waiting,
    bulk,
    chunks,
    id_fault,
    own,
    present,
)
from spaniel.document_stores.opensearch.writing.by_query import change_by_query
from spaniel.document_stores.opensearch.writing.filter_changes import ChangingByFilter
from spaniel.document_stores.types.policy import DuplicatePolicy
from spaniel.document_stores.validation import validate_ids
from spaniel.errors import (
    DocumentsRefusedError,
    DocumentStoreError,
    DuplicateDocumentError,
    StoreUnavailableError,
)
from spaniel.runtime import Gather, Program, Sleep, async_method, sync_method

logger = logging.getLogger(__name__)

Refresh: TypeAlias = Literal["wait_for", True, False]

_LOOKS = (0.05, 0.2, 0.5)  # seconds
_SHOWN = 5  # reasons in a message


class Writing(ChangingByFilter):
    """The methods that write and delete."""

    max_chunk_bytes: int
    chunk_size: int
    writers: int
    search_scope: Literal["all", "leaves"]
    nested_fields: list[str] | Literal["*"] | None

    @sync_method
    def write_documents(
        self,
        documents: Iterable[Document],
        policy: DuplicatePolicy = DuplicatePolicy.NONE,
        refresh: Refresh = "wait_for",
        *,
        progress: Callable[[int], None] | None = None,
    ) -> Program[int]:
        """Return how many documents were written: all that were not skipped.

        They go in requests of `chunk_size` documents, `writers` of them at a time. What the server has no room for is sent
        again, ever later. With the policy ``FAIL``, a document that is there already undoes the whole call.

        :param documents: any iterable of documents; no more are held than the requests under way.
        :param policy: what happens with an id that is stored already, or given twice; ``NONE`` means ``FAIL``.
        :param refresh: whether searches see the documents when the call returns: ``wait_for`` the next refresh of the index,
            True refreshes it, False: they see them soon.
        :param progress: called after each request with the number of documents written so far, from several threads.
        :raises ValueError: something else than documents is given.
        :raises DuplicateDocumentError: the policy is ``FAIL`` and an id is there already. Nothing is written.
        :raises DocumentsRefusedError: the server did not take some of them, such as those of another embedding size; it
            names them and says why. The others are written.
        :raises StoreUnavailableError: the server can't be reached, or has no room for too long.
        """
        policy = DuplicatePolicy(policy)
        if policy is DuplicatePolicy.NONE:
            policy = DuplicatePolicy.FAIL
        fields = yield from self._index.written()
        leaves, find_nested = self.search_scope == "leaves", self.nested_fields == "*"
        waiting = Waiting(self._index.patience)
        batch = Batch(
            documents,
            policy,
            waiting,
            leaves=leaves,
            marked=fields.marked,
            find_nested=find_nested,
            content=self._index.content_field,
        )
        try:
            sent = yield Gather(self._sent(batch, refresh, progress), self.writers)
            sent += yield Gather(self._sent(batch.again(), refresh, progress), 1)
            self._index.has_vectors = self._index.has_vectors or batch.has_vectors
            self._index.forget()
            if len(sent) > 1:
                yield from self._index.check_still_there(fields)
        except BaseException as error:  # also a cancelled call is undone
            left = yield from self._undone(batch)
            if isinstance(error, StoreUnavailableError):
                raise StoreUnavailableError(f"{error} {left}", refused=error.refused) from error
            raise
        if len(sent) > 1 and refresh:
            yield from self._refreshed()
        return (yield from self._result(batch))

    write_documents_async = async_method(write_documents)

    def _sent(self, batch: Batch, refresh: Refresh, progress: Callable[[int], None] | None) -> Iterator[Program[None]]:
        """Yield the sending of each chunk. The request refreshes, where it is the only one."""
        groups = chunks(batch, self.chunk_size, self.max_chunk_bytes)
        first, second = next(groups, None), next(groups, None)
        if first is not None:
            yield self._send(first, batch, _parameter(refresh) if second is None else None, progress)
        for chunk in itertools.chain([second], groups) if second is not None else ():
            yield self._send(chunk, batch, None, progress)

    def _send(
        self, chunk: list[Action], batch: Batch, refresh: str | None, progress: Callable[[int], None] | None
    ) -> Program[None]:
        if batch.stopped:
            return
        if new := batch.nested - batch.mapped:
            yield from self._map_nested(new)
            batch.mapped |= new
        outcome = Outcome()
        if batch.policy is not DuplicatePolicy.OVERWRITE:
            there = yield from present(self._index.name, chunk, self._index.patience)
            outcome.conflicts += [action.id for action in chunk if action.id in there]
            chunk = [action for action in chunk if action.id not in there]
        if chunk and not (outcome.conflicts and batch.policy is DuplicatePolicy.FAIL):
            try:
                outcome.add((yield from bulk(self._index.name, chunk, self._index.patience, refresh, batch.waiting)))
            except BaseException:
                batch.unsure.extend(chunk)
                raise
        written = batch.add(outcome)
        if progress is not None:
            progress(written)

    def _map_nested(self, names: set[str]) -> Program[None]:
        fields = yield from self._index.fields(names)
        for name in sorted(names - fields.nested):
            body = {"properties": {name: {"type": "nested"}}}
            try:
                yield from answered(Ask("PUT", self._index.path("_mapping"), body), self._index.patience)
            except DocumentStoreError as error:
                logger.warning("The field '%s' can't be nested in the index '%s': %s", name, self._index.name, error)
            else:
                self._index.forget()

    def _result(self, batch: Batch) -> Program[int]:
        outcome = batch.total
        duplicates = sorted({*outcome.conflicts, *batch.repeated})
        if batch.policy is DuplicatePolicy.FAIL and duplicates:
            yield from self._undo(batch)
            shown = ", ".join(f"'{id}'" for id in duplicates[:_SHOWN])
            more = f" and {len(duplicates) - _SHOWN} more" if len(duplicates) > _SHOWN else ""
            raise DuplicateDocumentError(
                f"IDs {shown}{more} already exist in the index '{self._index.name}', or are given twice. "
                "Nothing was written; another policy skips or overwrites them."
            )
        for id in [*outcome.conflicts, *batch.repeated] if batch.policy is DuplicatePolicy.SKIP else ():
            logger.warning("ID '%s' already exists, so the document is skipped.", id)
        if outcome.blocked:
            yield from self._undone(batch)
            raise _blocked(outcome, self._index.name)
        if outcome.refused:
            raise _refusal(outcome, self._index.name)
        return outcome.done + batch.overwritten

    def _undone(self, batch: Batch) -> Program[str]:
        """Undo a call that fails, if its policy says so; return what it leaves, as a sentence."""
        if batch.policy is not DuplicatePolicy.FAIL:
            return f"{batch.total.done:,} documents were written before."
        count = batch.total.done
        try:
            yield from self._undo(batch)
        except DocumentStoreError:
            return f"{count:,} documents that were written before could not be deleted again."
        return "Nothing was written."

    def _undo(self, batch: Batch) -> Program[None]:
        """Delete what a call created, unless somebody changed it since."""
        created, batch.total.created = batch.total.created, []
        yield from self._deleted_again(created)
        unsure, batch.unsure = [action for action in batch.unsure if action.operation == "create"], []
        for pause in _LOOKS if unsure else ():  # a request whose answer was lost may be carried out a little later
            yield Sleep(pause)
            found = []
            for chunk in chunks(unsure, self.chunk_size, self.max_chunk_bytes):
                found += yield from own(self._index.name, chunk, self._index.patience)
            yield from self._deleted_again(found)

    def _deleted_again(self, actions: list[Action]) -> Program[None]:
        for chunk in chunks(actions, self.chunk_size, self.max_chunk_bytes):
            yield from bulk(self._index.name, chunk, self._index.patience)
        if actions:
            yield from self._refreshed()

    def _refreshed(self) -> Program[None]:
        yield from answered(Ask("POST", self._index.path("_refresh")), self._index.patience)

    @sync_method
    def delete_documents(
        self, document_ids: Iterable[str], refresh: Refresh = "wait_for", routing: Mapping[str, str] | None = None
    ) -> Program[None]:
        """Delete the documents with these ids; unknown ids are ignored.

        :param document_ids: their ids.
        :param refresh: as in `write_documents`.
        :param routing: for each id, the routing that its document was written with, if any.
        """
        yield from self._index.written(again=False)
        ids = list(dict.fromkeys(validate_ids(document_ids)))
        routings = routing or {}
        actions = (Action("delete", id, None, routing_to(routings.get(id))) for id in ids if not id_fault(id))
        groups = list(chunks(actions, 4 * self.chunk_size, self.max_chunk_bytes))
        outcome, waiting = Outcome(), Waiting(self._index.patience)
        for group in groups:
            parameter = _parameter(refresh) if len(groups) == 1 else None
            outcome.add((yield from bulk(self._index.name, group, self._index.patience, parameter, waiting)))
            if outcome.blocked:
                raise _blocked(outcome, self._index.name, "deleted")
        if len(groups) > 1 and refresh:
            yield from self._refreshed()
        if outcome.refused:
            raise _refusal(outcome, self._index.name, "deleted")

    delete_documents_async = async_method(delete_documents)

    @sync_method
    def delete_all_documents(self, recreate_index: bool = False, refresh: bool = True) -> Program[None]:
        """Delete every document.

        :param recreate_index: delete the index and make it again with its mapping and settings: faster where there are many.
        :param refresh: whether searches see it when the call returns.
        :raises DocumentStoreError: `recreate_index` is asked of an alias.
        """
        yield from self._index.written()
        if recreate_index:
            yield from self._index.made_again()
        else:
            yield from change_by_query(self._index, "_delete_by_query", {"query": ALL}, refresh=refresh)

    delete_all_documents_async = async_method(delete_all_documents)


def _parameter(refresh: Refresh) -> str | None:
    return {"wait_for": "wait_for", True: "true", False: None}[refresh]


def _blocked(outcome: Outcome, index: str, what: str = "written") -> StoreUnavailableError:
    return StoreUnavailableError(
        f"The index '{index}' takes no changes now: {outcome.blocked} {outcome.done:,} documents were {what} before; the others "
        "were not.",
        refused=True,
    )


def _refusal(outcome: Outcome, index: str, what: str = "written") -> DocumentsRefusedError:
    shown = "; ".join(f"'{id}': {reason}" for id, reason in list(outcome.refused.items())[:_SHOWN])
    more = f"; and {len(outcome.refused) - _SHOWN} more (see .refused)" if len(outcome.refused) > _SHOWN else ""
    return DocumentsRefusedError(
        f"{len(outcome.refused)} documents were not {what} in the index '{index}', {outcome.done} were. {shown}{more}",
        dict(outcome.refused),
        outcome.done,
    )
