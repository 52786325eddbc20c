"""Hits merged into their parents."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from spaniel.components.retrievers.base import (
    StoreRetriever,
    TokenizerParameter,
    token_counter,
    validate_choice,
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
from spaniel.strategies import MERGE_RULES, MERGE_SHARES, MERGED_SCORES, Strategy, merge_up, run_stage


@component
class AutoMergingRetriever(TokenizerParameter, StoreRetriever):
    """Returns a parent in place of its matched children, where more than a share of them matched; level by level.

    Put it after a retriever over the leaves of a hierarchy (`HierarchicalDocumentSplitter`, `SectionSplitter`). The store
    is asked once a level.

    :param document_store: where the parents are.
    :param threshold: the share of its children, between 0 and 1, that must be exceeded.
    :param score: a parent's score: ``max``, ``mean``, ``sum`` or ``top_k_mean`` of its merged children's, or None.
    :param score_k: how many of the best scores ``top_k_mean`` takes the mean of.
    :param rule: ``share``: the threshold decides. ``hichunk``: a parent takes over while `budget` has room for it, the
        more of it must be hit the more of the budget is used (`spaniel.strategies.merging.hichunk` has the formula).
    :param share: what the threshold is a share of: the ``children`` of a parent, or the characters of its ``text``.
    :param min_children: how many children must have matched at least.
    :param level_thresholds: thresholds of parents at some levels, in place of `threshold`; 0 is the root. A threshold of 1
        is never exceeded, so nothing merges into that level.
    :param budget: for ``hichunk``: how many tokens all results may have together.
    :param tokenizer: what counts tokens: a name of an encoding such as ``o200k_base``, a callable, or a tokenizer. Default: a
        quarter of the UTF-8 bytes.
    :param raise_on_missing_parent: whether a hit whose parent is not stored is an error; else the hit stays.
    :param min_score: what a returned document must score.
    :raises ValueError: a parameter is out of its range, or a name is unknown.
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
        score_k: int = 3,
        rule: str = "share",
        share: str = "children",
        min_children: int = 1,
        level_thresholds: Mapping[int, float] | None = None,
        budget: int | None = None,
        tokenizer: Any = None,
        raise_on_missing_parent: bool = True,
        min_score: float | None = None,
    ) -> None:
        if not 0 < validate_number("threshold", threshold) < 1:
            raise ValueError(f"The threshold parameter must be between 0 and 1. It is {threshold}.")
        if (rule == "hichunk") != (budget is not None):
            raise ValueError(
                f"rule 'hichunk' needs a budget, and no other rule has one; rule is {rule!r}, budget {budget}."
            )
        self.document_store = validate_store(document_store)
        self.threshold = threshold
        self.score = validate_choice("score", score, MERGED_SCORES)
        self.score_k = validate_count("score_k", score_k, positive=True)
        self.rule = validate_choice("rule", rule, MERGE_RULES)
        self.share = validate_choice("share", share, MERGE_SHARES)
        self.min_children = validate_count("min_children", min_children, positive=True)
        self.level_thresholds = _validate_levels(level_thresholds)
        self.budget = None if budget is None else validate_count("budget", budget, positive=True)
        self.tokenizer = validate_tokenizer(tokenizer)
        self.raise_on_missing_parent = raise_on_missing_parent
        self.min_score = validate_min_score(min_score)

    @component.output_types(documents=list[Document])
    @sync_method
    def run(self, documents: list[Document]) -> Program[dict[str, list[Document]]]:
        """Return the hits, merged, under ``documents``: best first if all have a score.

        :param documents: hits with the metadata of a hierarchy.
        :raises ValueError: a hit lacks that metadata, or its parent is not in the store.
        """
        merged = self._merge(documents)
        return {"documents": (yield from run_stage(merged, self.document_store, AutoMergingRetriever.__name__))}

    run_async = async_method(run)

    def _merge(self, documents: list[Document]) -> Strategy[list[Document]]:
        return partial(
            merge_up,
            documents,
            threshold=self.threshold,
            rule=self.rule,
            share=self.share,
            min_children=self.min_children,
            level_thresholds=self.level_thresholds,
            budget=self.budget,
            tokenizer=token_counter(self.tokenizer),
            score=self.score,
            score_k=self.score_k,
            raise_on_missing_parent=self.raise_on_missing_parent,
            min_score=self.min_score,
        )


def _validate_levels(thresholds: Mapping[int, float] | None) -> dict[int, float] | None:
    """Return the thresholds by level; JSON has levels as text."""
    if thresholds is None:
        return None
    if not isinstance(thresholds, Mapping) or not all(str(level).isdecimal() for level in thresholds):
        raise ValueError(f"level_thresholds must map levels, such as 0 for roots, to thresholds, not {thresholds!r}.")
    for level, threshold in thresholds.items():
        if not 0 <= validate_number(f"level_thresholds[{level}]", threshold) <= 1:
            raise ValueError(f"level_thresholds[{level}] must be from 0 to 1. It is {threshold}.")
    return {int(level): threshold for level, threshold in thresholds.items()}
