"""The index as a whole: creation, existence, health, size, statistics."""

from collections.abc import Sequence
from dataclasses import dataclass

from spaniel.dataclasses.hierarchy import CHILDREN
from spaniel.document_stores.embedded.indexing import SearchScope
from spaniel.document_stores.opensearch.filters.clauses import all_of, none_of
from spaniel.document_stores.opensearch.index import Index
from spaniel.json_types import JsonObject
from spaniel.runtime import Program


@dataclass(frozen=True)
class IndexAdministration:
    """Creates an index and reads its state; only the first two methods create it."""

    index: Index
    search_scope: SearchScope

    def create_index(
        self, index: str | None = None, mappings: JsonObject | None = None, settings: JsonObject | None = None
    ) -> Program[None]:
        """Create an index unless it exists, even if the constructor's `create_index` is False.

        :param index: its name; default: the store's.
        :param mappings: default: the store's.
        :param settings: default: the store's.
        """
        own = self.index
        yield from own.create_on_server(index or own.name, mappings or own.mappings, settings or own.settings)

    def prepare(self) -> Program[None]:
        """Create a missing index if allowed, and check that it can be written.

        :raises DocumentStoreError: it can't be written.
        """
        yield from self.index.ready_for_writes()

    def add_languages(self, languages: Sequence[str]) -> Program[None]:
        """Add stems of languages to the searched fields, for documents written from now on.

        :param languages: names of analyzers; known ones change nothing.
        """
        yield from self.index.add_languages(languages)

    def exists(self) -> Program[bool]:
        """Return True if the index exists."""
        return (yield from self.index.send_if_exists("_mapping")) is not None

    def count_if_there(self) -> Program[int]:
        """Return the number of documents, or 0 without an index."""
        answer = yield from self.index.send_if_exists("_count")
        return 0 if answer is None else int(answer["count"])

    def refresh(self) -> Program[None]:
        """Make all writes so far visible to searches."""
        yield from self.index.refresh()

    def search_statistics(self) -> Program[dict[str, int]]:
        """Return the number of ``documents`` that are searched by their words."""
        fields = yield from self.index.fields(["content", CHILDREN])
        path = self.index.content_field
        query = {"exists": {"field": fields.text_path(path) or path}}
        if self.search_scope == "leaves":
            query = all_of([query, none_of(fields.find(("meta", CHILDREN)).visible())])
        answer = yield from self.index.send("POST", "_count", {"query": query})
        return {"documents": int(answer["count"])}

    def size_in_bytes(self) -> Program[int]:
        """Return the disk space of the index in the cluster, with its replicas."""
        answer = yield from self.index.send("GET", "_stats/store")
        return int(answer["_all"]["total"]["store"]["size_in_bytes"])

    def identity(self) -> Program[str | None]:
        """Return the unique id of the index, which a later one of its name does not share, or None."""
        answer = yield from self.index.send_if_exists("_settings/index.uuid")
        if answer is None:
            return None
        return " ".join(sorted(index["settings"]["index"]["uuid"] for index in answer.values()))

    def changes(self) -> Program[int]:
        """Return a number that increases with each change."""
        shards = "indices.*.shards.*"
        paths = f"{shards}.seq_no.max_seq_no,{shards}.routing.primary"
        answer = yield from self.index.send("GET", "_stats/docs", params={"level": "shards", "filter_path": paths})
        copies = [
            each for index in answer.get("indices", {}).values() for shard in index["shards"].values() for each in shard
        ]
        return sum(each["seq_no"]["max_seq_no"] + 1 for each in copies if each["routing"]["primary"])

    def vector_size(self) -> Program[int | None]:
        """Return the dimension of embeddings, or None without an index or a field for them."""
        answer = yield from self.index.send_if_exists("_mapping")
        for index in (answer or {}).values():
            dimension = index["mappings"].get("properties", {}).get("embedding", {}).get("dimension")
            if dimension is not None:
                return int(dimension)
        return None

    def ids_starting_with(self, start: str, limit: int = 1000) -> Program[list[str]]:
        """Return the ids with a prefix, sorted.

        :param start: the prefix.
        :param limit: maximum number of ids.
        """
        order = (yield from self.index.ready()).id_order
        query = {"prefix": {order: {"value": start}}}
        answer = yield from self.index.search(
            {"query": query, "size": limit, "_source": ["id"], "sort": [{order: "asc"}]}
        )
        return [str(hit["_source"].get("id") or hit["_id"]) for hit in answer["hits"]["hits"]]

    def health(self) -> Program[str]:
        """Return the health of the index: ``green``, ``yellow`` (replicas are missing) or ``red``."""
        answer = yield from self.index.send("GET", f"/_cluster/health/{self.index.name}")
        return str(answer["status"])
