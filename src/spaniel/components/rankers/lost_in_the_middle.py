"""The best documents at both ends."""

from collections.abc import Sequence

from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import Document
from spaniel.strategies.scores import deduplicate
from spaniel.tracing import note


@component
class LostInTheMiddleRanker(Serializable):
    """Returns ranked documents so that the best stand at the beginning and the end, the worst in the middle.

    Language models read the ends of a long prompt best. Put it last before the prompt.

    :param word_count_threshold: stop with the document that brings the number of words to this; None means no limit.
    :param top_k: how many documents at most; None means all.
    :raises ValueError: one of them is not greater than 0.

    Source: N. F. Liu and others, *Lost in the Middle: How Language Models Use Long Contexts*, 2023 (arXiv:2307.03172).

    >>> ranked = [Document(content=place) for place in ("1st", "2nd", "3rd", "4th", "5th")]
    >>> [document.content for document in LostInTheMiddleRanker().run(ranked)["documents"]]
    ['1st', '3rd', '5th', '4th', '2nd']
    """

    def __init__(self, word_count_threshold: int | None = None, top_k: int | None = None) -> None:
        _check(top_k, word_count_threshold)
        self.word_count_threshold = word_count_threshold
        self.top_k = top_k

    @component.output_types(documents=list[Document])
    def run(
        self, documents: list[Document], top_k: int | None = None, word_count_threshold: int | None = None
    ) -> dict[str, list[Document]]:
        """Return the reordered documents under ``documents``, each once (the copy with the highest score).

        :param documents: best first.
        :param top_k: instead of the constructor's.
        :param word_count_threshold: instead of the constructor's.
        :raises ValueError: a limit is not greater than 0, or a document has no text.
        """
        _check(top_k, word_count_threshold)
        if without := [document.id for document in documents if document.content is None]:
            raise ValueError(
                f"Some provided documents are not textual: {without[:3]}. LostInTheMiddleRanker needs their content."
            )
        best = deduplicate(documents)[: top_k or self.top_k]
        kept = _up_to_words(best, word_count_threshold or self.word_count_threshold)
        reordered = kept[::2] + kept[1::2][::-1]
        note(type(self).__name__, [documents], reordered, top_k=top_k or self.top_k)
        return {"documents": reordered}


def _check(top_k: int | None, word_count_threshold: int | None) -> None:
    if word_count_threshold is not None and word_count_threshold <= 0:
        raise ValueError(f"Invalid value for word_count_threshold: {word_count_threshold}. It must be > 0.")
    if top_k is not None and top_k <= 0:
        raise ValueError(f"top_k must be > 0, but got {top_k}")


def _up_to_words(documents: Sequence[Document], limit: int | None) -> list[Document]:
    """Return the first documents; the one that reaches the limit is the last."""
    kept, words = [], 0
    for document in documents:
        kept.append(document)
        words += len((document.content or "").split())
        if limit is not None and words >= limit:
            break
    return kept
