"""What changes the documents that pass a filter."""

from collections.abc import Mapping
from typing import Any

from spaniel.dataclasses import Document
from spaniel.document_stores.opensearch.filters.clauses import MAX_TERMS, terms
from spaniel.document_stores.opensearch.filters.partial_queries import filter_queries
from spaniel.document_stores.opensearch.reading.pages import parts
from spaniel.document_stores.opensearch.schema.document_source import source_of
from spaniel.document_stores.opensearch.schema.mapping import marks
from spaniel.document_stores.opensearch.search.ranked_search import Searching
from spaniel.document_stores.opensearch.writing.by_query import change_by_query
from spaniel.filters import parse_filter
from spaniel.runtime import Program, async_method, sync_method

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
"""Merges ``params.meta`` into the document. What it says of its values (see `mapping.marks`) is brought up to date.

With ``params.again``, documents that have it all already are left as they are, and don't count.

Metadata comes in as parameters, so no value becomes code.
"""


class ChangingByFilter(Searching):
    """The methods that delete and change by filter."""

    @sync_method
    def delete_by_filter(self, filters: dict[str, Any], refresh: bool = True) -> Program[int]:
        """Return how many documents matched a filter and were deleted.

        :param refresh: whether searches see it when the call returns.
        :raises FilterError: the filter is malformed, or empty.
        """
        deleted = 0
        for query in (yield from self._targets(filters)):
            deleted += yield from change_by_query(self._index, "_delete_by_query", {"query": query}, refresh=refresh)
        return deleted

    delete_by_filter_async = async_method(delete_by_filter)

    @sync_method
    def update_by_filter(self, filters: dict[str, Any], meta: dict[str, Any], refresh: bool = True) -> Program[int]:
        """Return how many documents matched a filter and got `meta` merged into theirs; ids stay.

        :param refresh: whether searches see it when the call returns.
        :raises FilterError: the filter is malformed, or empty.
        :raises ValueError: `meta` is no dict, or names a field of the document itself.
        """
        if not isinstance(meta, Mapping):
            raise ValueError(f"meta must be a dict of what to change, not {type(meta).__name__}.")
        source = source_of(Document(id="-", meta=dict(meta)), content=self._index.content_field)
        del source["id"]
        if nested := source.get("meta"):
            raise ValueError(
                f"meta names {sorted(nested)}, which are fields of a document, and can't be changed by filter."
            )
        fields = yield from self._index.written()
        script = {
            "source": UPDATE,
            "params": {"meta": source, "marks": marks(source) if fields.marked else None, "again": False},
            "lang": "painless",
        }
        updated = 0
        for query in (yield from self._targets(filters)):
            body = {"query": query, "script": script}
            updated += yield from change_by_query(self._index, "_update_by_query", body, refresh=refresh)
        self._index.forget()
        return updated

    update_by_filter_async = async_method(update_by_filter)

    def _targets(self, filters: dict[str, Any]) -> Program[list[dict[str, Any]]]:
        """Return the queries that find what passes a filter now; what the server can't tell is fetched and compared.

        :raises FilterError: the filter is malformed, or empty: that would match everything.
        """
        parsed = parse_filter(filters)
        fields = (yield from self._index.written()).wary()
        queries = filter_queries(filters, fields)
        if len(queries) == 1 and not queries[0].check:
            return [queries[0].query]
        ids = yield from self._addresses(queries, parsed, fields)
        return [terms("_id", list(part)) for part in parts(ids, MAX_TERMS)]
