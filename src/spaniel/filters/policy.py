"""Policies that combine the filter of a retriever with the filter of a run."""

import logging
import reprlib
from collections.abc import Callable
from enum import Enum
from typing import Literal

from spaniel.dataclasses.copying import copy_value
from spaniel.errors import FilterError
from spaniel.json_types import Filters, Json

logger = logging.getLogger(__name__)

LogicOperator = Literal["AND", "OR", "NOT"]


class FilterPolicy(Enum):
    """Effect of a run-time filter on the initial filter of a retriever.

    - ``REPLACE``: the run-time filter replaces the initial filter.
    - ``MERGE``: both are joined if possible; the run-time filter wins if both name a field.
    - ``RESTRICT``: both must match, so a run can only narrow the results.
    """

    REPLACE = "replace"
    MERGE = "merge"
    RESTRICT = "restrict"

    def __str__(self) -> str:
        return str(self.value)

    @staticmethod
    def from_str(filter_policy: str) -> "FilterPolicy":
        """Return the policy of this name, in any case.

        :raises ValueError: the name is unknown.

        >>> FilterPolicy.from_str("Restrict")
        <FilterPolicy.RESTRICT: 'restrict'>
        """
        try:
            return FilterPolicy(filter_policy.lower())
        except (AttributeError, ValueError):
            supported = [policy.value for policy in FilterPolicy]
            raise ValueError(f"Unknown FilterPolicy type '{filter_policy}'. Supported types are: {supported}") from None


def apply_filter_policy(
    filter_policy: FilterPolicy,
    init_filters: Filters | None = None,
    runtime_filters: Filters | None = None,
    default_logical_operator: LogicOperator = "AND",
) -> Filters | None:
    """Return the filter of a run, as a copy.

    :param filter_policy: used if both filters are given.
    :param init_filters: the filter of the retriever.
    :param runtime_filters: the filter of this run.
    :param default_logical_operator: joins two comparisons under ``MERGE``.
    :returns: the only filter given, or both combined by the policy; None if neither is given.
    :raises FilterError: a filter is nested too deeply to be copied.
    :raises ValueError: the policy is unknown.

    >>> german = {"field": "meta.lang", "operator": "==", "value": "de"}
    >>> recent = {"field": "meta.year", "operator": ">", "value": 2020}
    >>> apply_filter_policy(FilterPolicy.REPLACE, german, recent)
    {'field': 'meta.year', 'operator': '>', 'value': 2020}
    >>> apply_filter_policy(FilterPolicy.RESTRICT, german, recent)["operator"]
    'AND'
    """
    # A name is accepted too: falling back to REPLACE for "merge" would widen the result.
    policy = filter_policy if isinstance(filter_policy, FilterPolicy) else FilterPolicy.from_str(str(filter_policy))
    chosen: Filters | None = runtime_filters or init_filters
    if init_filters and runtime_filters:
        if policy is FilterPolicy.RESTRICT:
            chosen = {"operator": "AND", "conditions": [init_filters, runtime_filters]}
        elif policy is FilterPolicy.MERGE:
            chosen = _merge(init_filters, runtime_filters, default_logical_operator)
    try:
        return copy_value(chosen)  # type: ignore[no-any-return]  # a copy has the type of its source
    except RecursionError:
        raise FilterError("filters: nested too deeply to be copied.") from None


def _merge(init: Filters, runtime: Filters, operator: str) -> Filters:
    merge = _MERGES.get((_shape(init), _shape(runtime)))
    return runtime if merge is None else merge(init, runtime, operator)


def _shape(filters: Json) -> str:
    if isinstance(filters, dict) and filters.keys() >= {"field", "operator", "value"}:
        return "comparison"
    if isinstance(filters, dict) and "operator" in filters and isinstance(filters.get("conditions"), list | tuple):
        return "logic"
    return "malformed"


def _two_comparisons(init: Filters, runtime: Filters, operator: str) -> Filters:
    if init["field"] == runtime["field"]:
        return _drop(init, runtime, "both name the same field")
    return {"operator": operator, "conditions": [init, runtime]}


def _comparison_and_logic(init: Filters, runtime: Filters, operator: str) -> Filters:
    if runtime["operator"] != operator:
        return _drop(init, _logic(runtime), f"the run-time operator is not {operator}")
    if any(_field(each) == init["field"] for each in runtime["conditions"]):
        return _drop(init, _logic(runtime), "the run-time filter names the same field")
    return _logic(runtime, [*runtime["conditions"], init])


def _logic_and_comparison(init: Filters, runtime: Filters, operator: str) -> Filters:
    if init["operator"] != operator:
        return _drop(init, runtime, f"its operator is not {operator}")
    name = runtime["field"]
    kept = [each for each in init["conditions"] if _field(each) != name]
    if len(kept) < len(init["conditions"]):
        logger.warning("The conditions on %r of the initial filter give way to those of the run-time filter.", name)
    return _logic(init, [*kept, runtime])


def _two_logics(init: Filters, runtime: Filters, _operator: str) -> Filters:
    if init["operator"] != runtime["operator"]:
        return _drop(init, _logic(runtime), "the two have different operators")
    if init["operator"] == "AND":
        return _logic(init, [*init["conditions"], *runtime["conditions"]])
    # A joint list of conditions would be wider than either filter.
    return {"operator": "AND", "conditions": [init, runtime]}


def _logic(filters: Filters, conditions: list[Json] | None = None) -> Filters:
    chosen = list(filters["conditions"]) if conditions is None else conditions
    return {"operator": filters["operator"], "conditions": chosen}


def _drop(init: Filters, kept: Filters, reason: str) -> Filters:
    logger.warning(
        "The initial filter %s is not used: %s. FilterPolicy.RESTRICT keeps both.", reprlib.repr(init), reason
    )
    return kept


def _field(condition: Json) -> Json:
    return condition.get("field") if isinstance(condition, dict) else None


_MERGES: dict[tuple[str, str], Callable[[Filters, Filters, str], Filters]] = {
    ("comparison", "comparison"): _two_comparisons,
    ("comparison", "logic"): _comparison_and_logic,
    ("logic", "comparison"): _logic_and_comparison,
    ("logic", "logic"): _two_logics,
}
