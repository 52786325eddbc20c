"""An index as it was at one time: what a search of it finds does not change from page to page."""

from contextlib import suppress
from typing import Any

from spaniel.document_stores.opensearch.http_request import Ask, answered
from spaniel.document_stores.opensearch.index import Index
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
