"""Searches of an index as the store is configured, and their hits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from spaniel.dataclasses.hierarchy import CHILDREN
from spaniel.document_stores.embedded.indexing import SearchScope
from spaniel.document_stores.opensearch.filters.clauses import ALL, NONE, Query, all_of, none_of
from spaniel.document_stores.opensearch.index import COMPLETE, Index
from spaniel.document_stores.opensearch.reading.pages import MAX_PAGE, PagedSearch, without_vectors
from spaniel.document_stores.opensearch.reading.resolved_filter import filter_to_query
from spaniel.document_stores.opensearch.schema.fields import Fields
from spaniel.document_stores.opensearch.transport.http_request import to_json
from spaniel.document_stores.opensearch.transport.server_errors import item_error
from spaniel.errors import DocumentStoreError, StoreRequestError, StoreUnavailableError
from spaniel.json_types import Filters, JsonObject
from spaniel.runtime import Program, Sleep

SearchType: TypeAlias = Literal["query_then_fetch", "dfs_query_then_fetch"]
Hits: TypeAlias = list[JsonObject]
HitsOrError: TypeAlias = Hits | DocumentStoreError


@dataclass(frozen=True)
class SearchTarget:
    """An index with the settings of its searches."""

    index: Index
    search_type: SearchType
    search_scope: SearchScope

    def text_path(self, fields: Fields) -> str:
        """Return the path to search the words of documents."""
        if (path := fields.text_path(self.index.content_field)) is None:
            raise DocumentStoreError(
                f"The index '{self.index.name}' has no text field '{self.index.content_field}' to search. Name the field of the text "
                "with content_field=..., or give a custom_query."
            )
        return path

    def condition(self, filters: Filters | None) -> Program[Query | None]:
        """Return the query for a filter within the search scope, or None if it matches everything."""
        if self.search_scope != "leaves":
            return (yield from filter_to_query(self.index, filters))
        parents = (yield from self.index.fields([CHILDREN])).find(("meta", CHILDREN)).has_value()
        if not parents.exact:
            leaves: Filters = {"field": f"meta.{CHILDREN}", "operator": "in", "value": [None, []]}
            both = {"operator": "AND", "conditions": [filters, leaves]} if filters else leaves
            return (yield from filter_to_query(self.index, both))
        condition = yield from filter_to_query(self.index, filters)
        return condition if parents.lower == NONE else all_of([condition or ALL, none_of(parents.lower)])

    def request_body(self, body: JsonObject, top_k: int, embedding: bool) -> JsonObject:
        """Return the body of a search for `top_k` hits, with or without embeddings."""
        return {**without_vectors(self.index, embedding), **body, "size": top_k}

    def hits(self, search: JsonObject, top_k: int, params: Mapping[str, str] | None = None) -> Program[Hits]:
        """Return the best hits; equal scores are ordered by the server."""
        if not top_k:
            return []
        fields = yield from self.index.ready()
        if top_k > MAX_PAGE and "sort" not in search:
            by_id = {**search, "sort": [{"_score": "desc"}, {fields.id_order: "asc"}]}
            return (yield from PagedSearch(self.index, by_id, MAX_PAGE).read_all(top_k))
        body = {**search, "size": top_k, "track_total_hits": False}
        params = {**COMPLETE, "search_type": self.search_type, **(params or {})}
        answer = yield from self.index.send("POST", "_search", body, params)
        hits: Hits = answer["hits"]["hits"]
        return hits

    def multi_search(self, searches: Sequence[JsonObject]) -> Program[list[HitsOrError]]:
        """Return the hits or the error of each search, from a single ``_msearch`` request."""
        head = to_json({"allow_partial_search_results": False, "search_type": self.search_type})
        results: dict[int, HitsOrError] = {}
        pauses = self.index.retry_policy.pauses()
        pending = list(range(len(searches)))
        while pending:
            lines = (b"%b\n%b\n" % (head, to_json({**searches[place], "track_total_hits": False})) for place in pending)
            try:
                answer = yield from self.index.send("POST", "_msearch", b"".join(lines))
            except StoreRequestError as error:  # a search that can't be parsed spoils the request
                if len(pending) == 1:
                    results[pending[0]] = error
                else:
                    for place in pending:
                        [results[place]] = yield from self.multi_search([searches[place]])
                break
            for place, response in zip(pending, answer["responses"], strict=True):
                failed = "error" in response
                path = self.index.path("_msearch")
                results[place] = item_error(response, path) if failed else response["hits"]["hits"]
            pending = [place for place in pending if isinstance(results[place], StoreUnavailableError)]
            if pending:
                if (pause := next(pauses, None)) is None:
                    break
                yield Sleep(pause)
        return [results[place] for place in range(len(searches))]
