"""The index as a whole: whether it is there, how much room it takes, what it can hold."""

from typing import Any, Literal

from spaniel.dataclasses.hierarchy import CHILDREN
from spaniel.document_stores.opensearch.filters.clauses import all_of, none_of
from spaniel.document_stores.opensearch.reading.documents import Reading, id_order
from spaniel.document_stores.opensearch.reading.pages import COMPLETE
from spaniel.document_stores.opensearch.transport.http_request import Ask, answered
from spaniel.errors import StoreRequestError
from spaniel.runtime import Program, async_method, sync_method

_MISSING = 404


class Overview(Reading):
    """The methods that tell about the index. None of them makes it."""

    search_scope: Literal["all", "leaves"]

    @sync_method
    def exists(self) -> Program[bool]:
        """Return whether the index is there."""
        return (yield from self._if_there("_mapping")) is not None

    exists_async = async_method(exists)

    @sync_method
    def count_if_there(self) -> Program[int]:
        """Return how many documents the index holds; none if it is not there."""
        answer = yield from self._if_there("_count")
        return 0 if answer is None else int(answer["count"])

    count_if_there_async = async_method(count_if_there)

    @sync_method
    def refresh(self) -> Program[None]:
        """Let searches see all that was written so far."""
        yield from answered(Ask("POST", self._index.path("_refresh")), self._index.patience)

    refresh_async = async_method(refresh)

    @sync_method
    def search_statistics(self) -> Program[dict[str, int]]:
        """Return how many ``documents`` are searched by their words."""
        fields = yield from self._index.fields(["content", CHILDREN])
        path = self._index.content_field
        searched = {"exists": {"field": fields.text_path(path) or path}}
        if self.search_scope == "leaves":
            searched = all_of([searched, none_of(fields.find(("meta", CHILDREN)).found())])
        body = {"query": searched}
        answer = yield from answered(Ask("POST", self._index.path("_count"), body), self._index.patience)
        return {"documents": int(answer["count"])}

    search_statistics_async = async_method(search_statistics)

    @sync_method
    def size_in_bytes(self) -> Program[int]:
        """Return how much room the index takes on the disks of the cluster, with its replicas."""
        answer = yield from answered(Ask("GET", self._index.path("_stats/store")), self._index.patience)
        return int(answer["_all"]["total"]["store"]["size_in_bytes"])

    size_in_bytes_async = async_method(size_in_bytes)

    @sync_method
    def identity(self) -> Program[str | None]:
        """Return what tells an index from another one of its name; None if it is not there."""
        answer = yield from self._if_there("_settings/index.uuid")
        if answer is None:
            return None
        return " ".join(sorted(index["settings"]["index"]["uuid"] for index in answer.values()))

    identity_async = async_method(identity)

    @sync_method
    def changes(self) -> Program[int]:
        """Return a number that is larger after each change."""
        params = {
            "level": "shards",
            "filter_path": "indices.*.shards.*.seq_no.max_seq_no,indices.*.shards.*.routing.primary",
        }
        answer = yield from answered(Ask("GET", self._index.path("_stats/docs"), params=params), self._index.patience)
        copies = [
            each for index in answer.get("indices", {}).values() for shard in index["shards"].values() for each in shard
        ]
        return sum(each["seq_no"]["max_seq_no"] + 1 for each in copies if each["routing"]["primary"])

    changes_async = async_method(changes)

    @sync_method
    def vector_size(self) -> Program[int | None]:
        """Return how many numbers an embedding has in the index; None if it is not there, or has no field for them."""
        answer = yield from self._if_there("_mapping")
        for index in (answer or {}).values():
            dimension = index["mappings"].get("properties", {}).get("embedding", {}).get("dimension")
            if dimension is not None:
                return int(dimension)
        return None

    vector_size_async = async_method(vector_size)

    @sync_method
    def ids_starting_with(self, start: str, limit: int = 1000) -> Program[list[str]]:
        """Return the ids that begin with a text, in order; at most `limit` of them."""
        fields = yield from self._index.ready()
        body = {"query": {"prefix": {id_order(fields): {"value": start}}}, "size": limit, "_source": ["id"]}
        ask = Ask("POST", self._index.path("_search"), {**body, "sort": [{id_order(fields): "asc"}]}, COMPLETE)
        answer = yield from answered(ask, self._index.patience)
        return [str(hit["_source"].get("id") or hit["_id"]) for hit in answer["hits"]["hits"]]

    ids_starting_with_async = async_method(ids_starting_with)

    @sync_method
    def count_by_value(self, key: str) -> Program[dict[str, int]]:
        """Return how many documents hold each text under a metadata key."""
        fields = yield from self._index.fields([key])
        if (path := fields.named(key).distinct) is None:
            return {}
        counts: dict[str, int] = {}
        source: dict[str, Any] = {"size": 10_000, "sources": [{"v": {"terms": {"field": path}}}]}
        while True:
            body = {"size": 0, "aggs": {"v": {"composite": source}}}
            answer = yield from answered(Ask("POST", self._index.path("_search"), body, COMPLETE), self._index.patience)
            found = answer["aggregations"]["v"]
            counts |= {str(bucket["key"]["v"]): int(bucket["doc_count"]) for bucket in found["buckets"]}
            if "after_key" not in found:
                return counts
            source["after"] = found["after_key"]

    count_by_value_async = async_method(count_by_value)

    @sync_method
    def health(self) -> Program[str]:
        """Return what the cluster says of the index: ``green``, ``yellow`` (replicas are missing) or ``red``."""
        answer = yield from answered(Ask("GET", f"/_cluster/health/{self._index.name}"), self._index.patience)
        return str(answer["status"])

    health_async = async_method(health)

    def _if_there(self, api: str) -> Program[Any]:
        """Return an answer about the index; None if it is not there."""
        try:
            return (yield from answered(Ask("GET", self._index.path(api)), self._index.patience))
        except StoreRequestError as error:
            if error.status != _MISSING:
                raise
            return None
