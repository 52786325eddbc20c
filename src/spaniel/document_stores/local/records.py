"""JSON values by key, beside the documents."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING, Any

from spaniel.document_stores.local.json_text import from_json
from spaniel.document_stores.local.rows import stored_text, text_of

if TYPE_CHECKING:
    from spaniel.document_stores.local.contents import LocalContents


class Records(MutableMapping[str, Any]):
    """A mapping of text to JSON values, in the order of the keys. A change is safe when it returns, or with its transaction.

    :param contents: of the store.
    """

    def __init__(self, contents: LocalContents) -> None:
        self._contents = contents

    def __getitem__(self, key: str) -> Any:
        with self._contents.reading() as view:
            for (value,) in view.rows("SELECT value FROM records WHERE key = ?", (stored_text(key),)):
                return from_json(value)
        raise KeyError(key)

    def __setitem__(self, key: str, value: Any) -> None:
        with self._contents.transaction() as transaction:
            transaction.set_record(key, value)

    def __delitem__(self, key: str) -> None:
        with self._contents.transaction() as transaction:
            if not transaction.delete_record(key):
                raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        with self._contents.reading() as view:
            keys = [text_of(key) for (key,) in view.rows("SELECT key FROM records ORDER BY key")]
        return iter(keys)

    def __len__(self) -> int:
        with self._contents.reading() as view:
            ((count,),) = view.rows("SELECT count(*) FROM records")
        return int(count)
