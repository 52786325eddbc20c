"""Limit of the csv module for the length of a value."""

import csv

_MAX_FIELD = 16 * 1024 * 1024  # characters


def raise_field_limit() -> None:
    """Let the csv module read values of up to 16 Mi characters instead of 128 Ki."""
    csv.field_size_limit(max(csv.field_size_limit(), _MAX_FIELD))
