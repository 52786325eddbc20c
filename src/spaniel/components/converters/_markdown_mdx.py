"""Rules of MDX: imports and exports, JSX elements as HTML, and expressions in braces."""

import re
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from spaniel.components.converters._markdown_blocks import BLOCK_RULES, BlockRule
from spaniel.components.converters._markdown_inlines import INLINE_RULES, InlineRule

if TYPE_CHECKING:
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline

_WINDOW = 20_000  # characters of an element's tag, or of an expression
_MAX_DEPTH = 32  # braces in braces
_MODULE = re.compile(
    r"import\s*(?:[\"'{*]|[\w$]+(?:\s*,\s*[{*]|\s+from\b))|export\s+(?:default|const|let|var|function|class|async|type|interface)\b"
    r"|export\s*[{*]"
)
_BRACKETS = r"""[{}()\[\]]|//[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'"""
_JAVASCRIPT = re.compile(rf"{_BRACKETS}|/\*.*?\*/|`(?:[^`\\]|\\.)*`", re.DOTALL)
_JAVASCRIPT_WITHOUT_COMMENTS = re.compile(_BRACKETS)  # faster where no comment ends
_TAG = re.compile(r"<(?P<end>/?)\s*(?P<name>[A-Za-z_$][\w$.:-]*)?")
_ATTRIBUTE = re.compile(
    r"""\s*(?P<name>[A-Za-z_$][\w$:.-]*)(?:\s*=\s*(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<brace>\{)))?"""
)
_END_OF_TAG = re.compile(r"\s*(?P<empty>/?)>")
_SPREAD = re.compile(r"\s*(?=\{)")
_STRING = re.compile(r"""\{\s*(?:"(?P<a>[^"\\]*)"|'(?P<b>[^'\\]*)'|`(?P<c>[^`\\$]*)`)\s*\}""")
_EXPRESSION_COMMENT = re.compile(r"\{\s*(?:/\*.*\*/\s*)*\}", re.DOTALL)
_TITLES = ("title", "label", "header", "heading", "summary", "caption", "alt", "description", "text", "name")
_KEPT = {"id": "id", "href": "href", "alt": "alt", "colSpan": "colspan", "rowSpan": "rowspan", "start": "start"}
_VOID = frozenset(("area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"))
_NO_TEXT = frozenset(("script", "style", "iframe", "textarea", "noembed", "noframes", "title", "xmp", "plaintext"))
_LINKS = frozenset(("Link", "NavLink", "A", "Anchor"))


class JSXTag(NamedTuple):
    """A start or end tag; the name of a fragment is empty."""

    name: str
    attributes: dict[str, str]
    is_end: bool
    is_empty: bool
    end: int


def match_braces(text: str, start: int) -> int:
    """Return the end of the expression in braces at an offset, or 0.

    >>> match_braces("{f({a: '}'})} b", 0)
    13
    """
    depth, end = 0, start + _WINDOW
    has_comments = text.find("*/", start, end) >= 0 or text.find("`", start, end) >= 0
    for sign in (_JAVASCRIPT if has_comments else _JAVASCRIPT_WITHOUT_COMMENTS).finditer(text, start, end):
        if sign[0] == "{":
            depth += 1
            if depth > _MAX_DEPTH:
                break
        elif sign[0] == "}":
            depth -= 1
            if depth == 0:
                return sign.end()
    return 0


def match_tag(text: str, start: int) -> JSXTag | None:
    """Return the tag at an offset of the text.

    >>> match_tag("<Card title='A b' wide={true} /> c", 0)
    JSXTag(name='Card', attributes={'title': 'A b'}, is_end=False, is_empty=True, end=32)
    """
    opening = _TAG.match(text, start)
    if opening is None:
        return None
    attributes: dict[str, str] = {}
    place, limit = opening.end(), start + _WINDOW
    while place < limit:
        if (end := _END_OF_TAG.match(text, place)) is not None:
            is_empty = bool(end["empty"])
            return JSXTag(opening["name"] or "", attributes, bool(opening["end"]), is_empty, end.end())
        attribute = _ATTRIBUTE.match(text, place) if opening["name"] else None
        if attribute is None:
            spread = _SPREAD.match(text, place)
            place = match_braces(text, spread.end()) if spread and opening["name"] else 0
        elif attribute["brace"]:
            brace = attribute.end() - 1
            place = match_braces(text, brace)
            if (literal := _STRING.fullmatch(text, brace, place)) is not None:
                attributes[attribute["name"]] = literal["a"] or literal["b"] or literal["c"] or ""
        else:
            place = attribute.end()
            attributes[attribute["name"]] = attribute["double"] or attribute["single"] or ""
        if not place:
            return None
    return None


