"""What is compared when documents are judged, and the loop over the questions."""

from collections.abc import Callable, Sequence
from typing import Any

from spaniel.core.serialization import Serializable
from spaniel.dataclasses import Document
from spaniel.filters.equality import plain

Measure = Callable[[Sequence[Document], Sequence[Document]], float]
"""The score of one question, from the right documents and the retrieved ones."""


class ComparesDocuments(Serializable):
    """An evaluator that takes two documents for the same if their content, their id or a metadata value is.

    :param document_comparison_field: ``content``, ``id``, or ``meta.`` and a key; dots lead into nested values.
    """

    def __init__(self, document_comparison_field: str = "content") -> None:
        self.document_comparison_field = document_comparison_field

    def _values(self, documents: Sequence[Document]) -> list[Any]:
        """Return what is compared, one hashable value a document, None where it has none."""
        field = self.document_comparison_field
        if field in ("content", "id"):
            return [getattr(document, field) for document in documents]
        keys = field.split(".")[1:]
        return [_hashable(plain(_nested(document.meta, keys))) for document in documents]

    def _evaluate(
        self, truths: Sequence[Sequence[Document]], retrieved: Sequence[Sequence[Document]], measure: Measure
    ) -> dict[str, Any]:
        field = self.document_comparison_field
        if field not in ("content", "id") and not field.startswith("meta."):
            raise ValueError(
                f"Unsupported document_comparison_field: '{field}'. It must be 'content', 'id' or 'meta.<key>'."
            )
        check_lengths(truths, retrieved)
        scores = [measure(*question) for question in zip(truths, retrieved, strict=True)]
        return {"score": sum(scores) / len(scores), "individual_scores": scores}


def check_lengths(truths: Sequence[Any], retrieved: Sequence[Any]) -> None:
    """Check that there is one list of right documents and one of retrieved ones a question.

    :raises ValueError: there is not.
    """
    if not truths or not retrieved:
        raise ValueError("ground_truth_documents and retrieved_documents must be provided: one list a question each.")
    if len(truths) != len(retrieved):
        raise ValueError(
            "The length of ground_truth_documents and retrieved_documents must be the same. "
            f"They are {len(truths)} and {len(retrieved)}."
        )


def _nested(value: Any, keys: Sequence[str]) -> Any:
    for key in keys:
        if not isinstance(value, dict) or key not in value:
            return None
        value = value[key]
    return value


def _hashable(value: Any) -> Any:
    """Return what stands for a value, so that equal values have equal stand-ins with a hash."""
    if isinstance(value, dict):
        return dict, frozenset((key, _hashable(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return type(value), tuple(_hashable(item) for item in value)
    return frozenset(value) if isinstance(value, set) else value
