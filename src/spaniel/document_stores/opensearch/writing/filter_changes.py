"""Deletions and changes of metadata by filter."""

from collections.abc import Mapping
from dataclasses import dataclass

from spaniel.dataclasses import Document
from spaniel.document_stores.opensearch.filters.clauses import Query
from spaniel.document_stores.opensearch.index import Index
from spaniel.document_stores.opensearch.reading.resolved_filter import address_queries, resolve_filter
from spaniel.document_stores.opensearch.schema.document_source import to_source
from spaniel.document_stores.opensearch.schema.mapping import build_marks
from spaniel.document_stores.opensearch.writing.by_query import change_by_query
from spaniel.json_types import Filters, Meta
from spaniel.runtime import Program

UPDATE = """
if (params.again) {
  boolean changed = true;
  for (entry in params.meta.entrySet()) {
    if (ctx._source[entry.getKey()] != entry.getValue()) { changed = false; }
  }
  if (changed) {
    ctx.op = 'noop';
    return;
  }
}
for (entry in params.meta.entrySet()) {
  ctx._source[entry.getKey()] = entry.getValue();
}
if (params.marks != null) {
  List kept = new ArrayList();
  if (ctx._source.containsKey('__marks')) {
    for (mark in ctx._source['__marks']) {
      String path = mark.substring(mark.indexOf(' ') + 1);
      boolean replaced = false;
      for (key in params.meta.keySet()) {
        if (path == key || path.startsWith(key + '.')) { replaced = true; }
      }
      if (!replaced) { kept.add(mark); }
    }
  }
  kept.addAll(params.marks);
  Collections.sort(kept);
  ctx._source['__marks'] = kept;
}
"""
"""Merges metadata into a document; with ``params.again``, those that have it are not counted."""


@dataclass(frozen=True)
class FilterChanges:
    """Deletes and changes the documents that match a filter."""

    index: Index

    def delete_by_filter(self, filters: Filters, refresh: bool = True) -> Program[int]:
        """Return the number of documents that matched a filter and were deleted.

        :param filters: see docs/filters.md.
        :param refresh: True: searches see it when the call returns.
        :raises FilterError: the filter is malformed or empty.
        """
        deleted = 0
        for query in (yield from self._queries(filters)):
            deleted += yield from change_by_query(self.index, "_delete_by_query", {"query": query}, refresh=refresh)
        return deleted

    def update_by_filter(self, filters: Filters, meta: Meta, refresh: bool = True) -> Program[int]:
        """Return the number of documents that matched a filter and whose metadata was updated.

        :param filters: see docs/filters.md.
        :param meta: the keys to set; ids and all other keys stay.
        :param refresh: True: searches see it when the call returns.
        :raises FilterError: the filter is malformed or empty.
        :raises ValueError: `meta` is not a dict, or has the name of a document's own field.
        """
        if not isinstance(meta, Mapping):
            raise ValueError(f"meta must be a dict, got {type(meta).__name__}.")
        source = to_source(Document(id="-", meta=dict(meta)), content=self.index.content_field)
        del source["id"]
        if nested := source.get("meta"):
            raise ValueError(
                f"meta names {sorted(nested)}, which are fields of a document, and can't be changed by filter."
            )
        fields = yield from self.index.ready_for_writes()
        marks = build_marks(source) if fields.marked else None
        script = {"source": UPDATE, "params": {"meta": source, "marks": marks, "again": False}, "lang": "painless"}
        updated = 0
        for query in (yield from self._queries(filters)):
            body = {"query": query, "script": script}
            updated += yield from change_by_query(self.index, "_update_by_query", body, refresh=refresh)
        self.index.expire_mapping()
        return updated

    def _queries(self, filters: Filters) -> Program[list[Query]]:
        resolved = yield from resolve_filter(self.index, filters, for_changes=True)
        return (yield from address_queries(self.index, resolved))
