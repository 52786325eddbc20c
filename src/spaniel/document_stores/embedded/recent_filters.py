"""What recent filters let through, kept while the documents are the same: searches of one user share their filter."""

from collections.abc import Hashable
from datetime import date, datetime

from spaniel._engine import SlotSet
from spaniel.filters import Comparison, Filter

_MOST = 32
_LONGEST = 100  # values of a list
_SCALARS = frozenset({str, int, float, bool, type(None), date, datetime})


def filter_key(filter: Filter, strict_dates: bool) -> Hashable | None:
    """Return what tells a filter from all others; None if it is long, or holds values of other kinds than JSON and dates.

    >>> from spaniel.filters import parse_filter
    >>> keys = [filter_key(parse_filter({"field": "a", "operator": "==", "value": value}), False) for value in (1, True, 1)]
    >>> keys[0] == keys[2] != keys[1]
    True
    """
    parts: list[Hashable] = [strict_dates]
    return tuple(parts) if _collected(filter, parts) else None


def _collected(filter: Filter, parts: list[Hashable]) -> bool:
    if not isinstance(filter, Comparison):
        parts += [filter.operator, len(filter.conditions)]
        return len(parts) < _LONGEST and all(_collected(condition, parts) for condition in filter.conditions)
    values = filter.value if type(filter.value) is list else [filter.value]
    if len(values) > _LONGEST or not all(type(value) in _SCALARS for value in values):
        return False
    # 1, 1.0 and True are equal, but not the same in every comparison; dates of two zones may be equal, too.
    parts += [filter.field, filter.operator, type(filter.value).__name__]
    parts.append(tuple((type(value).__name__, repr(value)) for value in values))
    return True


class RecentFilters:
    """The sets of slots of the filters that were used last. Not thread-safe."""

    def __init__(self) -> None:
        self._found: dict[Hashable, SlotSet] = {}

    def get(self, key: Hashable | None) -> SlotSet | None:
        """Return the set of a filter, if it is known."""
        if key is None or (found := self._found.pop(key, None)) is None:
            return None
        self._found[key] = found  # it was used last
        return found

    def put(self, key: Hashable | None, found: SlotSet) -> None:
        """Keep the set of a filter; the one that was not used for the longest time may go."""
        if key is None:
            return
        if len(self._found) >= _MOST:
            del self._found[next(iter(self._found))]
        self._found[key] = found

    def clear(self) -> None:
        """Forget all: the documents have changed."""
        self._found.clear()
