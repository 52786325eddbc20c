"""The best contiguous stretches of documents."""

from functools import partial
from typing import Any

from spaniel.components.retrievers.base import (
    StoreRetriever,
    TokenizerParameter,
    token_counter,
    validate_count,
    validate_min_score,
    validate_number,
    validate_store,
    validate_tokenizer,
)
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.document_stores.types import SyncDocumentStore
from spaniel.runtime import Program, async_method, sync_method
from spaniel.strategies import Strategy, best_segments, run_stage


@component
class BestSegments(TokenizerParameter, StoreRetriever):
    """Returns the stretches of text in which hits stand close together, best first.

    Put it after a search with many hits. A leaf is worth its score as a part of the best one's, less the `penalty`; a
    segment the sum of its leaves (`spaniel.strategies.segments.best` has the formula). So leaves between two good hits come
    along, and a long run without a hit does not. The store is asked once.

    :param document_store: where the leaves are.
    :param penalty: what each leaf costs, as a part of the best score: the higher, the shorter the segments.
    :param max_segments: how many segments at most; None: all that are worth more than 0.
    :param per_document: how many segments of one document at most.
    :param max_length: how many tokens a segment may have.
    :param budget: how many tokens all segments may have together.
    :param tokenizer: what counts tokens: a name of an encoding such as ``o200k_base``, a callable, or a tokenizer. Default: a
        quarter of the UTF-8 bytes.
    :param min_score: what a hit must score to count.
    :raises ValueError: a parameter is out of its range.
    :raises WrongStoreError: the store can't filter documents.

    >>> from spaniel.components.preprocessors import HierarchicalDocumentSplitter
    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> splitter = HierarchicalDocumentSplitter(block_sizes=[6, 1], split_overlap=0, split_by="word")
    >>> docs = splitter.run([Document(content="one two three four five six seven eight nine")])["documents"]
    >>> store = InMemoryDocumentStore()
    >>> store.write_documents(docs)
    12
    >>> leaves = [doc for doc in docs if not doc.meta["__children_ids"]]
    >>> hits = [leaves[at].independent_copy(score=score) for at, score in [(1, 1.0), (3, 0.8), (8, 0.6)]]
    >>> [(doc.content, round(doc.score, 2)) for doc in BestSegments(store).run(hits)["documents"]]
    [('two three four ', 1.2), ('nine', 0.4)]
    """

    def __init__(
        self,
        document_store: SyncDocumentStore,
        *,
        penalty: float = 0.2,
        max_segments: int | None = None,
        per_document: int | None = None,
        max_length: int | None = None,
        budget: int | None = None,
        tokenizer: Any = None,
        min_score: float | None = None,
    ) -> None:
        if not 0 <= validate_number("penalty", penalty) < 1:
            raise ValueError(f"penalty must be at least 0 and less than 1. It is {penalty}.")
        self.document_store = validate_store(document_store)
        self.penalty = penalty
        self.max_segments = _bound("max_segments", max_segments)
        self.per_document = _bound("per_document", per_document)
        self.max_length = _bound("max_length", max_length)
        self.budget = _bound("budget", budget)
        self.tokenizer = validate_tokenizer(tokenizer)
        self.min_score = validate_min_score(min_score)

    @component.output_types(documents=list[Document])
    @sync_method
    def run(self, documents: list[Document], budget: int | None = None) -> Program[dict[str, list[Document]]]:
        """Return the segments under ``documents``, best first; each says in its metadata which ``window_hits`` it holds.

        :param documents: hits with the metadata of a hierarchy.
        :param budget: instead of the constructor's.
        :raises ValueError: the budget is negative.
        """
        segments = self._find(documents, budget)
        return {"documents": (yield from run_stage(segments, self.document_store, BestSegments.__name__))}

    run_async = async_method(run)

    def _find(self, documents: list[Document], budget: int | None) -> Strategy[list[Document]]:
        return partial(
            best_segments,
            documents,
            penalty=self.penalty,
            max_segments=self.max_segments,
            per_document=self.per_document,
            max_length=self.max_length,
            budget=self.budget if budget is None else validate_count("budget", budget),
            length=token_counter(self.tokenizer),
            min_score=self.min_score,
        )


def _bound(name: str, number: int | None) -> int | None:
    return None if number is None else validate_count(name, number)
