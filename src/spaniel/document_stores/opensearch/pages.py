"""All documents that match, however many: one request where they fit into it, else a point in time, page by page."""

from collections.abc import Iterator, Sequence
from typing import Any

from spaniel.dataclasses import Document
from spaniel.document_stores.opensearch.document_test import Accepts
from spaniel.document_stores.opensearch.filter_split import PartialQuery
from spaniel.document_stores.opensearch.http_request import Ask, answered
from spaniel.document_stores.opensearch.index import Index
from spaniel.document_stores.opensearch.mapping import KEPT
from spaniel.document_stores.opensearch.point_in_time import COMPLETE, PointInTime
from spaniel.document_stores.opensearch.sources import document_of
from spaniel.runtime import Program

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
