"""How the filter that a retriever was built with and the filter of one run become one."""

import logging
import reprlib
from collections.abc import Callable
from enum import Enum
from typing import Any, Literal

from spaniel.dataclasses.copying import copy_value
from spaniel.errors import FilterError

logger = logging.getLogger(__name__)

LogicOperator = Literal["AND", "OR", "NOT"]
Filters = dict[str, Any]


class FilterPolicy(Enum):
    """What a run-time filter does to the filter that a retriever was built with.

    - ``REPLACE``: it takes its place.
    - ``MERGE``: it is joined to it where their shapes allow that, and wins where both name a field.
    - ``RESTRICT``: both must hold, so a run can only narrow what the retriever may return.
    """

    REPLACE = "replace"
    MERGE = "merge"
    RESTRICT = "restrict"

    def __str__(self) -> str:
        return str(self.value)

    @staticmethod
    def from_str(filter_policy: str) -> "FilterPolicy":
        """Return the policy of this name, in any case.

        :raises ValueError: there is none.

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
    """Return the filter to use. It shares nothing with either argument, and neither is changed.

    :param filter_policy: what to do where both are given.
    :param init_filters: the filter that the retriever was built with.
    :param runtime_filters: the filter of this run.
    :param default_logical_operator: joins two comparisons under ``MERGE``.
    :returns: the only one given, or both as the policy says; None if neither is given.
    :raises FilterError: a filter is nested too deeply to be copied.
    :raises ValueError: there is no such policy.

    >>> german = {"field": "meta.lang", "operator": "==", "value": "de"}
    >>> recent = {"field": "meta.year", "operator": ">", "value": 2020}
    >>> apply_filter_policy(FilterPolicy.REPLACE, german, recent)
    {'field': 'meta.year', 'operator': '>', 'value': 2020}
    >>> apply_filter_policy(FilterPolicy.RESTRICT, german, recent)["operator"]
    'AND'
    """
    # A name will do too: to take "merge" for REPLACE would widen the result.
    policy = filter_policy if isinstance(filter_policy, FilterPolicy) else FilterPolicy.from_str(str(filter_policy))
    if init_filters and runtime_filters:
        runtime_filters = _POLICIES[policy](init_filters, runtime_filters, default_logical_operator)
    chosen: Filters | None = runtime_filters or init_filters
    try:
        return copy_value(chosen)  # type: ignore[no-any-return]  # a copy has the type of what was copied
    except RecursionError:
        raise FilterError("filters: nested too deeply to be copied.") from None


def _replace(_init: Filters, runtime: Filters, _operator: str) -> Filters:
    return runtime


def _restrict(init: Filters, runtime: Filters, _operator: str) -> Filters:
    return {"operator": "AND", "conditions": [init, runtime]}


def _merge(init: Filters, runtime: Filters, operator: str) -> Filters:
    merge = _MERGES.get((_shape(init), _shape(runtime)), _replace)
    return merge(init, runtime, operator)


def _shape(filters: Any) -> str:
    if isinstance(filters, dict) and filters.keys() >= {"field", "operator", "value"}:
        return "comparison"
    if isinstance(filters, dict) and "operator" in filters and isinstance(filters.get("conditions"), list | tuple):
        return "logic"
    return "malformed"


def _two_comparisons(init: Filters, runtime: Filters, operator: str) -> Filters:
    if init["field"] == runtime["field"]:
        return _dropping(init, runtime, "both name the same field")
    return {"operator": operator, "conditions": [init, runtime]}


def _comparison_into_run(init: Filters, runtime: Filters, operator: str) -> Filters:
    if runtime["operator"] != operator:
        return _dropping(init, _logic(runtime), f"the run-time operator is not {operator}")
    if _names(runtime, init["field"]):
        return _dropping(init, _logic(runtime), "the run-time filter names the same field")
    return _logic(runtime, [*runtime["conditions"], init])


def _run_into_logic(init: Filters, runtime: Filters, operator: str) -> Filters:
    if init["operator"] != operator:
        return _dropping(init, runtime, f"its operator is not {operator}")
    name = runtime["field"]
    kept = [each for each in init["conditions"] if _field(each) != name]
    if len(kept) < len(init["conditions"]):
        logger.warning("The conditions on %r of the initial filter give way to those of the run-time filter.", name)
    return _logic(init, [*kept, runtime])


def _two_logics(init: Filters, runtime: Filters, _operator: str) -> Filters:
    if init["operator"] != runtime["operator"]:
        return _dropping(init, _logic(runtime), "the two have different operators")
    if init["operator"] == "AND":
        return _logic(init, [*init["conditions"], *runtime["conditions"]])
    # One list of both would be wider than either.
    return {"operator": "AND", "conditions": [init, runtime]}


def _logic(filters: Filters, conditions: list[Any] | None = None) -> Filters:
    return {
        "operator": filters["operator"],
        "conditions": list(filters["conditions"]) if conditions is None else conditions,
    }


def _dropping(init: Filters, kept: Filters, reason: str) -> Filters:
    logger.warning(
        "The initial filter %s is not used: %s. FilterPolicy.RESTRICT keeps both.", reprlib.repr(init), reason
    )
    return kept


def _names(filters: Filters, field: Any) -> bool:
    return any(_field(each) == field for each in filters["conditions"])


def _field(condition: Any) -> Any:
    return condition.get("field") if isinstance(condition, dict) else None


_MERGES: dict[tuple[str, str], Callable[[Filters, Filters, str], Filters]] = {
    ("comparison", "comparison"): _two_comparisons,
    ("comparison", "logic"): _comparison_into_run,
    ("logic", "comparison"): _run_into_logic,
    ("logic", "logic"): _two_logics,
}

_POLICIES: dict[FilterPolicy, Callable[[Filters, Filters, str], Filters]] = {
    FilterPolicy.REPLACE: _replace,
    FilterPolicy.MERGE: _merge,
    FilterPolicy.RESTRICT: _restrict,
}
