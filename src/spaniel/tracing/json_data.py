"""Conversion of values to JSON data."""

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass

from spaniel.filters.equality import plain
from spaniel.json_types import Json


def to_json(value: object) -> Json:
    """Return a value as JSON data; values without a JSON form become text."""
    value = plain(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): to_json(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, (str, int, float)) else str(value)
