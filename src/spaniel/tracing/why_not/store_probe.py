"""Queries to a store after a retrieval, with the settings of a stage, and changes since."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import CHILDREN
from spaniel.json_types import Json
from spaniel.tracing.events import short_id
from spaniel.tracing.stage import Stage, StoreRequest, TraceData, to_json

_MAX_SHOWN = 3
_MAX_IDS = 20_000  # to compare an id with more takes seconds


def as_queryable(store: object) -> Any:
    """Return a store with synchronous methods; None for a store with async methods only."""
    return store if hasattr(store, "filter_documents") else None


@dataclass(frozen=True)
class StoreProbe:
    """Queries a store, if any, about a stage, and adds each request to the stage."""

    store: Any
    stage: Stage

    def fetch(self, ids: Sequence[str]) -> list[Document]:
        """Return the stored documents with these ids."""
        if hasattr(self.store, "get_documents_by_id"):
            return self._request(self.store.get_documents_by_id, document_ids=list(ids))
        return self.filter({"field": "id", "operator": "in", "value": list(ids)})

    def filter(self, filters: dict[str, Json]) -> list[Document]:
        """Return the stored documents that match a filter."""
        return self._request(self.store.filter_documents, filters=filters)

    def search(self, **changes: Json) -> list[Document]:
        """Return the results of the stage's search with some other arguments."""
        arguments = {name: value for name, value in self.stage.settings.items() if name != "min_score"}
        return self._request(getattr(self.store, self._search_method()), **{**arguments, **changes})

    def fetch_by_key(self, key: str, values: Sequence[Json]) -> list[Document]:
        """Return the stored documents with any of these values; none without the look-up."""
        if not values or not hasattr(self.store, "get_documents_by_key"):
            return []
        return self._request(self.store.get_documents_by_key, key=key, values=list(values))

    def list_terms(self, text: str) -> list[str] | None:
        """Return the distinct terms of a text in the store's index; None without the method."""
        return list(self.store.query_terms(text)) if hasattr(self.store, "query_terms") else None

    def shares_words(self, query: str, document: Document) -> bool:
        """Return if a query and a document have a word in common, in any of its forms."""
        return hasattr(self.store, "explain_bm25") and bool(
            self.store.explain_bm25(query, [document.id]).get(document.id)
        )

    def list_unmet_conditions(self, document: Document) -> list[str]:
        """Return the conditions of the query that a document does not meet, if the store knows."""
        method = getattr(self.store, "list_unmet_conditions", None)
        return [] if method is None else list(method(document.id))

    def excludes(self, document: Document) -> bool:
        """Return if the store excludes a document from searches, since it has children."""
        return getattr(self.store, "search_scope", "all") == "leaves" and bool(document.meta.get(CHILDREN))

    @property
    def can_search(self) -> bool:
        """If the search of the stage can be repeated."""
        return self.store is not None and hasattr(self.store, self._search_method())

    def _search_method(self) -> str:
        methods = (request.method for request in self.stage.requests if not request.for_trace)
        return next(methods, "").removesuffix("_async")

    def _request(self, method: Callable[..., list[Document]], **arguments: Json) -> list[Document]:
        started = time.perf_counter()
        documents = method(**arguments)
        seconds = time.perf_counter() - started
        self.stage.requests.append(StoreRequest(method.__name__, len(documents), seconds, for_trace=True))
        return documents


def find_changes(searches: Sequence[Stage], store: Any) -> list[str]:
    """Return the changes to the results of searches: deleted and modified documents."""
    then = {document.id: document for stage in searches for document in stage.results}
    if store is None or not then:
        return []
    now = {document.id: document for document in StoreProbe(store, searches[0]).fetch(list(then))}
    deleted = [id for id in then if id not in now]
    changed = [id for id, document in now.items() if not _is_same(document, then[id])]
    return [_format_change(ids, change) for ids, change in ((deleted, "gone"), (changed, "another now")) if ids]


def _is_same(document: Document, other: Document) -> bool:
    if document.content != other.content:
        return False
    return bool(document.meta == other.meta or to_json(document.meta) == to_json(other.meta))  # loaded dates are text


def _format_change(ids: list[str], change: str) -> str:
    names = ", ".join(map(short_id, ids[:_MAX_SHOWN]))
    more = f" and {len(ids) - _MAX_SHOWN} more" if len(ids) > _MAX_SHOWN else ""
    return f"{names}{more} {'is' if len(ids) == 1 else 'are'} {change}"


def find_similar_ids(trace: TraceData, store: Any, id: str) -> tuple[str, ...]:
    """Return ids similar to an unknown id, of the store if it can list them, else of the trace."""
    ids = list(getattr(store, "storage", None) or trace.documents)
    extended = [other for other in ids if id and other.startswith(id)]
    if extended or len(ids) > _MAX_IDS:
        return tuple(extended[:_MAX_SHOWN])
    from difflib import get_close_matches

    return tuple(get_close_matches(id, ids, n=_MAX_SHOWN))
