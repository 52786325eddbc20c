"""The documents of a local store as a mapping."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from spaniel.dataclasses import Document
from spaniel.document_stores.local.rows import text_of

if TYPE_CHECKING:
    from spaniel.document_stores.local.contents import LocalContents


class Storage(Mapping[str, Document]):
    """The documents by id, in store order.

    :param contents: of the store.
    """

    def __init__(self, contents: LocalContents) -> None:
        self._contents = contents

    def __getitem__(self, document_id: str) -> Document:
        for document in self._contents.by_id([document_id]):
            return document
        raise KeyError(document_id)

    def __iter__(self) -> Iterator[str]:
        with self._contents.reading() as view:
            return iter([text_of(id) for (id,) in view.rows("SELECT id FROM documents ORDER BY slot")])

    def __len__(self) -> int:
        return self._contents.count()
