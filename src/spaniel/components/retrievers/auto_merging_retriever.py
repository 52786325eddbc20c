"""Hits replaced by their parents."""

from collections.abc import Mapping
from functools import partial
from typing import get_args

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
from spaniel.document_stores.validation import validate_choice, validate_count, validate_number
from spaniel.runtime import Program, async_method, sync_method
from spaniel.strategies.merging.merge_up import MergeRule, merge_up
from spaniel.strategies.merging.outcomes import ParentScore
from spaniel.strategies.merging.share import ShareMeasure


@component
class AutoMergingRetriever(TokenizerParameter, StoreRetriever):
    """Replaces matched leaves by their parent where enough of its children matched, level by level.

    Put it after a retriever over the leaves of a hierarchy (`HierarchicalDocumentSplitter`,
    `SectionSplitter`). A run makes a store request per level.

    :param document_store: the store with the parents.
    :param threshold: the share of a parent's children, between 0 and 1, that must be exceeded.
    :param score: of a parent: None, or ``max``, ``mean``, ``sum``, ``top_k_mean`` of its children.
    :param score_k: the number of best scores that ``top_k_mean`` averages.
    :param rule: ``share``: the threshold decides. ``hichunk``: parents are merged while `budget`
        has room for them, and the share that must match grows with the budget used
        (`spaniel.strategies.merging.hichunk` has the formula).
    :param share: measured in ``children`` of a parent, or in characters of its ``text``.
    :param min_children: the minimum number of matched children.
    :param level_thresholds: thresholds for parents at some levels, in place of `threshold`; the
        root is level 0. A threshold of 1 is never exceeded, so nothing merges into that level.
    :param budget: for ``hichunk``: the maximum number of tokens in all results together.
    :param tokenizer: the name of an encoding such as ``o200k_base``, a callable, or a tokenizer.
        Default: estimates tokens as a quarter of the UTF-8 bytes.
    :param raise_on_missing_parent: raise an error if a parent is not stored; else keep the hit.
    :param min_score: the minimum score of a returned document.
    :raises ValueError: a parameter is out of range, or a name is unknown.
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

    document_store: SyncDocumentStore

    def __init__(
        self,
        document_store: SyncDocumentStore,
        threshold: float = 0.5,
        *,
        score: ParentScore | None = "max",
        score_k: int = 3,
        rule: MergeRule = "share",
        share: ShareMeasure = "children",
        min_children: int = 1,
        level_thresholds: Mapping[int, float] | None = None,
        budget: int | None = None,
        tokenizer: object = None,
        raise_on_missing_parent: bool = True,
        min_score: float | None = None,
    ) -> None:
        if (rule == "hichunk") != (budget is not None):
            raise ValueError(
                f"budget must be given for rule 'hichunk' and for no other, got rule {rule!r}, budget {budget}."
            )
        self.document_store = self._accept_store(document_store)
        self.threshold = validate_threshold(threshold)
        self.score = validate_choice("score", score, (*get_args(ParentScore), None))
        self.score_k = validate_count("score_k", score_k, positive=True)
        self.rule = validate_choice("rule", rule, get_args(MergeRule))
        self.share = validate_choice("share", share, get_args(ShareMeasure))
        self.min_children = validate_count("min_children", min_children, positive=True)
        self.level_thresholds = _validate_levels(level_thresholds)
        self.budget = validate_optional_count("budget", budget, positive=True)
        self.tokenizer = validate_tokenizer(tokenizer)
        self.raise_on_missing_parent = raise_on_missing_parent
        self.min_score = validate_min_score(min_score)

    @component.output_types(documents=list[Document])
    @sync_method
    def run(self, documents: list[Document]) -> Program[dict[str, list[Document]]]:
        """Return the merged hits under ``documents``: best first if all have a score.

        :param documents: hits with the metadata of a hierarchy.
        :raises ValueError: a hit lacks that metadata, or its parent is not in the store.
        """
        merge = partial(
            merge_up,
            documents,
            threshold=self.threshold,
            rule=self.rule,
            share=self.share,
            min_children=self.min_children,
            level_thresholds=self.level_thresholds,
            budget=self.budget,
            length=make_token_counter(self.tokenizer),
            score=self.score,
            score_k=self.score_k,
            raise_on_missing_parent=self.raise_on_missing_parent,
            min_score=self.min_score,
        )
        return (yield from self._run_stage(merge))

    run_async = async_method(run)


def validate_threshold(threshold: float) -> float:
    """Return a threshold between 0 and 1, both exclusive."""
    if not 0 < validate_number("threshold", threshold) < 1:
        raise ValueError(f"The threshold parameter must be between 0 and 1, got {threshold}.")
    return threshold


def _validate_levels(thresholds: Mapping[int, float] | None) -> dict[int, float] | None:
    """Return the thresholds by level; JSON has levels as text."""
    if thresholds is None:
        return None
    if not isinstance(thresholds, Mapping) or not all(str(level).isdecimal() for level in thresholds):
        raise ValueError(f"level_thresholds must map levels, such as 0 for roots, to thresholds, got {thresholds!r}.")
    for level, threshold in thresholds.items():
        if not 0 <= validate_number(f"level_thresholds[{level}]", threshold) <= 1:
            raise ValueError(f"level_thresholds[{level}] must be from 0 to 1, got {threshold}.")
    return {int(level): threshold for level, threshold in thresholds.items()}
