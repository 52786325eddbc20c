"""Values of any kind as plain data."""

import math
from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any

from spaniel.filters.equality import plain


def as_data(value: Any) -> Any:
    """Return a value as JSON can hold it; what it has no form for becomes text."""
    value = plain(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {name: as_data(item) for name, item in vars(value).items()}
    if isinstance(value, Mapping):
        return {str(name): as_data(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_data(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, (str, int, float)) else str(value)
