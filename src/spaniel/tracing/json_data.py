"""Values of any kind as plain data."""

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from spaniel.filters.equality import plain


def as_data(value: Any) -> Any:
    """Return a value as JSON can hold it; what it has no form for becomes text."""
    value = plain(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: as_data(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): as_data(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_data(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, (str, int, float)) else str(value)
