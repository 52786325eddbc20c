"""Whether a source is nested so deep that parsing it takes very long: found in one pass, before it is parsed."""

import re
from collections import Counter

_DEEPEST = 1_000
_DEEPEST_BRACKETS = 32
_TAG = re.compile(r"<(/?)([a-z][^\s/<>]*)[^<>]*?(/?)>", re.IGNORECASE)
_BRACKET = re.compile(r"(?<!\\)[\[\]]")
# Elements that hold nothing, or that often end without a tag: the next one of their kind ends them.
_NOT_COUNTED = frozenset(
    {
        *(
            "area",
            "base",
            "br",
            "col",
            "embed",
            "hr",
            "img",
            "input",
            "link",
            "meta",
            "param",
            "source",
            "track",
            "wbr",
        ),
        *("html", "head", "body", "p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "colgroup"),
        *("a", "option", "optgroup", "rb", "rp", "rt", "rtc"),
    }
)


def is_deep_html(text: str) -> bool:
    """Return whether elements are open within one another, more than 1000 deep. No browser shows so many levels.

    >>> is_deep_html("<div>" * 1001), is_deep_html("<p><div></div>" * 1001)
    (True, False)
    """
    if text.count("<") <= _DEEPEST:
        return False
    depth = 0
    opened: Counter[str] = Counter()
    for tag in _TAG.finditer(text):
        name = tag[2].lower()
        if tag[1]:
            change = -1 if opened[name] else 0
        elif name in _NOT_COUNTED or (tag[3] and (opened["svg"] or opened["math"])):
            change = 0
        else:
            change = 1
        opened[name] += change
        depth += change
        if depth > _DEEPEST:
            return True
    return False


def has_deep_brackets(text: str) -> bool:
    """Return whether more than 32 brackets are open within one another: a parser of Markdown tries to end a link at each.

    >>> has_deep_brackets("[" * 33), has_deep_brackets("[x]" * 33)
    (True, False)
    """
    if text.count("[") <= _DEEPEST_BRACKETS:
        return False
    depth = 0
    for bracket in _BRACKET.finditer(text):
        depth = depth + 1 if bracket[0] == "[" else max(depth - 1, 0)
        if depth > _DEEPEST_BRACKETS:
            return True
    return False
