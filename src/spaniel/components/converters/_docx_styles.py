"""Outline levels and list numbers of the paragraphs of a Word file."""

import re
from collections import defaultdict
from typing import Any, NamedTuple, TypeAlias

from spaniel.text.numerals import format_letters, format_roman

Element: TypeAlias = Any
"""An lxml element, which has no types."""

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADING = re.compile(r"heading (\d)$", re.IGNORECASE)
_MAX_BASES = 10  # styles based on styles
_MAX_LEVELS = 9
_PLACE = re.compile(r"%([1-9])")
_FORMATS = {"lowerLetter": format_letters, "lowerRoman": format_roman}


class ListLevel(NamedTuple):
    """A level of a numbered or bulleted list."""

    format: str
    text: str
    start: int


class ParagraphStyles:
    """Finds the outline level of a paragraph, and counts its list number.

    :param styles: the root of the part of styles, or None.
    :param numbering: the root of the part of numbering, or None.
    """

    def __init__(self, styles: Element | None, numbering: Element | None) -> None:
        found = [] if styles is None else styles.findall(f"{W}style")
        self._styles = {style.get(f"{W}styleId"): style for style in found}
        self._lists = {} if numbering is None else _read_lists(numbering)
        self._counts: defaultdict[str, dict[int, int]] = defaultdict(dict)

    def find_level(self, paragraph: Element) -> int | None:
        """Return the level of a heading, 0 for the title, None for other paragraphs."""
        if (own := _get(paragraph, "pPr/outlineLvl")) is not None:
            return _parse_outline_level(own)
        for style in self._list_styles(paragraph):
            name = _get(style, "name") or ""
            if name.lower() == "title":
                return 0
            if match := _HEADING.match(name):
                return max(int(match[1]), 1)
            if (outline := _get(style, "pPr/outlineLvl")) is not None:
                return _parse_outline_level(outline)
        return None

    def count_number(self, paragraph: Element) -> tuple[int, str]:
        """Return the level of a paragraph in its list, and its mark, ``-`` for bullets.

        The mark is "" outside of lists.
        """
        number, level = self._find_list(paragraph)
        levels = self._lists.get(number) if number else None
        if levels is None or not 0 <= level < _MAX_LEVELS:
            return 0, ""
        found = levels.get(level, ListLevel("decimal", f"%{level + 1}.", 1))
        counts = self._counts[number]
        for deeper in [other for other in counts if other > level]:
            del counts[deeper]
        counts[level] = counts.get(level, found.start - 1) + 1
        if found.format == "bullet":
            return level, "-"
        if found.format == "none":
            return level, ""

        def show(match: re.Match[str]) -> str:
            at = int(match[1]) - 1
            own = levels.get(at, found)
            return format_number(counts.get(at, own.start), own.format)

        return level, _PLACE.sub(show, found.text)

    def _list_styles(self, paragraph: Element) -> list[Element]:
        found: list[Element] = []
        style = self._styles.get(_get(paragraph, "pPr/pStyle"))
        while style is not None and len(found) < _MAX_BASES:
            found.append(style)
            style = self._styles.get(_get(style, "basedOn"))
        return found

    def _find_list(self, paragraph: Element) -> tuple[str, int]:
        number, level = None, None
        for element in (paragraph, *self._list_styles(paragraph)):
            number = number if number is not None else _get(element, "pPr/numPr/numId")
            level = level if level is not None else _get(element, "pPr/numPr/ilvl")
        return ("" if number in (None, "0") else str(number)), int(level) if level and level.isdecimal() else 0


def format_number(number: int, style: str) -> str:
    """Return a number in a format of Word.

    >>> format_number(4, "upperRoman"), format_number(28, "lowerLetter"), format_number(3, "decimalZero")
    ('IV', 'ab', '03')
    """
    if style == "decimalZero":
        return f"{number:02}"
    lower = "lower" + style.removeprefix("upper").removeprefix("lower")
    if lower not in _FORMATS:
        return str(number)
    text = _FORMATS[lower](number)
    return text.upper() if style.startswith("upper") else text


def _read_lists(numbering: Element) -> dict[str, dict[int, ListLevel]]:
    abstract = {
        element.get(f"{W}abstractNumId"): dict(map(_read_level, element.findall(f"{W}lvl")))
        for element in numbering.findall(f"{W}abstractNum")
    }
    lists: dict[str, dict[int, ListLevel]] = {}
    for element in numbering.findall(f"{W}num"):
        levels = dict(abstract.get(_get(element, "abstractNumId"), {}))
        for override in element.findall(f"{W}lvlOverride"):
            levels |= dict(map(_read_level, override.findall(f"{W}lvl")))
            at, start = int(override.get(f"{W}ilvl", 0)), _get(override, "startOverride")
            if start is not None and at in levels:
                levels[at] = levels[at]._replace(start=int(start))
        lists[element.get(f"{W}numId")] = levels
    return lists


def _read_level(element: Element) -> tuple[int, ListLevel]:
    start = _get(element, "start") or "1"
    level = ListLevel(_get(element, "numFmt") or "decimal", _get(element, "lvlText") or "", int(start))
    return int(element.get(f"{W}ilvl", 0)), level


def _get(element: Element, path: str) -> str | None:
    """Return the value of an element below another one."""
    found = element.find("/".join(W + name for name in path.split("/")))
    return None if found is None else found.get(f"{W}val")


def _parse_outline_level(value: str) -> int | None:
    return int(value) + 1 if value.isdecimal() and int(value) < 9 else None  # 9 is body text
