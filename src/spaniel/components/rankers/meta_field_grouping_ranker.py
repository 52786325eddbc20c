"""Documents ordered by groups."""

import logging

from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import Document
from spaniel.json_types import Json
from spaniel.strategies.scores import deduplicate, is_nan
from spaniel.tracing import note

logger = logging.getLogger(__name__)


@component
class MetaFieldGroupingRanker(Serializable):
    """Groups documents by a metadata value; documents without it are last.

    The groups are in the order of their first documents.

    :param group_by: the metadata key of the groups. Values are compared as text, so 1 and "1" are
        one group.
    :param subgroup_by: the metadata key of groups within the groups, if any. Documents without it
        share a subgroup.
    :param sort_docs_by: the metadata key that sorts the documents of a group, with those without
        it, or with NaN, last; None keeps their order.

    >>> chunks = [
    ...     Document(content="b2", meta={"file": "b", "split_id": 2}),
    ...     Document(content="a1", meta={"file": "a", "split_id": 1}),
    ...     Document(content="b1", meta={"file": "b", "split_id": 1}),
    ... ]
    >>> ranker = MetaFieldGroupingRanker(group_by="file", sort_docs_by="split_id")
    >>> [document.content for document in ranker.run(chunks)["documents"]]
    ['b1', 'b2', 'a1']
    """

    def __init__(self, group_by: str, subgroup_by: str | None = None, sort_docs_by: str | None = None) -> None:
        self.group_by = group_by
        self.sort_docs_by = sort_docs_by
        self.subgroup_by = subgroup_by

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Return the grouped documents, without duplicates, under ``documents``.

        :param documents: the documents; of duplicates the copy with the highest score is kept.
        """
        groups: dict[str, dict[str | None, list[Document]]] = {}
        groupless = []
        for document in deduplicate(documents):
            group = _format_value(document, self.group_by)
            if group:
                subgroup = _format_value(document, self.subgroup_by) if self.subgroup_by else None
                groups.setdefault(group, {}).setdefault(subgroup, []).append(document)
            else:
                groupless.append(document)
        grouped = [each for group in groups.values() for subgroup in group.values() for each in self._sort(subgroup)]
        note(type(self).__name__, [documents], grouped + groupless)
        return {"documents": grouped + groupless}

    def _sort(self, documents: list[Document]) -> list[Document]:
        if not (key := self.sort_docs_by):
            return documents
        try:
            return sorted(documents, key=lambda document: _sort_key(document.meta.get(key)))
        except (TypeError, ValueError) as error:  # arrays raise a ValueError when they are compared
            message = "The documents %s keep their order, since their values under '%s' can't be compared: %s"
            logger.warning(message, [document.id for document in documents], key, error)
            return documents


def _sort_key(value: Json) -> tuple[bool, Json]:
    return (True, 0) if value is None or is_nan(value) else (False, value)


def _format_value(document: Document, key: str) -> str | None:
    value = document.meta.get(key)
    return None if value is None else str(value)
