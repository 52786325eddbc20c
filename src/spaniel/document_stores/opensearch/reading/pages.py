"""All hits of a search: a single request if they fit, else pages of a point in time."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from spaniel.document_stores.opensearch.index import COMPLETE, MISSING, Index
from spaniel.document_stores.opensearch.schema.mapping import KEPT
from spaniel.document_stores.opensearch.transport.http_request import HttpRequest
from spaniel.errors import DocumentStoreError, StoreRequestError, StoreUnavailableError
from spaniel.json_types import Json, JsonObject
from spaniel.runtime import Program, Sleep

PAGE = 2_000
"""Hits per answer: some megabytes of text."""

MAX_PAGE = 10_000
"""Hits per answer that a server allows by default (``index.max_result_window``)."""

WITHOUT_VECTORS: JsonObject = {"_source": {"excludes": ["embedding", f"{KEPT}.embedding"]}}
_KEEP_ALIVE = "5m"


class PointInTime:
    """A frozen view of an index, opened by the first search and again when it expires."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._id: str | None = None
        self._dropped: list[str] = []

    def search(self, body: JsonObject) -> Program[JsonObject]:
        """Return the answer to a search."""
        pauses = self._index.retry_policy.pauses()
        while True:
            if self._id is None:
                keep_alive = {"keep_alive": _KEEP_ALIVE}
                opened = yield from self._index.send("POST", "_search/point_in_time", params=keep_alive)
                self._id = str(opened["pit_id"])
            try:
                search = {**body, "pit": {"id": self._id, "keep_alive": _KEEP_ALIVE}}
                answer: JsonObject = yield HttpRequest("POST", "/_search", search, COMPLETE)
            except (StoreRequestError, StoreUnavailableError) as error:
                pause = next(pauses, None) if _has_expired(error) else None
                if pause is None:
                    raise
                if isinstance(error, StoreUnavailableError):
                    self._dropped.append(self._id)  # it may still be open
                self._id = None
                yield Sleep(pause)
            else:
                self._id = answer.get("pit_id", self._id)
                return answer

    def close(self) -> Program[None]:
        """Release it; the server would do so after some minutes."""
        ids = [*self._dropped, *([] if self._id is None else [self._id])]
        self._id, self._dropped = None, []
        if ids:
            with suppress(DocumentStoreError):
                yield HttpRequest("DELETE", "/_search/point_in_time", {"pit_id": ids})


def _has_expired(error: StoreRequestError | StoreUnavailableError) -> bool:
    return isinstance(error, StoreUnavailableError) or error.status == MISSING or "no node found" in str(error)


class PagedSearch:
    """The hits of a search with a total order, page by page, after the sort values of a hit."""

    def __init__(self, index: Index, search: JsonObject, page_size: int, after: Sequence[Json] | None = None) -> None:
        self.ended = False
        self._search = {**search, "track_total_hits": False}
        self._page_size = page_size
        self._after = after
        self._snapshot = PointInTime(index)

    def next_page(self, max_hits: int | None = None) -> Program[list[JsonObject]]:
        """Return the next hits and set `ended` after the last page."""
        size = self._page_size if max_hits is None else min(self._page_size, max_hits)
        after = {} if self._after is None else {"search_after": self._after}
        answer = yield from self._snapshot.search({**self._search, **after, "size": size})
        hits: list[JsonObject] = answer["hits"]["hits"]
        self.ended = len(hits) < size
        if hits:
            self._after = hits[-1]["sort"]
        return hits

    def read_all(self, max_hits: int | None = None) -> Program[list[JsonObject]]:
        """Return all hits, or the first `max_hits`, and release the point in time."""
        hits: list[JsonObject] = []
        try:
            while not self.ended and (max_hits is None or len(hits) < max_hits):
                hits += yield from self.next_page(None if max_hits is None else max_hits - len(hits))
        finally:
            yield from self.close()
        return hits

    def close(self) -> Program[None]:
        """Release the point in time."""
        yield from self._snapshot.close()


def read_hits(index: Index, search: JsonObject) -> Program[list[JsonObject]]:
    """Return all hits of a search, in no particular order."""
    first = {**search, "size": PAGE, "track_total_hits": False, "sort": ["_doc"]}  # index order: the cheapest
    hits: list[JsonObject] = (yield from index.search(first))["hits"]["hits"]
    if len(hits) < PAGE:
        return hits
    order = (yield from index.ready()).id_order
    return (yield from PagedSearch(index, {**search, "sort": [{order: "asc"}]}, PAGE).read_all())


def without_vectors(index: Index, embedding: bool) -> JsonObject:
    """Return the part of a search that excludes vectors, if there are any and none is needed."""
    return {} if embedding or not index.has_vectors else WITHOUT_VECTORS


def batches(ids: Sequence[str], size: int = PAGE // 2) -> Iterator[Sequence[str]]:
    """Yield ids in groups whose documents fit in an answer."""
    for start in range(0, len(ids), size):
        yield ids[start : start + size]
