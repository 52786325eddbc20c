"""Base class of evaluators: the comparison of documents, and the mean over queries."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import TypedDict

from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import Document
from spaniel.filters.equality import plain

Documents = Sequence[Document]


class Evaluation(TypedDict):
    """The output of an evaluator."""

    score: float
    individual_scores: list[float]


class DocumentEvaluator(Serializable, ABC):
    """Base of evaluators that compare retrieved documents with the relevant ones."""

    def __init__(self, document_comparison_field: str = "content") -> None:
        self.document_comparison_field = document_comparison_field

    @component.output_types(score=float, individual_scores=list[float])
    def run(
        self, ground_truth_documents: list[list[Document]], retrieved_documents: list[list[Document]]
    ) -> Evaluation:
        """Return the scores of the queries under ``individual_scores``, their mean under ``score``.

        :param ground_truth_documents: the relevant documents of each query.
        :param retrieved_documents: the retrieved documents of each query, best first.
        :raises ValueError: there are no queries, the lists differ in length, or the comparison
            field is unknown.
        """
        self._validate(ground_truth_documents, retrieved_documents)
        scores = [self._measure(*query) for query in zip(ground_truth_documents, retrieved_documents, strict=True)]
        return {"score": sum(scores) / len(scores), "individual_scores": scores}

    @abstractmethod
    def _measure(self, relevant: Documents, retrieved: Documents) -> float:
        """Return the score of a query."""

    def _validate(self, relevant: Sequence[Documents], retrieved: Sequence[Documents]) -> None:
        field = self.document_comparison_field
        if field not in ("content", "id") and not field.startswith("meta."):
            raise ValueError(
                f"Unsupported document_comparison_field: '{field}'. It must be 'content', 'id' or 'meta.<key>'."
            )
        validate_lengths(relevant, retrieved)

    def _values(self, documents: Documents) -> list[Hashable]:
        field = self.document_comparison_field
        if field in ("content", "id"):
            return [getattr(document, field) for document in documents]
        keys = field.split(".")[1:]
        return [_to_hashable(plain(_get_nested(document.meta, keys))) for document in documents]


def validate_lengths(relevant: Sequence[Documents], retrieved: Sequence[Documents]) -> None:
    """Check that every query has relevant and retrieved documents."""
    if not relevant or not retrieved:
        raise ValueError("ground_truth_documents and retrieved_documents must be provided: one list per query each.")
    if len(relevant) != len(retrieved):
        raise ValueError(
            "The length of ground_truth_documents and retrieved_documents must be the same. "
            f"They are {len(relevant)} and {len(retrieved)}."
        )


def _get_nested(value: object, keys: Sequence[str]) -> object:
    for key in keys:
        if not isinstance(value, dict) or key not in value:
            return None
        value = value[key]
    return value


def _to_hashable(value: object) -> Hashable:
    if isinstance(value, dict):
        return dict, frozenset((key, _to_hashable(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return type(value), tuple(_to_hashable(item) for item in value)
    return frozenset(value) if isinstance(value, set) else value
