"""HTML rewritten so that a parser needs time and memory linear to its length."""

import re
from collections import Counter

_MAX_DEPTH = 500
_MAX_FORMATTING = 16  # a parser repeats those that are open in each paragraph
_MAX_ATTRIBUTES = 250  # a parser compares each attribute of a tag with all others
_MAX_PIECE = 2_000  # characters between two tags, in a page without long tags

_FORMATTING = frozenset(
    {"b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"}  # without `a`
)
# Elements without content, or that the next of their kind ends.
_NOT_COUNTED = frozenset(
    {
        *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track"),
        *("wbr", "html", "head", "body", "p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot"),
        *("colgroup", "a", "option", "rb", "rp", "rt", "rtc", "h1", "h2", "h3", "h4", "h5", "h6"),
    }
)
_INLINE = _FORMATTING | {"span", "abbr", "bdi", "bdo", "cite", "del", "dfn", "ins", "kbd", "mark", "q", "samp", "var"}
_NAME = re.compile(r"<(/?[a-zA-Z][^\s/<>]*)")
_TAG = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?:script|style)\b.*?(?:</(?:script|style)|\Z)"
    r"|<(?P<end>/?)(?P<name>[a-z][^\s/<>]*)[^<>]*?(?P<empty>/?)>",
    re.IGNORECASE | re.DOTALL,
)
_START = re.compile(r"<[a-zA-Z][^\s/>]*")
_ATTRIBUTE = re.compile(r"""[\s/]*[^\s/>][^\s/>=]*(?:\s*=\s*(?:"[^"]*(?:"|\Z)|'[^']*(?:'|\Z)|[^\s>"'][^\s>]*)?)?""")


def limit_nesting(html: str) -> str:
    r"""Return the HTML with less nesting and fewer attributes if it has very much of them.

    An element deeper than 500, or than 16 for formatting such as bold, loses its tags; a block
    becomes a line. A tag keeps 250 attributes. Text, links and headings stay.

    >>> limit_nesting("<div>" * 502 + "a").endswith("<div><br><br>a")
    True
    """
    names = _NAME.findall(html)
    pieces = html.split("<")
    if len(pieces) - len(names) > _MAX_ATTRIBUTES or max(map(len, pieces)) > _MAX_PIECE:
        html = _limit_attributes(html)
    return _limit_depth(html) if _is_deep(names) else html


def _is_deep(names: list[str]) -> bool:
    opened: dict[str, int] = {}
    depth = formatting = 0
    for name in names:
        if name[0] == "/":
            name = name[1:]  # noqa: PLW2901
            if not (count := opened.get(name)):
                continue
            change = -1
        elif name in _NOT_COUNTED:
            continue
        else:
            count, change = opened.get(name, 0), 1
        opened[name] = count + change
        depth += change
        if name in _FORMATTING:
            formatting += change
        if depth > _MAX_DEPTH or formatting > _MAX_FORMATTING:
            return True
    return False


def _limit_depth(html: str) -> str:
    opened: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    num_opened = {True: 0, False: 0}  # formatting elements, and others

    def replace(tag: re.Match[str]) -> str:
        name = (tag["name"] or "").lower()
        is_formatting = name in _FORMATTING
        if not name or name in _NOT_COUNTED or (tag["empty"] and (opened["svg"] or opened["math"])):
            return tag[0]
        if tag["end"]:
            if dropped[name]:
                dropped[name] -= 1
                return "" if name in _INLINE else "<br>"
            if opened[name]:
                opened[name] -= 1
                num_opened[is_formatting] -= 1
        elif num_opened[is_formatting] >= (_MAX_FORMATTING if is_formatting else _MAX_DEPTH):
            dropped[name] += 1
            return "" if name in _INLINE else "<br>"
        else:
            opened[name] += 1
            num_opened[is_formatting] += 1
        return tag[0]

    return _TAG.sub(replace, html)


def _limit_attributes(html: str) -> str:
    kept: list[str] = []
    done = place = 0
    while (start := _START.search(html, place)) is not None:
        place, count = start.end(), 0
        while (attribute := _ATTRIBUTE.match(html, place)) is not None:
            place, count = attribute.end(), count + 1
            if count == _MAX_ATTRIBUTES:
                kept.append(html[done:place])
        if count >= _MAX_ATTRIBUTES:
            done = place
    return "".join((*kept, html[done:]))
