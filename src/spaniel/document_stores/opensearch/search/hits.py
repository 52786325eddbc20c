"""What every search of a server takes: where the text lies, what is searched, and the hits of an answer or of several."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from spaniel.dataclasses import Document
from spaniel.dataclasses.hierarchy import CHILDREN
from spaniel.document_stores.embedded.scoring import scale_for
from spaniel.document_stores.opensearch.filters.clauses import ALL, NONE, Query, all_of, none_of
from spaniel.document_stores.opensearch.index import Index
from spaniel.document_stores.opensearch.reading.documents import Reading, id_order
from spaniel.document_stores.opensearch.reading.pages import COMPLETE, MAX_PAGE, PointInTime, without_vectors
from spaniel.document_stores.opensearch.schema.fields import Fields
from spaniel.document_stores.opensearch.transport.http_request import Ask, answered, dumped
from spaniel.document_stores.opensearch.transport.server_errors import answer_error
from spaniel.errors import DocumentStoreError, StoreRequestError, StoreUnavailableError
from spaniel.runtime import Program, Sleep


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


Found: TypeAlias = list[dict[str, Any]] | DocumentStoreError


def several(index: Index, searches: Sequence[dict[str, Any]], search_type: str) -> Program[list[Found]]:
    """Return for each search its hits, or the error why there are none; ``_msearch`` answers all of them at once.

    What the server has no room for is asked again, and each search alone where the server refuses the request as a whole.

    :param search_type: how statistics are gathered.
    """
    head = dumped({"allow_partial_search_results": False, "search_type": search_type})
    found: dict[int, Found] = {}
    pauses = index.patience.pauses()
    open_ones = list(range(len(searches)))
    while open_ones:
        lines = (b"%b\n%b\n" % (head, dumped({**searches[place], "track_total_hits": False})) for place in open_ones)
        try:
            answer = yield from answered(Ask("POST", index.path("_msearch"), b"".join(lines)), index.patience)
        except StoreRequestError as error:  # one that can't be read spoils the whole request
            if len(open_ones) == 1:
                return [error if place in open_ones else found[place] for place in range(len(searches))]
            for place in open_ones:
                [found[place]] = yield from several(index, [searches[place]], search_type)
            break
        for place, response in zip(open_ones, answer["responses"], strict=True):
            failed = "error" in response
            found[place] = answer_error(response, index.path("_msearch")) if failed else response["hits"]["hits"]
        open_ones = [place for place in open_ones if isinstance(found[place], StoreUnavailableError)]
        if open_ones:
            if (pause := next(pauses, None)) is None:
                break
            yield Sleep(pause)
    return [found[place] for place in range(len(searches))]
