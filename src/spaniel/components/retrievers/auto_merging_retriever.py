"""Hits merged into their parents."""

from functools import partial

from spaniel.components.retrievers.arguments import checked_min_score, checked_number, checked_store
from spaniel.components.retrievers.over_store import OverStore
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.document_stores.types import SyncDocumentStore
from spaniel.strategies import MERGED_SCORES, Strategy, drive, drive_async, merge_up


@component
class AutoMergingRetriever(OverStore):
    """Returns a parent in place of its matched children, where more than a share of them matched; level by level.

    Put it after a retriever over the leaves of a hierarchy (`HierarchicalDocumentSplitter`, `SectionSplitter`). The store
    is asked once a level.

    :param document_store: where the parents are.
    :param threshold: the share of its children, between 0 and 1, that must be exceeded.
    :param score: a parent's score: ``max``, ``mean`` or ``sum`` of its merged children's, or None.
    :param raise_on_missing_parent: whether a hit whose parent is not stored is an error; else the hit stays.
    :param min_score: what a returned document must score.
    :raises ValueError: the threshold is not between 0 and 1, `min_score` is no number, or the way to score is unknown.
    :raises WrongStoreError: the store can't filter documents.

    >>> from spaniel.components.preprocessors import HierarchicalDocumentSplitter
    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> text = "The sun rose early in the morning. It cast a warm glow over the trees. Birds began to sing."
    >>> splitter = HierarchicalDocumentSplitter(block_sizes=[10, 3], split_overlap=0, split_by="word")
    >>> docs = splitter.run([Document(content=text)])["documents"]
    >>> store = InMemoryDocumentStore()
    >>> store.write_documents([doc for doc in docs if doc.meta["__level"] == 1])
    2
    >>> leaves = [doc for doc in docs if not doc.meta["__children_ids"]]
    >>> merged = AutoMergingRetriever(store, threshold=0.5).run(leaves[4:6])
    >>> [doc.content for doc in merged["documents"]]
    ['warm glow over the trees. Birds began to sing.']
    """

    def __init__(
        self,
        document_store: SyncDocumentStore,
        threshold: float = 0.5,
        *,
        score: str | None = "max",
        raise_on_missing_parent: bool = True,
        min_score: float | None = None,
    ) -> None:
        if not 0 < checked_number("threshold", threshold) < 1:
            raise ValueError(f"The threshold parameter must be between 0 and 1. It is {threshold}.")
        if score not in MERGED_SCORES:
            raise ValueError(f"score is {score!r}, but must be one of {list(MERGED_SCORES)}.")
        self.document_store = checked_store(document_store)
        self.threshold = threshold
        self.score = score
        self.raise_on_missing_parent = raise_on_missing_parent
        self.min_score = checked_min_score(min_score)

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Return the hits, merged, under ``documents``: best first if all have a score.

        :param documents: hits with the metadata of a hierarchy.
        :raises ValueError: a hit lacks that metadata, or its parent is not in the store.
        """
        return {"documents": drive(self._merge(documents), self.document_store, _NAME)}

    @component.output_types(documents=list[Document])
    async def run_async(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Return what `run` returns."""
        return {"documents": await drive_async(self._merge(documents), self.document_store, _NAME)}

    def _merge(self, documents: list[Document]) -> Strategy[list[Document]]:
        return partial(
            merge_up,
            documents,
            threshold=self.threshold,
            score=self.score,
            raise_on_missing_parent=self.raise_on_missing_parent,
            min_score=self.min_score,
        )


_NAME = AutoMergingRetriever.__name__
