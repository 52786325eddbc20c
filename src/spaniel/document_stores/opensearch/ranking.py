"""What every search of a server takes: where the text lies, what is searched, and the hits of an answer or of several."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import CHILDREN
from spaniel.document_stores.embedded.scoring import scale_for
from spaniel.document_stores.opensearch.clauses import ALL, NONE, Query, all_of, none_of
from spaniel.document_stores.opensearch.fields import Fields
from spaniel.document_stores.opensearch.http_request import Ask, answered
from spaniel.document_stores.opensearch.pages import MAX_PAGE, without_vectors
from spaniel.document_stores.opensearch.point_in_time import COMPLETE, PointInTime
from spaniel.document_stores.opensearch.reading import Reading, id_order
from spaniel.errors import DocumentStoreError
from spaniel.runtime import Program


class Ranking(Reading):
    """Sends searches and returns their hits."""

    search_type: str
    search_scope: Literal["all", "leaves"]

    def _text_path(self, fields: Fields) -> str:
        """Return where the words of documents are searched.

        :raises DocumentStoreError: nowhere.
        """
        if (path := fields.text_path(self._index.content_field)) is None:
            raise DocumentStoreError(
                f"The index '{self._index.name}' has no text field '{self._index.content_field}' to search. Name the field of the text "
                "with content_field=..., or give a custom_query."
            )
        return path

    def _condition(self, filters: dict[str, Any] | None) -> Program[Query | None]:
        """Return the query of a filter, and of what is searched; None where that is everything."""
        if self.search_scope != "leaves":
            return (yield from self._query(filters))
        parents = (yield from self._index.fields([CHILDREN])).find(("meta", CHILDREN)).has_value()
        if not parents.exact:
            leaves: dict[str, Any] = {"field": f"meta.{CHILDREN}", "operator": "in", "value": [None, []]}
            return (yield from self._query({"operator": "AND", "conditions": [filters, leaves]} if filters else leaves))
        condition = yield from self._query(filters)
        return condition if parents.sure == NONE else all_of([condition or ALL, none_of(parents.sure)])

    def _search(self, body: dict[str, Any], top_k: int, embedding: bool) -> dict[str, Any]:
        return {**without_vectors(self._index, embedding), **body, "size": top_k}

    def _ranked(
        self, body: dict[str, Any], top_k: int, embedding: bool, more: Mapping[str, str] | None = None
    ) -> Program[list[dict[str, Any]]]:
        return (yield from self._hits(self._search(body, top_k, embedding), top_k, more))

    def _hits(
        self, search: dict[str, Any], top_k: int, more: Mapping[str, str] | None = None
    ) -> Program[list[dict[str, Any]]]:
        if not top_k:
            return []
        fields = yield from self._index.ready()
        if top_k > MAX_PAGE and "sort" not in search:
            return (yield from self._in_pages(search, top_k, id_order(fields)))
        params = {**COMPLETE, "search_type": self.search_type, **(more or {})}
        body = {**search, "size": top_k, "track_total_hits": False}
        answer = yield from answered(Ask("POST", self._index.path("_search"), body, params), self._index.patience)
        hits: list[dict[str, Any]] = answer["hits"]["hits"]
        return hits

    def _in_pages(self, search: dict[str, Any], top_k: int, order: str) -> Program[list[dict[str, Any]]]:
        """Return more hits than one answer holds; equal scores stand in the order of ids."""
        hits: list[dict[str, Any]] = []
        moment = PointInTime(self._index)
        body = {**search, "sort": [{"_score": "desc"}, {order: "asc"}], "track_total_hits": False}
        try:
            while len(hits) < top_k:
                after = {"search_after": hits[-1]["sort"]} if hits else {}
                size = min(MAX_PAGE, top_k - len(hits))
                page = (yield from moment.search({**body, **after, "size": size}))["hits"]["hits"]
                hits += page
                if len(page) < size:
                    break
        finally:
            yield from moment.close()
        return hits


def scored(hits: list[dict[str, Any]], scale_score: bool, read: Callable[..., Document]) -> list[Document]:
    """Return the documents of hits, with their scores.

    :param read: makes the document of a hit and a score.
    """
    scale = scale_for("bm25", scale_score)
    return [read(hit, None if hit.get("_score") is None else scale(hit["_score"])) for hit in hits]
