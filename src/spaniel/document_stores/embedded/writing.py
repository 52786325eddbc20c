"""What changes a store, but for the writing of documents."""

from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from functools import partial
from typing import Any

from spaniel.dataclasses import Document
from spaniel.document_stores.embedded.arguments import checked_ids
from spaniel.document_stores.embedded.contents import WritableContents
from spaniel.document_stores.embedded.searching import Searching
from spaniel.document_stores.embedded.twins import write_in_turn
from spaniel.filters import parse_filter

_SMALL_WRITE_DOCUMENTS, _SMALL_WRITE_ITEMS = 100, 20_000  # characters and numbers: a millisecond or two of work


class Writing(Searching):
    """The methods that delete and update. Each takes effect wholly or not at all."""

    _contents: WritableContents

    def delete_documents(self, document_ids: Iterable[str]) -> None:
        """Delete the documents with these ids; unknown ids are ignored."""
        self._contents.delete(checked_ids(document_ids))

    async def delete_documents_async(self, document_ids: Iterable[str]) -> None:
        """Do what `delete_documents` does, without blocking the event loop."""
        ids = checked_ids(document_ids)
        delete = partial(self.delete_documents, ids)
        await self._contents.writer.run(delete, small=len(ids) <= _SMALL_WRITE_DOCUMENTS)

    def delete_all_documents(self) -> None:
        """Delete every document."""
        self._contents.clear()

    delete_all_documents_async = write_in_turn(delete_all_documents)

    def delete_by_filter(self, filters: dict[str, Any]) -> int:
        """Return how many documents matched a filter and were deleted.

        :raises FilterError: the filter is malformed, or empty.
        """
        return self._contents.delete_matching(parse_filter(filters), strict_dates=self.strict_datetime_comparison)

    delete_by_filter_async = write_in_turn(delete_by_filter)

    def update_by_filter(self, filters: dict[str, Any], meta: dict[str, Any]) -> int:
        """Return how many documents matched a filter and got `meta` merged into theirs; ids stay.

        :raises FilterError: the filter is malformed, or empty.
        :raises ValueError: `meta` is no dict.
        """
        if not isinstance(meta, Mapping):
            raise ValueError(f"meta must be a dict of what to change, not {type(meta).__name__}.")
        strict = self.strict_datetime_comparison
        return self._contents.update_matching(parse_filter(filters), meta, strict_dates=strict)

    update_by_filter_async = write_in_turn(update_by_filter)

    @property
    def executor(self) -> Executor:
        """What runs async methods: the executor that was given, else the thread of the async writes."""
        return self.async_executor or self._contents.writer.thread

    def shutdown(self) -> None:
        """Wait for the async writes that are queued. The store can still be used."""
        self._contents.writer.shutdown()


def is_small(documents: list[Document]) -> bool:
    """Return whether documents are so few and short that they are indexed in a millisecond or two."""
    items = sum(len(document.content or "") + len(document.embedding or ()) for document in documents)
    return len(documents) <= _SMALL_WRITE_DOCUMENTS and items <= _SMALL_WRITE_ITEMS