def write_tag(tag: JSXTag, *, is_block: bool) -> str:
    """Return a tag of JSX as HTML. Of a component, its title, label and link are shown.

    >>> write_tag(JSXTag("Card", {"title": "A", "href": "b.md"}, False, True, 0), is_block=True)
    '<div><a href="b.md">A</a></div>'
    """
    name = tag.name
    if name in _NO_TEXT:
        return ""
    is_component = not name[:1].islower() or "." in name or ":" in name
    element = "a" if name in _LINKS else name if not is_component else "div" if is_block else "span"
    if tag.is_end:
        return f"</{element}>"
    attributes = {_KEPT[key]: value for key, value in tag.attributes.items() if key in _KEPT}
    target = tag.attributes.get("to") or tag.attributes.get("href")
    words = ""
    if is_component and element != "a":
        attributes.pop("href", None)
        words = ": ".join(tag.attributes[key] for key in _TITLES if tag.attributes.get(key))
        words = escape(words, quote=False)
        if words and target:
            words = f'<a href="{escape(target)}">{words}</a>'
        elif words and not tag.is_empty and is_block:
            words = f"<p>{words}</p>"
    elif target:
        attributes["href"] = target
    written = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items())
    end = f"</{element}>" if tag.is_empty and element not in _VOID else ""
    return f"<{element}{written}>{words}{end}"


def _match_comment(text: str, start: int) -> int:
    """Return the end of a comment of HTML at an offset, or 0."""
    end = text.find("-->", start, start + _WINDOW) if text.startswith("<!--", start) else -1
    return end + 3 if end >= 0 else 0


def parse_module(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
    """Parse imports and exports, which end with an empty line outside of brackets."""
    if state.level or state.sCount[start] or not _MODULE.match(state.src, state.bMarks[start]):
        return False
    if silent:
        return True
    stop, first_stop, depth = start, 0, 0
    while stop < end and depth <= _MAX_DEPTH:
        if state.isEmpty(stop):
            first_stop = first_stop or stop
            if depth <= 0:
                break
        for sign in _JAVASCRIPT.findall(state.src, state.bMarks[stop], state.eMarks[stop]):
            depth += (sign in "{[(") - (sign in "}])")
        stop += 1
    state.line = stop if depth <= 0 else first_stop or stop
    return True


def _find_line(state: "StateBlock", place: int, start: int, end: int) -> int:
    """Return the line, up to `end`, of an offset."""
    line = start
    while line < end and state.eMarks[line] < place:
        line += 1
    return line


def parse_element(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
    """Parse lines that have tags of JSX only; the lines between them are Markdown."""
    place = state.bMarks[start] + state.tShift[start]
    html: list[str] = []
    while True:
        if (comment_end := _match_comment(state.src, place)) > 0:
            place = comment_end
        elif (tag := match_tag(state.src, place)) is not None:
            html.append(write_tag(tag, is_block=True))
            place = _skip_content(state.src, tag)
        else:
            return False
        line = _find_line(state, place, start, end)
        if line >= end:
            return False
        place += len(state.src[place : state.eMarks[line]]) - len(state.src[place : state.eMarks[line]].lstrip())
        if place >= state.eMarks[line]:
            break
        if state.src[place] != "<":
            return False
    if not silent:
        token = state.push("html_block", "", 0)
        token.content, token.map = "".join(html), [start, line + 1]
        state.line = line + 1
    return True


def _skip_content(text: str, tag: JSXTag) -> int:
    """Return the end of a tag, or of a script or style with its content."""
    if tag.name not in ("script", "style") or tag.is_end or tag.is_empty:
        return tag.end
    closing = text.find(f"</{tag.name}>", tag.end)
    return tag.end if closing < 0 else closing + len(tag.name) + 3


def parse_expression_block(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
    """Parse an expression on lines of its own: code, or a comment, which is left out."""
    place = state.bMarks[start] + state.tShift[start]
    stop = match_braces(state.src, place)
    if not stop:
        return False
    line = _find_line(state, stop, start, end)
    if line >= end or state.src[stop : state.eMarks[line]].strip():
        return False
    if not silent:
        expression = state.src[place:stop]
        if not _EXPRESSION_COMMENT.fullmatch(expression):
            token = state.push("code_block", "code", 0)
            token.content, token.map = expression, [start, line + 1]
        state.line = line + 1
    return True


def parse_inline_tag(state: "StateInline", silent: bool) -> bool:
    """Parse a tag of JSX in a paragraph."""
    end = _match_comment(state.src, state.pos)
    tag = None if end else match_tag(state.src, state.pos)
    end = tag.end if tag else end
    if not end or end > state.posMax:
        return False
    if not silent and tag is not None:
        state.push("html_inline", "", 0).content = write_tag(tag, is_block=False)
    state.pos = end
    return True


def parse_expression(state: "StateInline", silent: bool) -> bool:
    """Parse an expression in a paragraph: a string is text, a comment is left out."""
    end = match_braces(state.src, state.pos)
    if not end or end > state.posMax:
        return False
    expression = state.src[state.pos : end]
    if not silent and not _EXPRESSION_COMMENT.fullmatch(expression):
        literal = _STRING.fullmatch(expression)
        content = (literal["a"] or literal["b"] or literal["c"] or "") if literal else expression
        state.push("raw_text", "", 0).content = content
    state.pos = end
    return True


def _try_both(first: BlockRule, second: BlockRule) -> BlockRule:
    def parse(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
        return first(state, start, end, silent) or second(state, start, end, silent)

    return parse


MDX_BLOCK_RULES: dict[str, BlockRule] = {
    **BLOCK_RULES,
    **dict.fromkeys("ie", parse_module),
    "<": parse_element,
    "{": _try_both(BLOCK_RULES["{"], parse_expression_block),
}
MDX_INLINE_RULES: dict[str, tuple[InlineRule, ...]] = {
    **INLINE_RULES,
    "<": (parse_inline_tag,),
    "{": (*INLINE_RULES["{"], parse_expression),
}
