"""What a trace asks a store afterwards, with the settings of the stage that it asks about."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from spaniel.dataclasses.hierarchy import CHILDREN
from spaniel.tracing.events import short_id
from spaniel.tracing.json_data import to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spaniel.dataclasses import Document
    from spaniel.tracing.stage import Stage
    from spaniel.tracing.trace import Trace


def askable(store: Any) -> Any:
    """Return a store that can be asked in plain code; None for one that answers async calls only."""
    return store if hasattr(store, "filter_documents") else None


class StoreProbe:
    """Asks a store about a stage, and notes each request there as made for the trace.

    :param store: the store; None: nothing can be asked.
    :param stage: the stage.
    """

    def __init__(self, store: Any, stage: Stage) -> None:
        self.store = store
        self._stage = stage

    def documents(self, ids: Sequence[str]) -> list[Document]:
        """Return the stored documents with these ids."""
        if hasattr(self.store, "get_documents_by_id"):
            return self._asked(self.store.get_documents_by_id, document_ids=list(ids))
        return self._asked(self.store.filter_documents, filters={"field": "id", "operator": "in", "value": list(ids)})

    def search(self, **changes: Any) -> list[Document]:
        """Return what the search of the stage finds, asked with other arguments."""
        arguments = {name: value for name, value in self._stage.settings.items() if name != "min_score"}
        return self._asked(getattr(self.store, self._method()), **{**arguments, **changes})

    def holding(self, key: str, values: Sequence[Any]) -> list[Document]:
        """Return the stored documents that hold one of these values under a key; none if the store can't tell."""
        if not values or not hasattr(self.store, "get_documents_by_key"):
            return []
        return self._asked(self.store.get_documents_by_key, key=key, values=list(values))

    def terms(self, text: str) -> list[str] | None:
        """Return the distinct terms of a text as the store's index has them; None if it can't tell."""
        return list(self.store.query_terms(text)) if hasattr(self.store, "query_terms") else None

    def only_keeps(self, document: Document) -> bool:
        """Return whether the store keeps a document without searching it, as it has children."""
        return getattr(self.store, "search_scope", "all") == "leaves" and bool(document.meta.get(CHILDREN))

    @property
    def can_search(self) -> bool:
        """Whether the search of the stage can be asked once more."""
        return self.store is not None and hasattr(self.store, self._method())

    def _method(self) -> str:
        return next((request.method for request in self._stage.requests if not request.for_trace), "").removesuffix(
            "_async"
        )

    def _asked(self, method: Callable[..., list[Document]], **arguments: Any) -> list[Document]:
        from spaniel.tracing.stage import StoreRequest

        started = time.perf_counter()
        documents = method(**arguments)
        seconds = time.perf_counter() - started
        self._stage.requests.append(StoreRequest(method.__name__, len(documents), seconds, for_trace=True))
        return documents


_SHOWN = 3
_MOST_IDS = 20_000  # to compare a name with more takes seconds


def find_changes(searches: Sequence[Stage], store: Any) -> list[str]:
    """Return the changes to the documents that searches found: deleted ones, and ones with other contents."""
    then = {document.id: document for stage in searches for document in stage.results}
    if store is None or not then:
        return []
    now = {document.id: document for document in StoreProbe(store, searches[0]).documents(list(then))}
    gone = [id for id in then if id not in now]
    others = [id for id, document in now.items() if not _same(document, then[id])]
    return [_told(ids, what) for ids, what in ((gone, "gone"), (others, "another now")) if ids]


def _same(one: Document, other: Document) -> bool:
    if one.content != other.content:
        return False
    return bool(one.meta == other.meta or to_json(one.meta) == to_json(other.meta))  # a loaded trace has dates as text


def _told(ids: list[str], what: str) -> str:
    names = ", ".join(map(short_id, ids[:_SHOWN]))
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    return f"{names}{more} {'is' if len(ids) == 1 else 'are'} {what}"


def nearest_ids(trace: Trace, store: Any, id: str) -> tuple[str, ...]:
    """Return ids that look like one, of the store if it can list them, else of the trace."""
    ids = list(getattr(store, "storage", None) or trace.documents)
    begin = [other for other in ids if id and other.startswith(id)]
    if begin or len(ids) > _MOST_IDS:
        return tuple(begin[:_SHOWN])
    from difflib import get_close_matches

    return tuple(get_close_matches(id, ids, n=_SHOWN))
