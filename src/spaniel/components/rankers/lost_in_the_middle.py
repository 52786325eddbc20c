"""Rankings with the best documents at both ends."""

from collections.abc import Sequence

from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import Document
from spaniel.strategies.scores import deduplicate
from spaniel.tracing import note


@component
class LostInTheMiddleRanker(Serializable):
    """Puts the best documents at the beginning and the end, the worst in the middle.

    Language models make the best use of the ends of a long prompt. Use it as the last component
    before the prompt.

    :param word_count_threshold: stop with the document that reaches this number of words; None sets
        no limit.
    :param top_k: the maximum number of documents; None returns all.
    :raises ValueError: a limit is not greater than 0.

    Source: N. F. Liu and others, *Lost in the Middle: How Language Models Use Long Contexts*, 2023
    (arXiv:2307.03172).

    >>> ranked = [Document(content=place) for place in ("1st", "2nd", "3rd", "4th", "5th")]
    >>> [document.content for document in LostInTheMiddleRanker().run(ranked)["documents"]]
    ['1st', '3rd', '5th', '4th', '2nd']
    """

    def __init__(self, word_count_threshold: int | None = None, top_k: int | None = None) -> None:
        _validate_limits(top_k, word_count_threshold)
        self.word_count_threshold = word_count_threshold
        self.top_k = top_k

    @component.output_types(documents=list[Document])
    def run(
        self, documents: list[Document], top_k: int | None = None, word_count_threshold: int | None = None
    ) -> dict[str, list[Document]]:
        """Return the reordered documents, without duplicates, under ``documents``.

        :param documents: the documents, best first; of duplicates the copy with the highest score
            is kept.
        :param top_k: overrides the constructor's.
        :param word_count_threshold: overrides the constructor's.
        :raises ValueError: a limit is not greater than 0, or a document has no text.
        """
        _validate_limits(top_k, word_count_threshold)
        if without := [document.id for document in documents if document.content is None]:
            raise ValueError(
                f"Some provided documents are not textual: {without[:3]}. LostInTheMiddleRanker needs their content."
            )
        top_k = top_k or self.top_k
        best = deduplicate(documents)[:top_k]
        kept = _take_words(best, word_count_threshold or self.word_count_threshold)
        reordered = kept[::2] + kept[1::2][::-1]
        note(type(self).__name__, [documents], reordered, top_k=top_k)
        return {"documents": reordered}


def _validate_limits(top_k: int | None, word_count_threshold: int | None) -> None:
    if word_count_threshold is not None and word_count_threshold <= 0:
        raise ValueError(f"Invalid value for word_count_threshold: {word_count_threshold}. It must be > 0.")
    if top_k is not None and top_k <= 0:
        raise ValueError(f"top_k must be > 0, but got {top_k}")


def _take_words(documents: Sequence[Document], limit: int | None) -> list[Document]:
    kept, words = [], 0
    for document in documents:
        kept.append(document)
        words += len((document.content or "").split())
        if limit is not None and words >= limit:
            break
    return kept
