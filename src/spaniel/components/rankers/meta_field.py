"""Documents in the order of a metadata value."""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, TypeAlias

from spaniel.core.component import component
from spaniel.core.serialization import Serializable
from spaniel.dataclasses import Document
from spaniel.strategies.fusion import blend
from spaniel.strategies.scores import deduplicate, is_nan
from spaniel.tracing import note

logger = logging.getLogger(__name__)

RankingMode: TypeAlias = Literal["reciprocal_rank_fusion", "linear_score"]
SortOrder: TypeAlias = Literal["ascending", "descending"]
MissingMeta: TypeAlias = Literal["drop", "top", "bottom"]
MetaValueType: TypeAlias = Literal["float", "int", "date"]


@component
class MetaFieldRanker(Serializable):
    """Returns documents in the order of a metadata value, or in an order between that and the one they came in.

    :param meta_field: the metadata key.
    :param weight: how much its order counts, 0 to 1: 0 keeps the order given, 0.5 mixes both alike, 1 goes by the value
        alone.
    :param top_k: how many documents at most; None means all.
    :param ranking_mode: how the orders are mixed: by ``reciprocal_rank_fusion``, or by ``linear_score``, which takes the
        documents' scores (0 to 1) for the first order. See `blend <spaniel.strategies.fusion.blend>`.
    :param sort_order: ``descending`` or ``ascending``; NaN is last in both.
    :param missing_meta: what becomes of documents without a value: they go to the ``bottom`` or the ``top`` of the value's
        order, or are ``drop``ped.
    :param meta_value_type: read values that are text as ``float``, ``int`` or ``date`` first; None takes them as they are.
    :raises ValueError: a parameter has another value than these.

    >>> docs = [Document(content="old", meta={"year": 1999}), Document(content="new", meta={"year": 2024})]
    >>> [document.content for document in MetaFieldRanker("year").run(docs)["documents"]]
    ['new', 'old']
    """

    def __init__(
        self,
        meta_field: str,
        weight: float = 1.0,
        top_k: int | None = None,
        ranking_mode: RankingMode = "reciprocal_rank_fusion",
        sort_order: SortOrder = "descending",
        missing_meta: MissingMeta = "bottom",
        meta_value_type: MetaValueType | None = None,
    ) -> None:
        _check(weight, top_k, ranking_mode, sort_order, missing_meta, meta_value_type)
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
        ranking_mode: RankingMode | None = None,
        sort_order: SortOrder | None = None,
        missing_meta: MissingMeta | None = None,
        meta_value_type: MetaValueType | None = None,
    ) -> dict[str, list[Document]]:
        """Return the documents in their new order under ``documents``, each once (the copy with the highest score).

        Their scores are new ones, unless the order stays as it is. Each parameter but `documents` stands in for the
        constructor's.

        :raises ValueError: a parameter has a value that the constructor refuses.
        """
        if not documents:
            return {"documents": []}
        top_k = self.top_k if top_k is None else top_k
        weight = self.weight if weight is None else weight
        ranking_mode = ranking_mode or self.ranking_mode
        sort_order = sort_order or self.sort_order
        missing_meta = missing_meta or self.missing_meta
        meta_value_type = meta_value_type or self.meta_value_type
        _check(weight, top_k, ranking_mode, sort_order, missing_meta, meta_value_type)
        ranked = self._ranked(deduplicate(documents), weight, ranking_mode, sort_order, missing_meta, meta_value_type)
        note(type(self).__name__, [documents], ranked[:top_k], meta_field=self.meta_field, weight=weight, top_k=top_k)
        return {"documents": ranked[:top_k]}

    def _ranked(
        self,
        distinct: list[Document],
        weight: float,
        ranking_mode: RankingMode,
        sort_order: SortOrder,
        missing_meta: MissingMeta,
        meta_value_type: MetaValueType | None,
    ) -> list[Document]:
        if weight == 0:
            return distinct
        present = [document for document in distinct if document.meta.get(self.meta_field) is not None]
        absent = [document for document in distinct if document.meta.get(self.meta_field) is None]
        self._tell_of_missing(present, absent, missing_meta)
        ordered = self._sorted(present, meta_value_type, sort_order) if present else None
        place = partial(_place, absent=absent, missing_meta=missing_meta)
        if ordered is None:  # no value, or none that can be compared
            return place(present) if present else place([])
        given = present if missing_meta == "drop" else distinct
        return blend(given, place(ordered), weight=weight, mode=ranking_mode)

    def _sorted(
        self, documents: Sequence[Document], value_type: MetaValueType | None, sort_order: SortOrder
    ) -> list[Document] | None:
        values = self._values(documents, value_type)
        try:
            ordered = [place for place, value in enumerate(values) if not is_nan(value)]
            ordered.sort(key=values.__getitem__, reverse=sort_order == "descending")
            places = ordered + [place for place, value in enumerate(values) if is_nan(value)]
        except (TypeError, ValueError) as error:  # arrays raise a ValueError when they are compared
            logger.warning(
                "Tried to sort Documents with IDs %s, but got %s with the message: %s. They keep their order.",
                _ids(documents),
                type(error).__name__,
                error,
            )
            return None
        return [documents[place] for place in places]

    def _values(self, documents: Sequence[Document], value_type: MetaValueType | None) -> list[Any]:
        values = [document.meta[self.meta_field] for document in documents]
        if value_type is None:
            return values
        if not all(isinstance(value, str) for value in values):
            logger.warning(
                "The parameter <meta_value_type> is currently set to '%s', but not all of meta values in the provided "
                "Documents with IDs %s are strings. The values are taken as they are.",
                value_type,
                _ids(documents),
            )
            return values
        read = _READERS[value_type]
        try:
            return [read(value) for value in values]
        except (ValueError, OverflowError) as error:
            logger.warning(
                "Tried to parse the meta values of Documents with IDs %s, but got %s with the message: %s. The values are "
                "taken as they are.",
                _ids(documents),
                type(error).__name__,
                error,
            )
            return values

    def _tell_of_missing(
        self, present: Sequence[Document], absent: Sequence[Document], missing_meta: MissingMeta
    ) -> None:
        setting = f"The parameter <meta_field> is currently set to '{self.meta_field}'"
        done = _DONE_WITH_MISSING[missing_meta]
        if not present:
            logger.warning(
                "%s, but none of the provided Documents with IDs %s have this meta key. %s",
                setting,
                _ids(absent),
                done,
            )
        elif absent:
            logger.warning("%s but the Documents with IDs %s don't have this meta key. %s", setting, _ids(absent), done)


