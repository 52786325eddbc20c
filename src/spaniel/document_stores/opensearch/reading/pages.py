"""All documents that match, however many: one request where they fit into it, else a point in time, page by page."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from spaniel.dataclasses import Document
from spaniel.document_stores.opensearch.filters.partial_queries import PartialQuery
from spaniel.document_stores.opensearch.filters.verification import Accepts
from spaniel.document_stores.opensearch.index import Index
from spaniel.document_stores.opensearch.schema.document_source import document_of
from spaniel.document_stores.opensearch.schema.mapping import KEPT
from spaniel.document_stores.opensearch.transport.http_request import Ask, answered
from spaniel.errors import DocumentStoreError, StoreRequestError, StoreUnavailableError
from spaniel.runtime import Program, Sleep

COMPLETE = {"allow_partial_search_results": "false"}
"""A search of which a shard fails is an error, not a shorter answer."""
_KEEP_ALIVE = "5m"
_MISSING = 404


class PointInTime:
    """Opened by the first search, and anew where it has ended: because a node is gone, or nobody read for long.

    Whoever sorts by id and asks for what comes after the last one goes on where it ended.
    """

    def __init__(self, index: Index) -> None:
        self._index = index
        self._id: str | None = None
        self._dropped: list[str] = []

    def search(self, body: dict[str, Any]) -> Program[dict[str, Any]]:
        """Return the answer to a search.

        :raises StoreUnavailableError: the index can't be read for longer than the patience lasts.
        """
        pauses = self._index.patience.pauses()
        while True:
            if self._id is None:
                self._id = yield from self._opened()
            try:
                search = {**body, "pit": {"id": self._id, "keep_alive": _KEEP_ALIVE}}
                answer: dict[str, Any] = yield Ask("POST", "/_search", search, COMPLETE)
            except (StoreRequestError, StoreUnavailableError) as error:
                pause = next(pauses, None) if _has_ended(error) else None
                if pause is None:
                    raise
                if isinstance(error, StoreUnavailableError):
                    self._dropped.append(self._id)  # it may still be there
                self._id = None
                yield Sleep(pause)
            else:
                self._id = answer.get("pit_id", self._id)
                return answer

    def close(self) -> Program[None]:
        """Let it go; it would end by itself after some minutes."""
        ids = [*self._dropped, *([] if self._id is None else [self._id])]
        self._id, self._dropped = None, []
        if ids:
            with suppress(DocumentStoreError):
                yield Ask("DELETE", "/_search/point_in_time", {"pit_id": ids})

    def _opened(self) -> Program[str]:
        ask = Ask("POST", self._index.path("_search/point_in_time"), params={"keep_alive": _KEEP_ALIVE})
        answer = yield from answered(ask, self._index.patience)
        return str(answer["pit_id"])


def _has_ended(error: StoreRequestError | StoreUnavailableError) -> bool:
    """Return whether a point in time can't be read any more, though the index may be."""
    return isinstance(error, StoreUnavailableError) or error.status == _MISSING or "no node found" in str(error)


PAGE = 2_000
"""Documents in one answer: a few megabytes of text."""

MAX_PAGE = 10_000
"""Documents that a server gives in one answer by default (``index.max_result_window``)."""


def every(
    index: Index, queries: Sequence[PartialQuery], accepts: Accepts, *, embedding: bool, order: str
) -> Program[list[Document]]:
    """Return the documents that match any of the queries, in the order of their ids.

    :param accepts: decides where a query lets through too many.
    :param embedding: whether the documents carry theirs.
    :param order: the field that holds the id of each document once.
    """
    found = yield from by_address(index, queries, accepts, embedding=embedding, order=order)
    return sorted(found.values(), key=lambda document: document.id)


def by_address(
    index: Index,
    queries: Sequence[PartialQuery],
    accepts: Accepts,
    *,
    embedding: bool,
    order: str,
    source: Any = None,
) -> Program[dict[str, Document]]:
    """Return the documents that match any of the queries, each under the ``_id`` that it has on the server.

    :param source: of each document, as a search takes it under ``_source``; None: everything, but for vectors.
    """
    found: dict[str, Document] = {}
    fetched = without_vectors(index, embedding) if source is None else {"_source": source}
    for partial in queries:
        hits = yield from _hits(index, {"query": partial.query, **fetched}, order)
        for hit in hits:
            document = document_of(hit, embedding=embedding, content=index.content_field)
            if not partial.check or accepts(document):
                found[hit["_id"]] = document
    return found


def without_vectors(index: Index, embedding: bool) -> dict[str, Any]:
    """Return what leaves vectors out of an answer, where there are any."""
    if embedding or not index.has_vectors:
        return {}
    return {"_source": {"excludes": ["embedding", f"{KEPT}.embedding"]}}


def _hits(index: Index, search: dict[str, Any], order: str) -> Program[list[dict[str, Any]]]:
    """Return all hits of a search."""
    search = {**search, "size": PAGE, "track_total_hits": False}
    first = {**search, "sort": ["_doc"]}  # as they lie: the cheapest order
    answer = yield from answered(Ask("POST", index.path("_search"), first, COMPLETE), index.patience)
    hits: list[dict[str, Any]] = answer["hits"]["hits"]
    if len(hits) < PAGE:
        return hits
    return (yield from _at_one_time(index, {**search, "sort": [{order: "asc"}]}))


def _at_one_time(index: Index, search: dict[str, Any]) -> Program[list[dict[str, Any]]]:
    hits: list[dict[str, Any]] = []
    moment = PointInTime(index)
    try:
        while True:
            after = {"search_after": hits[-1]["sort"]} if hits else {}
            page = (yield from moment.search({**search, **after}))["hits"]["hits"]
            hits += page
            if len(page) < PAGE:
                return hits
    finally:
        yield from moment.close()


def parts(ids: Sequence[str], size: int = PAGE // 2) -> Iterator[Sequence[str]]:
    """Yield ids in groups that one answer has room for."""
    for start in range(0, len(ids), size):
        yield ids[start : start + size]
