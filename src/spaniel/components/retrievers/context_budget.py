"""The most score within a token budget."""

from collections.abc import Mapping
from functools import partial
from typing import TypedDict, get_args

from spaniel.components.retrievers.base import (
    StoreRetriever,
    TokenizerParameter,
    make_token_counter,
    to_field_names,
    validate_min_score,
    validate_tokenizer,
)
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.document_stores.types import SyncDocumentStore
from spaniel.document_stores.validation import validate_choice, validate_count, validate_number
from spaniel.runtime import Program, async_method, sync_method
from spaniel.strategies import context_budget, run_stage
from spaniel.strategies.budgeting.context_budget import BudgetOrder, UtilityMeasure
from spaniel.strategies.budgeting.units import KIND_UTILITIES, UnitKind


class BudgetedContext(TypedDict):
    """The chosen documents, and the number of their tokens."""

    documents: list[Document]
    tokens: int


@component
class ContextBudget(TokenizerParameter, StoreRetriever):
    """Returns the context with the highest total score that fits a token budget.

    Put it last, after a search, a merge or links. Each hit becomes the hit itself, a window around
    it, its section or its whole document, or is dropped. The maximised value is the sum of the
    hits' scores, each times the `worth` of its kind (`spaniel.strategies.budgeting` has the
    formula). No text is returned twice. A run makes at most two store requests.

    :param document_store: the store with leaves, sections and documents.
    :param budget: the maximum number of tokens in all documents together.
    :param tokenizer: the name of an encoding such as ``o200k_base``, a callable, or a tokenizer.
        Default: estimates tokens as a quarter of the UTF-8 bytes.
    :param worth: the factor of a score by kind: ``leaf`` (the hit itself), ``window``, ``section``,
        ``document``. Kinds that are not named are not considered. Default: 1, 1.2, 1.4 and 1.5.
    :param window_size: the number of leaves before and after a hit in its window.
    :param bounded_by: a metadata field, or several; a window ends where one of them changes.
    :param overhead: the tokens that a document costs besides its text, such as for a heading.
    :param order: ``score``: best hit first. ``text``: best document first, each in text order.
    :param min_score: the minimum score of a hit.
    :param utility: of a hit: its ``score``, or ``rank``: 1 / rank, which falls faster.
    :raises ValueError: a parameter is out of range, or a name is unknown.
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

    document_store: SyncDocumentStore

    def __init__(
        self,
        document_store: SyncDocumentStore,
        budget: int,
        *,
        tokenizer: object = None,
        worth: Mapping[UnitKind, float] | None = None,
        window_size: int = 1,
        bounded_by: str | list[str] | None = None,
        overhead: int = 0,
        order: BudgetOrder = "score",
        min_score: float | None = None,
        utility: UtilityMeasure = "score",
    ) -> None:
        self.document_store = self._accept_store(document_store)
        self.budget = validate_count("budget", budget)
        self.tokenizer = validate_tokenizer(tokenizer)
        self.worth = None if worth is None else _validate_worth(worth)
        self.window_size = validate_count("window_size", window_size)
        self.bounded_by = copy_value(bounded_by)
        self.overhead = validate_count("overhead", overhead)
        self.order = validate_choice("order", order, get_args(BudgetOrder))
        self.min_score = validate_min_score(min_score)
        self.utility = validate_choice("utility", utility, get_args(UtilityMeasure))

    @component.output_types(documents=list[Document], tokens=int)
    @sync_method
    def run(self, documents: list[Document], budget: int | None = None) -> Program[BudgetedContext]:
        """Return the chosen ``documents``, and the number of their ``tokens``.

        :param documents: hits, best first.
        :param budget: overrides the constructor's.
        :raises ValueError: the budget is negative.
        """
        choice = partial(
            context_budget,
            documents,
            budget=self.budget if budget is None else validate_count("budget", budget),
            length=make_token_counter(self.tokenizer),
            worth=self.worth,
            window_size=self.window_size,
            bounded_by=to_field_names(self.bounded_by),
            overhead=self.overhead,
            order=self.order,
            min_score=self.min_score,
            utility=self.utility,
        )
        chosen, tokens = yield from run_stage(choice, self.document_store, type(self).__name__)
        return BudgetedContext(documents=chosen, tokens=tokens)

    run_async = async_method(run)


def _validate_worth(worth: Mapping[UnitKind, float]) -> dict[UnitKind, float]:
    if not isinstance(worth, Mapping) or not worth or not set(worth) <= set(KIND_UTILITIES):
        raise ValueError(f"worth must map kinds among {list(KIND_UTILITIES)} to numbers, got {worth!r}.")
    for kind, number in worth.items():
        if validate_number(f"worth[{kind!r}]", number) <= 0:
            raise ValueError(f"worth[{kind!r}] must be greater than 0, got {number}.")
    return dict(worth)