def _place(documents: list[Document], *, absent: list[Document], missing_meta: MissingMeta) -> list[Document]:
    return {"bottom": documents + absent, "top": absent + documents, "drop": documents}[missing_meta]


def _date(value: str) -> Any:
    from dateutil.parser import parse

    return parse(value)


_READERS: Mapping[str, Callable[[str], Any]] = {"float": float, "int": int, "date": _date}

_DONE_WITH_MISSING = {
    "bottom": "As <missing_meta> says, they go to the bottom.",
    "top": "As <missing_meta> says, they go to the top.",
    "drop": "As <missing_meta> says, they are dropped.",
}

_CHOICES: Mapping[str, tuple[str | None, ...]] = {
    "ranking_mode": ("reciprocal_rank_fusion", "linear_score"),
    "sort_order": ("ascending", "descending"),
    "missing_meta": ("drop", "top", "bottom"),
    "meta_value_type": ("float", "int", "date", None),
}


def _check(weight: float, top_k: int | None, *choices: str | None) -> None:
    if top_k is not None and top_k <= 0:
        raise ValueError(f"top_k must be > 0, but got {top_k}")
    if not 0 <= weight <= 1:
        raise ValueError(f"<weight> must be in the range [0,1]: it is the share of the meta field. It is {weight}.")
    for (name, allowed), chosen in zip(_CHOICES.items(), choices, strict=True):
        if chosen not in allowed:
            raise ValueError(f"<{name}> must be one of {list(allowed)}. It is {chosen!r}.")


def _ids(documents: Sequence[Document]) -> str:
    return ",".join(document.id for document in documents)
