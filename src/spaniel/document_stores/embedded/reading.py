"""What a store answers without ranking: its documents by filter, id and key, and what their metadata holds."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any

from spaniel.dataclasses import Document
from spaniel.document_stores.embedded.arguments import checked_count, checked_ids
from spaniel.document_stores.embedded.contents import Contents, Numbered
from spaniel.document_stores.embedded.metadata import count_unique, metadata_types, min_max, unique_values
from spaniel.document_stores.embedded.twins import read_in_thread
from spaniel.filters import matches, parse_filter


class Reading:
    """The methods that fetch. What they return is independent of the store."""

    async_executor: Executor | None
    return_embedding: bool
    strict_datetime_comparison: bool
    _contents: Contents

    @property
    def storage(self) -> Mapping[str, Document]:
        """The documents by id, to be read: each look-up gives a copy."""
        return _Storage(self._contents)

    def count_documents(self) -> int:
        """Return how many documents the store holds."""
        return self._contents.count()

    async def count_documents_async(self) -> int:
        """Return what `count_documents` returns."""
        return self.count_documents()

    def count_documents_by_filter(self, filters: dict[str, Any]) -> int:
        """Return how many documents match a filter; an empty one matches all."""
        if not filters:
            return self._contents.count()
        return len(self._contents.matching_slots(parse_filter(filters), strict_dates=self.strict_datetime_comparison))

    count_documents_by_filter_async = read_in_thread(count_documents_by_filter)

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """Return the documents that match a filter, in the order of writing; without a filter all of them.

        :raises FilterError: the filter is malformed.
        """
        return self._outward([document for _, document in self._matching(filters)])

    filter_documents_async = read_in_thread(filter_documents)

    def get_documents_by_id(self, document_ids: Sequence[str]) -> list[Document]:
        """Return the documents with these ids, in the order of writing; unknown ids are left out."""
        return self._outward(self._contents.by_id(checked_ids(document_ids)))

    get_documents_by_id_async = read_in_thread(get_documents_by_id)

    def get_documents_by_key(
        self, key: str, values: Sequence[Any], filters: dict[str, Any] | None = None
    ) -> list[Document]:
        """Return the documents that hold one of `values` under `key`, in the order of writing.

        :param key: a metadata key, with or without ``meta.``, or ``id``.
        :param values: a document holds a value if its own equals it, or is a list with an equal element.
        :param filters: what the documents must match besides.
        :raises FilterError: the filter is malformed.
        """
        return self.get_documents_by_keys({key: values}, filters)

    get_documents_by_key_async = read_in_thread(get_documents_by_key)

    def get_documents_by_keys(
        self, values: Mapping[str, Sequence[Any]], filters: dict[str, Any] | None = None
    ) -> list[Document]:
        """Return the documents that hold one of the values of any of several keys, in the order of writing.

        :param values: for each key, as `get_documents_by_key` takes them.
        :param filters: what the documents must match besides.
        :raises FilterError: the filter is malformed.
        """
        parsed = parse_filter(filters) if filters else None
        strict = self.strict_datetime_comparison
        return self._outward(
            [
                document
                for _, document in self._contents.holding(values)
                if parsed is None or matches(parsed, document, strict_datetime_comparison=strict)
            ]
        )

    get_documents_by_keys_async = read_in_thread(get_documents_by_keys)

    def get_metadata_fields_info(self) -> dict[str, dict[str, str]]:
        """Return the metadata keys of all documents, each with its type: boolean, int, float or keyword."""
        return metadata_types(self._documents(None))

    get_metadata_fields_info_async = read_in_thread(get_metadata_fields_info)

    def count_unique_metadata_by_filter(self, filters: dict[str, Any], metadata_fields: list[str]) -> dict[str, int]:
        """Return how many distinct values there are under each field, among the documents that match a filter.

        :param filters: an empty one matches all.
        :param metadata_fields: with or without ``meta.``; a field may be nested (``author.name``).
        """
        return count_unique(self._documents(filters), metadata_fields)

    count_unique_metadata_by_filter_async = read_in_thread(count_unique_metadata_by_filter)

    def get_metadata_field_min_max(self, metadata_field: str) -> dict[str, Any]:
        """Return the ``min`` and ``max`` of the numbers or strings under a field; None where there are none, or both."""
        return min_max(self._documents(None), metadata_field)

    get_metadata_field_min_max_async = read_in_thread(get_metadata_field_min_max)

    def get_metadata_field_unique_values(
        self,
        metadata_field: str,
        search_term: str | None = None,
        from_: int = 0,
        size: int = 10,
        filters: dict[str, Any] | None = None,
    ) -> tuple[list[Any], int]:
        """Return one page of the distinct values under a field, in the order of their text, and how many there are.

        :param metadata_field: with or without ``meta.``; it may be nested (``author.name``).
        :param search_term: what the text of a value must hold, in any case.
        :param from_: how many values come before the page.
        :param size: how many values the page has at most.
        :param filters: what the documents must match.
        :raises ValueError: `from_` or `size` is negative.
        """
        start, length = checked_count("from_", from_), checked_count("size", size)
        values = unique_values(self._documents(filters), metadata_field, search_term)
        return values[start : start + length], len(values)

    get_metadata_field_unique_values_async = read_in_thread(get_metadata_field_unique_values)

    def _documents(self, filters: dict[str, Any] | None) -> list[Document]:
        return [document for _, document in self._matching(filters)]

    def _matching(self, filters: dict[str, Any] | None) -> Numbered:
        if not filters:
            return self._contents.all()
        return self._contents.matching(parse_filter(filters), strict_dates=self.strict_datetime_comparison)

    def _outward(self, documents: list[Document]) -> list[Document]:
        return Document.copies_of(documents, embedding=self.return_embedding, lazy=True)


class _Storage(Mapping[str, Document]):
    def __init__(self, contents: Contents) -> None:
        self._contents = contents

    def __getitem__(self, document_id: str) -> Document:
        for document in self._contents.by_id([document_id]):
            return document.independent_copy()
        raise KeyError(document_id)

    def __iter__(self) -> Iterator[str]:
        return iter([document.id for _, document in self._contents.all()])

    def __len__(self) -> int:
        return self._contents.count()
