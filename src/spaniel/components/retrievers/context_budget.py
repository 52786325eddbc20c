"""The most score within a budget of tokens."""

from collections.abc import Mapping
from functools import partial
from typing import Any, TypedDict

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
from spaniel.dataclasses.copying import copy_value
from spaniel.document_stores.types import SyncDocumentStore
from spaniel.runtime import Program, async_method, sync_method
from spaniel.strategies import BUDGET_ORDERS, KIND_UTILITIES, Strategy, context_budget, run_stage


class Context(TypedDict):
    """The chosen documents, and how many tokens they take."""

    documents: list[Document]
    tokens: int


@component
class ContextBudget(TokenizerParameter, StoreRetriever):
    """Returns the context that brings the most score within a budget of tokens.

    Put it last, after a search, a merge or links. For each hit it chooses the hit itself, a window around it, its section, or
    its whole document, or drops it. What it maximises is the sum of the hits' scores, each times the `worth` of the kind it
    comes in (`spaniel.strategies.budgeting.context_budget` has the formula). No text comes twice. The store is asked twice at most.

    :param document_store: where leaves, sections and documents are.
    :param budget: how many tokens the documents may have together.
    :param tokenizer: what counts tokens: a name of an encoding such as ``o200k_base``, a callable, or a tokenizer. Default: a
        quarter of the UTF-8 bytes.
    :param worth: what a score counts by kind: ``leaf`` (the hit itself), ``window``, ``section``, ``document``. A kind that
        is not named is not considered. Default: 1, 1.2, 1.4 and 1.5.
    :param window_size: how many leaves a window has before and after a hit.
    :param bounded_by: a metadata field, or several; a window ends where one of them changes.
    :param overhead: how many tokens a document costs besides its text, such as for its heading in a prompt.
    :param order: ``score``: the best hit first. ``text``: documents in the order of their best hits, each in text order.
    :param min_score: what a hit must score to be considered.
    :raises ValueError: a parameter is out of its range, or a name is unknown.
    :raises WrongStoreError: the store can't filter documents.

    >>> from spaniel.components.preprocessors import HierarchicalDocumentSplitter
    >>> from spaniel.document_stores.in_memory import InMemoryDocumentStore
    >>> text = "The sun rose early in the morning. It cast a warm glow over the trees. Birds began to sing."
    >>> splitter = HierarchicalDocumentSplitter(block_sizes=[10, 3], split_overlap=0, split_by="word")
    >>> docs = splitter.run([Document(content=text)])["documents"]
    >>> store = InMemoryDocumentStore()
    >>> store.write_documents(docs)
    10
    >>> hit = docs[-2].independent_copy(score=1.0)
    >>> for budget in (3, 9, 19):
    ...     found = ContextBudget(store, budget, tokenizer=str.split).run([hit])
    ...     print(found["tokens"], [doc.content for doc in found["documents"]])
    3 ['the trees. Birds ']
    9 ['warm glow over the trees. Birds began to sing.']
    19 ['The sun rose early in the morning. It cast a warm glow over the trees. Birds began to sing.']
    """

    def __init__(
        self,
        document_store: SyncDocumentStore,
        budget: int,
        *,
        tokenizer: Any = None,
        worth: Mapping[str, float] | None = None,
        window_size: int = 1,
        bounded_by: str | list[str] | None = None,
        overhead: int = 0,
        order: str = "score",
        min_score: float | None = None,
    ) -> None:
        self.document_store = validate_store(document_store)
        self.budget = validate_count("budget", budget)
        self.tokenizer = validate_tokenizer(tokenizer)
        self.worth = None if worth is None else _validate_worth(worth)
        self.window_size = validate_count("window_size", window_size)
        self.bounded_by = copy_value(bounded_by)
        self.overhead = validate_count("overhead", overhead)
        self.order = validate_choice("order", order, BUDGET_ORDERS)
        self.min_score = validate_min_score(min_score)

    @component.output_types(documents=list[Document], tokens=int)
    @sync_method
    def run(self, documents: list[Document], budget: int | None = None) -> Program[Context]:
        """Return the chosen ``documents``, and how many ``tokens`` they take.

        :param documents: hits, best first.
        :param budget: instead of the constructor's.
        :raises ValueError: the budget is negative.
        """
        choice = self._choose(documents, budget)
        chosen, tokens = yield from run_stage(choice, self.document_store, ContextBudget.__name__)
        return Context(documents=chosen, tokens=tokens)

    run_async = async_method(run)

    def _choose(self, documents: list[Document], budget: int | None) -> Strategy[tuple[list[Document], int]]:
        fields = self.bounded_by or ()
        return partial(
            context_budget,
            documents,
            budget=self.budget if budget is None else validate_count("budget", budget),
            length=token_counter(self.tokenizer),
            worth=self.worth,
            window_size=self.window_size,
            bounded_by=(fields,) if isinstance(fields, str) else tuple(fields),
            overhead=self.overhead,
            order=self.order,
            min_score=self.min_score,
        )


def _validate_worth(worth: Mapping[str, float]) -> dict[str, float]:
    if not isinstance(worth, Mapping) or not worth or not set(worth) <= set(KIND_UTILITIES):
        raise ValueError(f"worth must map kinds among {list(KIND_UTILITIES)} to numbers, not {worth!r}.")
    for kind, number in worth.items():
        if validate_number(f"worth[{kind!r}]", number) <= 0:
            raise ValueError(f"worth[{kind!r}] must be greater than 0. It is {number}.")
    return dict(worth)
