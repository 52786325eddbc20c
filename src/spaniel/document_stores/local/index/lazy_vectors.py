"""The vector index of a local store: read from the database when first used, then updated."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from spaniel._engine import VectorIndex
from spaniel.document_stores.embedded.vectors import as_vector
from spaniel.document_stores.local.database.rows import decode_vector
from spaniel.document_stores.local.index.changes import Change, Clear, Remove, UpdateMeta

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from spaniel.document_stores.embedded.store_state import NumberedDocuments
    from spaniel.document_stores.local.database.read_snapshot import ReadSnapshot

_CHUNK = 2000
_VECTORS = """
SELECT slot, embedding, embedding_type FROM attachments JOIN nodes USING (slot)
WHERE searched AND embedding IS NOT NULL ORDER BY slot
"""


class LazyVectors:
    """The embeddings of the searched documents; `index` is None until they are read."""

    def __init__(self) -> None:
        self.index: VectorIndex | None = None
        self._approximate = False

    def prepare_approximate_search(self) -> None:
        """Prepare current and future vectors for approximate search."""
        self._approximate = True
        if self.index is not None:
            self.index.code()

    def read(self, snapshot: ReadSnapshot) -> VectorIndex:
        """Return the index; read the embeddings of a snapshot if it is missing."""
        if self.index is None:
            index = self._make_index()
            rows = snapshot.rows(_VECTORS)
            while chunk := list(islice(rows, _CHUNK)):
                vectors = [decode_vector(stored, kind) for _, stored, kind in chunk]
                index.apply([], index.prepare([slot for slot, _, _ in chunk], vectors))
            self.index = index
        return self.index

    def prepare(self, documents: NumberedDocuments) -> list[tuple[int, NDArray[np.float64]]] | None:
        """Return the embeddings of new documents for an `Add`; None if there is no index."""
        if self.index is None:
            return None
        return [
            (slot, as_vector(document.embedding, f"document '{document.id}'"))
            for slot, document in documents
            if document.embedding is not None
        ]

    def apply(self, change: Change) -> None:
        """Apply a change."""
        if self.index is None or isinstance(change, UpdateMeta):
            return
        if isinstance(change, Clear):
            self.index = self._make_index()
        elif isinstance(change, Remove):
            self.index.apply(change.slots, self.index.prepare([], []))
        elif change.vectors is None:
            self.index = None
        else:
            slots, vectors = [slot for slot, _ in change.vectors], [vector for _, vector in change.vectors]
            self.index.apply([], self.index.prepare(slots, vectors))

    def _make_index(self) -> VectorIndex:
        index = VectorIndex()
        if self._approximate:
            index.code()
        return index
