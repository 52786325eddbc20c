"""Markdown as tokens; blocks of site builders are rewritten to CommonMark first."""

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

MAX_DEPTH = 150  # blocks within blocks; the parser drops deeper ones
_MAX_BRACKETS = 32
_BRACKET = re.compile(r"(?<!\\)[\[\]]")

# MkDocs' `!!! note "Title"`, `??? tip`, `=== "Tab"`: a title, then an indented block.
_INDENTED_BLOCK = re.compile(
    r"""^(?P<indent>[ ]*)(?:!!!|\?\?\?\+?|===[!+]*|///)[ ]+(?P<kind>[\w -]*?)[ ]*(?:["'](?P<title>.*)["'])?[ ]*$"""
)
# Docusaurus' and MyST's `:::note[Title]` ... `:::`
_FENCED = re.compile(r"^[ ]*:{3,}[ ]*(?:\{?[\w-]+\}?)?[ ]*(?:\[(?P<title>.*)\]|(?P<words>[^{\[]*))?(?:\{.*\})?[ ]*$")
_DROPPED = re.compile(
    r"""^[ ]*(?:--8<--|\{%|\{:[^}]*\}[ ]*$|///[ ]*$|\[TOC\][ ]*$|import[ ].*[ ]from[ ]["'][^"']+["'];?[ ]*$)"""
)
_LABEL = re.compile(r"^(?P<indent>[ ]*)\((?P<name>[\w.:-]+)\)=[ ]*$")  # MyST's
_FENCE = re.compile(r"^[ ]{0,12}(?:[-*+>]|\d+[.)])?[ ]*(`{3,}|~{3,})")
_SIGNS = re.compile(r"^[ ]*(?:!!!|\?\?\?|===|///|:::|--8<--|\{[%:]|\[TOC\]|import |\([\w.:-]+\)=)", re.MULTILINE)
_BODY_INDENT = 4


def parse(text: str) -> "list[Token]":
    """Return the tokens of a Markdown text."""
    return _create_parser().parse(rewrite_dialects(text))


@cache
def _create_parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": MAX_DEPTH}).enable(["table", "strikethrough"])
    setattr(parser, "normalizeLink", str)  # noqa: B010 (mypy forbids to assign methods): keep targets as written
    parser.core.ruler.at("inline", _parse_inline)
    return parser


def _parse_inline(state: "StateCore") -> None:
    from markdown_it.token import Token

    for token in state.tokens:
        if token.type == "inline" and has_deep_brackets(token.content):
            token.children = [Token("text", "", 0, content=token.content)]
        elif token.type == "inline":
            token.children = []
            state.md.inline.parse(token.content, state.md, state.env, token.children)


def has_deep_brackets(text: str) -> bool:
    """Return if more than 32 brackets are nested, which is slow to parse: each may begin a link.

    >>> has_deep_brackets("[" * 33), has_deep_brackets("[x]" * 33)
    (True, False)
    """
    if text.count("[") <= _MAX_BRACKETS:
        return False
    depth = 0
    for bracket in _BRACKET.finditer(text):
        depth = depth + 1 if bracket[0] == "[" else max(depth - 1, 0)
        if depth > _MAX_BRACKETS:
            return True
    return False


def rewrite_dialects(text: str) -> str:
    r"""Return the text with the blocks of MkDocs, Docusaurus and Jekyll as plain Markdown.

    >>> rewrite_dialects('!!! note "Beware"\n    It bites.\n')
    '\nBeware\n\nIt bites.\n'
    """
    if _SIGNS.search(text) is None:
        return text
    lines: list[str] = []
    bodies: list[int] = []  # the indentation of each open block in the source
    fence = ""
    for line in text.split("\n"):
        width = len(line) - len(line.lstrip(" "))
        while bodies and line.strip() and width < bodies[-1]:
            bodies.pop()
        shown = line[min(_BODY_INDENT * len(bodies), width) :]
        opened = _FENCE.match(line)
        if fence or opened:
            lines.append(shown)
            fence = _update_fence(fence, opened, line)
        elif block := _INDENTED_BLOCK.match(line):
            indent = shown[: len(shown) - len(shown.lstrip(" "))]
            lines += ["", indent + (block["title"] or block["kind"].strip().title()), ""]
            bodies.append(width + _BODY_INDENT)
        else:
            lines += _rewrite_line(line, shown)
    return "\n".join(lines)


def _update_fence(fence: str, mark: re.Match[str] | None, line: str) -> str:
    if not fence:
        return mark.group(1) if mark else ""
    closes = mark is not None and mark.group(1).startswith(fence) and line.strip() == mark.group(1)
    return "" if closes else fence


def _rewrite_line(line: str, shown: str) -> list[str]:
    if fenced := _FENCED.match(line):
        return ["", (fenced["title"] or fenced["words"] or "").strip(), ""]
    if label := _LABEL.match(line):
        return [f'{label["indent"]}<a id="{label["name"]}"></a>', ""]
    return [] if _DROPPED.match(line) else [shown]
