"""Documents sorted by a metadata value."""

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Literal, TypeAlias, get_args

from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import Document
from spaniel.document_stores.validation import validate_choice
from spaniel.json_types import Json, JsonObject
from spaniel.strategies.fusion import BlendMode, blend
from spaniel.strategies.scores import deduplicate, is_nan
from spaniel.tracing import note

logger = logging.getLogger(__name__)

SortOrder: TypeAlias = Literal["ascending", "descending"]
MissingMeta: TypeAlias = Literal["drop", "top", "bottom"]
MetaValueType: TypeAlias = Literal["float", "int", "date"]


@component
class MetaFieldRanker(Serializable):
    """Sorts documents by a metadata value, or blends that order with the given order.

    :param meta_field: the metadata key.
    :param weight: the weight of the value's order, 0 to 1: 0 keeps the given order, 0.5 blends both
        equally, 1 sorts by the value alone.
    :param top_k: the maximum number of documents; None returns all.
    :param ranking_mode: the blend of the orders: ``reciprocal_rank_fusion``, or ``linear_score``,
        which uses the documents' scores (0 to 1) for the given order. See `blend
        <spaniel.strategies.fusion.blend>`.
    :param sort_order: ``descending`` or ``ascending``; NaN is last in both.
    :param missing_meta: place of documents without a value: ``bottom`` or ``top`` of the value's
        order, or ``drop``.
    :param meta_value_type: parse values that are text as ``float``, ``int`` or ``date``; None uses
        them unchanged.
    :raises ValueError: a parameter is out of range or unknown.

    >>> docs = [Document(content="old", meta={"year": 1999}), Document(content="new", meta={"year": 2024})]
    >>> [document.content for document in MetaFieldRanker("year").run(docs)["documents"]]
    ['new', 'old']
    """

    def __init__(
        self,
        meta_field: str,
        weight: float = 1.0,
        top_k: int | None = None,
        ranking_mode: BlendMode = "reciprocal_rank_fusion",
        sort_order: SortOrder = "descending",
        missing_meta: MissingMeta = "bottom",
        meta_value_type: MetaValueType | None = None,
    ) -> None:
        if top_k is not None and top_k <= 0:
            raise ValueError(f"top_k must be > 0, but got {top_k}")
        if not 0 <= weight <= 1:
            raise ValueError(f"weight must be in the range [0, 1], got {weight}.")
        validate_choice("ranking_mode", ranking_mode, get_args(BlendMode))
        validate_choice("sort_order", sort_order, get_args(SortOrder))
        validate_choice("missing_meta", missing_meta, get_args(MissingMeta))
        validate_choice("meta_value_type", meta_value_type, (*get_args(MetaValueType), None))
        self.meta_field = meta_field
        self.weight = weight
        self.top_k = top_k
        self.ranking_mode = ranking_mode
        self.sort_order = sort_order
        self.missing_meta = missing_meta
        self.meta_value_type = meta_value_type

    @component.output_types(documents=list[Document])
    def run(
        self,
        documents: list[Document],
        top_k: int | None = None,
        weight: float | None = None,
        ranking_mode: BlendMode | None = None,
        sort_order: SortOrder | None = None,
        missing_meta: MissingMeta | None = None,
        meta_value_type: MetaValueType | None = None,
    ) -> dict[str, list[Document]]:
        """Return the sorted documents, without duplicates, under ``documents``.

        Of duplicates the copy with the highest score is kept. The documents get new scores, unless
        the order is unchanged. Each parameter but `documents` overrides the constructor's.

        :raises ValueError: a parameter is out of range or unknown.
        """
        if not documents:
            return {"documents": []}
        ranker = MetaFieldRanker(
            self.meta_field,
            self.weight if weight is None else weight,
            self.top_k if top_k is None else top_k,
            ranking_mode or self.ranking_mode,
            sort_order or self.sort_order,
            missing_meta or self.missing_meta,
            meta_value_type or self.meta_value_type,
        )
        ranked = ranker._rank(deduplicate(documents))[: ranker.top_k]
        settings: JsonObject = {"meta_field": self.meta_field, "weight": ranker.weight, "top_k": ranker.top_k}
        note(type(self).__name__, [documents], ranked, **settings)
        return {"documents": ranked}

    def _rank(self, distinct: list[Document]) -> list[Document]:
        if self.weight == 0:
            return distinct
        present = [document for document in distinct if document.meta.get(self.meta_field) is not None]
        absent = [document for document in distinct if document.meta.get(self.meta_field) is None]
        if absent:
            self._warn_of_missing(present, absent)
        ordered = self._sort(present) if present else None
        if ordered is None:  # there are no values, or they can't be compared
            return self._insert_absent(present, absent)
        given = present if self.missing_meta == "drop" else distinct
        return blend(given, self._insert_absent(ordered, absent), weight=self.weight, mode=self.ranking_mode)

    def _sort(self, documents: Sequence[Document]) -> list[Document] | None:
        values = self._parse_values(documents)
        try:
            order = [index for index, value in enumerate(values) if not is_nan(value)]
            order.sort(key=values.__getitem__, reverse=self.sort_order == "descending")
            order += [index for index, value in enumerate(values) if is_nan(value)]
        except (TypeError, ValueError) as error:  # arrays raise a ValueError when they are compared
            _log_failure("sort", documents, error, "They keep their order.")
            return None
        return [documents[index] for index in order]

    def _parse_values(self, documents: Sequence[Document]) -> list[Json]:
        values = [document.meta[self.meta_field] for document in documents]
        if self.meta_value_type is None:
            return values
        if not all(isinstance(value, str) for value in values):
            logger.warning(
                "The parameter <meta_value_type> is currently set to '%s', but not all of meta values in the provided "
                "Documents with IDs %s are strings. The values are used unchanged.",
                self.meta_value_type,
                _join_ids(documents),
            )
            return values
        parse = _PARSERS[self.meta_value_type]
        try:
            return [parse(value) for value in values]
        except (ValueError, OverflowError) as error:
            _log_failure("parse the meta values of", documents, error, "The values are used unchanged.")
            return values

    def _warn_of_missing(self, present: Sequence[Document], absent: Sequence[Document]) -> None:
        subject, verb = ("the Documents", "don't have") if present else ("none of the provided Documents", "have")
        logger.warning(
            "The parameter <meta_field> is currently set to '%s', but %s with IDs %s %s this meta key. They %s.",
            self.meta_field,
            subject,
            _join_ids(absent),
            verb,
            "are dropped" if self.missing_meta == "drop" else f"go to the {self.missing_meta}",
        )

    def _insert_absent(self, documents: list[Document], absent: list[Document]) -> list[Document]:
        return {"bottom": documents + absent, "top": absent + documents, "drop": documents}[self.missing_meta]


def _parse_date(value: str) -> datetime:
    from dateutil.parser import parse

    return parse(value)


_PARSERS: Mapping[MetaValueType, Callable[[str], float | datetime]] = {"float": float, "int": int, "date": _parse_date}


def _log_failure(action: str, documents: Sequence[Document], error: Exception, consequence: str) -> None:
    message = "Tried to %s Documents with IDs %s, but got %s with the message: %s. %s"
    logger.warning(message, action, _join_ids(documents), type(error).__name__, error, consequence)


def _join_ids(documents: Sequence[Document]) -> str:
    return ",".join(document.id for document in documents)
