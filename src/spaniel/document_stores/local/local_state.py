"""The documents of a folder and their indexes, as a single store reads and writes them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, MutableMapping
from contextlib import AbstractContextManager

from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.document_stores.embedded.indexing import IndexSettings
from spaniel.document_stores.local.database.json_text import from_json, to_json
from spaniel.document_stores.local.database.text import decode_text, encode_text
from spaniel.document_stores.local.index.lookups import add_lookup, has_lookup
from spaniel.document_stores.local.locking.folder_state import FolderState
from spaniel.document_stores.local.locking.queued_writer import QueuedWriter
from spaniel.document_stores.local.read_operations import ReadOperations
from spaniel.document_stores.local.transaction import Transaction
from spaniel.document_stores.types.policy import DuplicatePolicy
from spaniel.filters import Filter
from spaniel.filters.field import field_path
from spaniel.json_types import Json, Meta


class LocalState(ReadOperations):
    """The `WritableStoreState` of a store in a folder, shared by the stores of this process."""

    def __init__(self, folder_state: FolderState, timeout: float) -> None:
        super().__init__(folder_state, QueuedWriter(folder_state, timeout))
        self.timeout = timeout

    @property
    def indexing(self) -> IndexSettings:
        return self.folder_state.indexing

    def transaction(self, *, is_block: bool = False) -> AbstractContextManager[Transaction]:
        """Commit the block as a single change; a nested block is a part that rolls back by itself."""
        return self.folder_state.transaction(self.timeout, is_block=is_block)

    def write(
        self, documents: Iterable[Document], policy: DuplicatePolicy, progress: Callable[[int], None] | None = None
    ) -> tuple[int, list[str]]:
        """Return the number of written documents, and the ids that were skipped."""
        with self.transaction() as transaction:
            return transaction.write(documents, policy, progress)

    def delete(self, ids: Collection[str]) -> None:
        with self.transaction() as transaction:
            transaction.replace(list(transaction.snapshot.slots_of(dict.fromkeys(ids)).values()), [])

    def delete_matching(self, filter: Filter, *, strict_dates: bool) -> int:
        with self.transaction() as transaction:
            slots = self.find_matching_slots(filter, strict_dates=strict_dates).tolist()
            transaction.replace(slots, [])
        return len(slots)

    def update_matching(self, filter: Filter, meta: Mapping[str, Json], *, strict_dates: bool) -> int:
        update: Meta = dict(meta)
        to_json(update, "the update")  # raises before a document is read
        with self.transaction() as transaction:
            found = self.find_matching(filter, strict_dates=strict_dates)
            documents = [document for _, document in found]
            before = self.indexing.list_texts(documents)
            for document in documents:
                document.meta.update(copy_value(update))
            # A document whose searched text changes needs a new slot; then all move to the end.
            if before == self.indexing.list_texts(documents):
                transaction.update(found, update)
            else:
                transaction.replace([slot for slot, _ in found], documents)
        return len(found)

    def clear(self) -> None:
        with self.transaction() as transaction:
            transaction.clear()

    def add_lookup(self, key: str) -> None:
        """Create the look-up of a metadata key, unless it exists."""
        path = field_path(key)
        with self.reading() as snapshot:
            if has_lookup(snapshot, path):
                return
        with self.transaction() as transaction:
            add_lookup(transaction.snapshot, path)
            transaction.changed = True


class Records(MutableMapping[str, Json]):
    """JSON values by key, in the order of the keys; a change is durable when it returns."""

    def __init__(self, state: LocalState) -> None:
        self._state = state

    def __getitem__(self, key: str) -> Json:
        with self._state.reading() as snapshot:
            for (value,) in snapshot.rows("SELECT value FROM records WHERE key = ?", (encode_text(key),)):
                return from_json(value)
        raise KeyError(key)

    def __setitem__(self, key: str, value: Json) -> None:
        with self._state.transaction() as transaction:
            bindings = (encode_text(key), to_json(value, f"record '{key}'"))
            transaction.snapshot.connection.execute("INSERT OR REPLACE INTO records VALUES (?, ?)", bindings)
            transaction.changed = True

    def __delitem__(self, key: str) -> None:
        with self._state.transaction() as transaction:
            connection = transaction.snapshot.connection
            connection.execute("DELETE FROM records WHERE key = ?", (encode_text(key),))
            if not connection.changes():
                raise KeyError(key)
            transaction.changed = True

    def __iter__(self) -> Iterator[str]:
        with self._state.reading() as snapshot:
            return iter([decode_text(key) for (key,) in snapshot.rows("SELECT key FROM records ORDER BY key")])

    def __len__(self) -> int:
        with self._state.reading() as snapshot:
            ((count,),) = snapshot.rows("SELECT count(*) FROM records")
        return int(count)
