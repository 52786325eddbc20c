"""How long a cell of CSV may be."""

import csv

_LONGEST_CELL = 16 * 1024 * 1024  # characters


def allow_long_cells() -> None:
    """Let the csv module take cells of up to 16 Mi characters. Its own limit is 128 Ki, which is short for a text."""
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))
