"""Formulas of Word as a line of text."""

from collections.abc import Callable
from typing import Any, TypeAlias

Element: TypeAlias = Any
"""An lxml element, which has no types."""

M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"


def write_formula(element: Element) -> str:
    """Return a formula as text: ``a/b`` for a fraction, ``x^2``, ``x_1``, ``√x``.

    Text in unknown structures is kept, one part after the other.
    """
    writer = _WRITERS.get(str(element.tag).removeprefix(M))
    return "".join(map(write_formula, element)) if writer is None else writer(element)


def _write_script(element: Element) -> str:
    below = f"_{_group(element, 'sub')}" if element.find(f"{M}sub") is not None else ""
    above = f"^{_group(element, 'sup')}" if element.find(f"{M}sup") is not None else ""
    return f"{_part(element, 'e')}{below}{above}"


def _write_operator(element: Element) -> str:
    below, above = _part(element, "sub"), _part(element, "sup")
    limits = (f"_({below})" if below else "") + (f"^({above})" if above else "")
    return f"{_value(element, 'naryPr/chr', '∫')}{limits} {_part(element, 'e')}"


def _write_delimiters(element: Element) -> str:
    begin, end = _value(element, "dPr/begChr", "("), _value(element, "dPr/endChr", ")")
    return f"{begin}{_value(element, 'dPr/sepChr', '|').join(_list_parts(element))}{end}"


def _write_matrix(element: Element) -> str:
    return "[" + "; ".join(", ".join(_list_parts(row)) for row in element.findall(f"{M}mr")) + "]"


def _list_parts(element: Element) -> list[str]:
    return [write_formula(part) for part in element.findall(f"{M}e")]


def _part(element: Element, name: str) -> str:
    part = element.find(M + name)
    return "" if part is None else write_formula(part)


def _group(element: Element, name: str) -> str:
    text = _part(element, name)
    return text if len(text) <= 1 or text.isalnum() else f"({text})"


def _value(element: Element, path: str, default: str) -> str:
    found = element.find("/".join(M + part for part in path.split("/")))
    return default if found is None else found.get(f"{M}val", "")


_WRITERS: dict[str, Callable[[Element], str]] = {
    "t": lambda element: element.text or "",
    "f": lambda element: f"{_group(element, 'num')}/{_group(element, 'den')}",
    **dict.fromkeys(("sSup", "sSub", "sSubSup"), _write_script),
    "rad": lambda element: f"{_part(element, 'deg')}√{_group(element, 'e')}",
    "nary": _write_operator,
    "d": _write_delimiters,
    "func": lambda element: f"{_part(element, 'fName')} {_part(element, 'e')}",
    "m": _write_matrix,
    "eqArr": lambda element: "; ".join(_list_parts(element)),
}
