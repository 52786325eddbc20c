"""The best contiguous segments of documents."""

from functools import partial

from spaniel.components.retrievers.base import (
    StoreRetriever,
    TokenizerParameter,
    make_token_counter,
    validate_min_score,
    validate_optional_count,
    validate_tokenizer,
)
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.document_stores.types import SyncDocumentStore
from spaniel.document_stores.validation import validate_number
from spaniel.runtime import Program, async_method, sync_method
from spaniel.strategies import best_segments


@component
class BestSegments(TokenizerParameter, StoreRetriever):
    """Returns the contiguous segments of text in which hits are dense, best first.

    Put it after a search with many hits. The value of a leaf is its score relative to the best hit,
    minus `penalty`; the value of a segment is the sum of its leaves (`spaniel.strategies.segments`
    has the formula). Leaves between two good hits are therefore included, and a long run without a
    hit is not. A run makes a single store request.

    :param document_store: the store with the leaves.
    :param penalty: the cost of each leaf; higher values give shorter segments.
    :param max_segments: the maximum number of segments; None: all with a positive value.
    :param per_document: the maximum number of segments per document.
    :param max_length: the maximum number of tokens per segment.
    :param budget: the maximum number of tokens in all segments together.
    :param tokenizer: the name of an encoding such as ``o200k_base``, a callable, or a tokenizer.
        Default: estimates tokens as a quarter of the UTF-8 bytes.
    :param min_score: the minimum score of a hit.
    :raises ValueError: a parameter is out of range.
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

    document_store: SyncDocumentStore

    def __init__(
        self,
        document_store: SyncDocumentStore,
        *,
        penalty: float = 0.2,
        max_segments: int | None = None,
        per_document: int | None = None,
        max_length: int | None = None,
        budget: int | None = None,
        tokenizer: object = None,
        min_score: float | None = None,
    ) -> None:
        if not 0 <= validate_number("penalty", penalty) < 1:
            raise ValueError(f"penalty must be at least 0 and less than 1, got {penalty}.")
        self.document_store = self._accept_store(document_store)
        self.penalty = penalty
        self.max_segments = validate_optional_count("max_segments", max_segments)
        self.per_document = validate_optional_count("per_document", per_document)
        self.max_length = validate_optional_count("max_length", max_length)
        self.budget = validate_optional_count("budget", budget)
        self.tokenizer = validate_tokenizer(tokenizer)
        self.min_score = validate_min_score(min_score)

    @component.output_types(documents=list[Document])
    @sync_method
    def run(self, documents: list[Document], budget: int | None = None) -> Program[dict[str, list[Document]]]:
        """Return the segments under ``documents``, best first; their metadata has ``window_hits``.

        :param documents: hits with the metadata of a hierarchy.
        :param budget: overrides the constructor's.
        :raises ValueError: the budget is negative.
        """
        segments = partial(
            best_segments,
            documents,
            penalty=self.penalty,
            max_segments=self.max_segments,
            per_document=self.per_document,
            max_length=self.max_length,
            budget=self.budget if budget is None else validate_optional_count("budget", budget),
            length=make_token_counter(self.tokenizer),
            min_score=self.min_score,
        )
        return (yield from self._run_stage(segments))

    run_async = async_method(run)
