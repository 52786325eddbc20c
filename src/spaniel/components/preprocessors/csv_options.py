"""The options of ``pandas.read_csv`` that are understood here."""

from collections.abc import Mapping
from typing import Any

from spaniel.components.preprocessors.csv_tables import EMPTY_CELLS, TableFormat

_SIGNS = ("quotechar", "escapechar", "doublequote", "skipinitialspace")
_OTHERS = ("sep", "delimiter", "skip_blank_lines", "na_values", "keep_default_na", "skiprows", "nrows")
_IGNORED = ("engine", "encoding", "low_memory", "memory_map")
_TEXT_TYPES = (object, str, "object", "str", "string")


def table_format(options: Mapping[str, Any]) -> TableFormat:
    """Return the format that options of ``pandas.read_csv`` describe.

    :param options: ``sep`` or ``delimiter``, ``quotechar``, ``escapechar``, ``doublequote``, ``skipinitialspace``,
        ``skip_blank_lines``, ``na_values`` (a text or a list of texts), ``keep_default_na``, ``skiprows`` and ``nrows``
        (numbers). ``header`` may only be None, and ``dtype`` only ``object`` or ``str``. ``engine``, ``encoding``,
        ``low_memory`` and ``memory_map`` change nothing.
    :raises ValueError: another option, or a value that is not possible.

    >>> table_format({"sep": ";", "nrows": 2}).most_rows
    2
    """
    for name, value in options.items():
        if name not in (*_SIGNS, *_OTHERS, *_IGNORED, "header", "dtype"):
            known = ", ".join(sorted((*_SIGNS, *_OTHERS)))
            raise ValueError(f"read_csv_kwargs: {name!r} is not supported. Known are {known}.")
        if name == "header" and value is not None:
            raise ValueError(f"read_csv_kwargs: header is {value!r}, but must be None: every row is part of a table.")
        if name == "dtype" and value not in _TEXT_TYPES:
            raise ValueError(
                f"read_csv_kwargs: dtype is {value!r}, but must be 'object': cells stay as they are written."
            )
    signs = {name: options[name] for name in _SIGNS if name in options}
    signs["delimiter"] = _delimiter(options)
    return TableFormat(
        signs=signs,
        empty=_empty_cells(options),
        skip_blank_lines=bool(options.get("skip_blank_lines", False)),
        skip_rows=_number("skiprows", options) or 0,
        most_rows=_number("nrows", options),
    )


def _delimiter(options: Mapping[str, Any]) -> str:
    sign = options.get("delimiter") or options.get("sep", ",")
    if not isinstance(sign, str) or len(sign) != 1:
        raise ValueError(f"read_csv_kwargs: sep must be a single character, not {sign!r}.")
    return sign


def _empty_cells(options: Mapping[str, Any]) -> frozenset[str]:
    more = options.get("na_values") or ()
    cells = [more] if isinstance(more, str) else list(more)
    if isinstance(more, Mapping) or not all(isinstance(cell, str) for cell in cells):
        raise ValueError(f"read_csv_kwargs: na_values must be a text or a list of texts, not {more!r}.")
    return frozenset(cells) | (EMPTY_CELLS if options.get("keep_default_na", True) else frozenset())


def _number(name: str, options: Mapping[str, Any]) -> int | None:
    number = options.get(name)
    if number is None:
        return None
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise ValueError(f"read_csv_kwargs: {name} must be a whole number of at least 0, not {number!r}.")
    return number
