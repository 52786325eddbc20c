"""Markdown as tokens: markdown-it-py with plugins, and the rules of dialects."""

import re
from collections.abc import Callable
from functools import cache
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from spaniel.components.converters._markdown_blocks import BLOCK_RULES, BlockRule
from spaniel.components.converters._markdown_inlines import INLINE_RULES, InlineRule, parse_destination, parse_span
from spaniel.components.converters._markdown_mdx import MDX_BLOCK_RULES, MDX_INLINE_RULES

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.ruler import Ruler
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

MAX_DEPTH = 150  # blocks within blocks; the parser drops deeper ones
_MAX_BRACKETS = 32
_BRACKET = re.compile(r"(?<!\\)[\[\]]")
_UNDERLINE = re.compile(r"^[ \t>]*(?:=+|-+)[ \t]*$", re.MULTILINE)
_DEFINITION = re.compile(r"^[ \t>]*[:~][ \t]", re.MULTILINE)

# The first characters of the blocks of each rule; rules without an entry begin with any.
_BLOCK_STARTS = {
    "dialect": "".join(MDX_BLOCK_RULES),
    "fence": "`~",
    "blockquote": ">",
    "hr": "*-_",
    "list": "*+-0123456789",
    "reference": "[",
    "html_block": "<",
    "heading": "#",
    "math_block": "$",
    "amsmath": "\\",
    "footnote_def": "[",
}
_INLINE_STARTS = {
    "newline": "\n",
    "escape": "\\",
    "backticks": "`",
    "strikethrough": "~",
    "emphasis": "*_",
    "link": "[",
    "footnote_ref": "[",
    "span": "[",
    "image": "!",
    "autolink": "<",
    "html_inline": "<",
    "entity": "&",
    "math_inline": "$",
    "dialect": "".join(MDX_INLINE_RULES),
}
_STOPS = re.compile(r"[\n\\`*_~\[\]<&${]|!(?=\[)|\^(?=\[)|:(?=//)")  # where words of a paragraph may end


def parse(text: str, *, mdx: bool = False) -> "list[Token]":
    """Return the tokens of a Markdown text."""
    env: dict[str, Any] = {}
    return create_parser(mdx=mdx).parse(text, env)


@cache
def create_parser(*, mdx: bool = False, dispatch: bool = True) -> "MarkdownIt":
    """Return the parser of Markdown or MDX.

    :param dispatch: choose rules by the first character, which changes no token.
    """
    from markdown_it import MarkdownIt
    from markdown_it.helpers import parseLinkLabel, parseLinkTitle
    from mdit_py_plugins.amsmath import amsmath_plugin
    from mdit_py_plugins.deflist import deflist_plugin
    from mdit_py_plugins.dollarmath import dollarmath_plugin
    from mdit_py_plugins.footnote import footnote_plugin

    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": MAX_DEPTH}).enable(["table", "strikethrough"])
    parser.use(footnote_plugin, inline=False, move_to_end=False).use(deflist_plugin).use(amsmath_plugin)
    parser.use(dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=True)
    setattr(parser, "normalizeLink", str)  # noqa: B010 (mypy forbids to assign methods): keep targets as written
    parser.helpers = cast(
        "ModuleType",
        SimpleNamespace(
            parseLinkLabel=parseLinkLabel, parseLinkTitle=parseLinkTitle, parseLinkDestination=parse_destination
        ),
    )
    parser.core.ruler.at("inline", _parse_inline)
    block_rule = _create_block_rule(MDX_BLOCK_RULES if mdx else BLOCK_RULES)
    parser.block.ruler.before("table", "dialect", block_rule, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    parser.inline.ruler.after("text", "dialect", _create_inline_rule(MDX_INLINE_RULES if mdx else INLINE_RULES))
    parser.inline.ruler.after("link", "span", parse_span)
    if mdx:
        parser.disable(["code", "html_block", "html_inline", "autolink"])
    if dispatch:
        _limit_rule(parser.block.ruler, "lheading", "has_underlines", _UNDERLINE)
        _limit_rule(parser.block.ruler, "deflist", "has_definitions", _DEFINITION)
        parser.inline.terminator_re = _STOPS
        _dispatch_block_rules(parser)
        _dispatch_inline_rules(parser)
    return parser


def _create_block_rule(rules: dict[str, BlockRule]) -> BlockRule:
    def parse_dialect(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
        rule = rules.get(state.src[state.bMarks[start] + state.tShift[start]])
        return rule is not None and not state.is_code_block(start) and rule(state, start, end, silent)

    return parse_dialect


def _create_inline_rule(rules: dict[str, tuple[InlineRule, ...]]) -> InlineRule:
    def parse_dialect(state: "StateInline", silent: bool) -> bool:
        return any(rule(state, silent) for rule in rules.get(state.src[state.pos], ()))

    return parse_dialect


def _limit_rule(ruler: "Ruler[Any]", name: str, key: str, pattern: re.Pattern[str]) -> None:
    """Try a block rule in texts with a pattern only: it would read each paragraph once more."""
    index = ruler.__find__(name)
    rule = ruler.__rules__[index].fn

    def parse_limited(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
        found = state.env.get(key)
        if found is None:
            found = state.env[key] = pattern.search(state.src) is not None
        return found and rule(state, start, end, silent)

    ruler.__rules__[index].fn = parse_limited


def _group_rules(ruler: "Ruler[Any]", starts: dict[str, str], chain: str) -> tuple[dict[str, list[Any]], list[Any]]:
    """Return the rules of a chain by the first character, and those of all other characters."""
    rules = [rule for rule in ruler.__rules__ if rule.enabled and (not chain or chain in rule.alt)]
    characters = {character for rule in rules for character in starts.get(rule.name, "")}
    groups = {
        character: [rule.fn for rule in rules if character in starts.get(rule.name, character)]
        for character in characters
    }
    return groups, [rule.fn for rule in rules if rule.name not in starts]


def _dispatch_block_rules(parser: "MarkdownIt") -> None:
    ruler = parser.block.ruler
    ruler.__compile__()
    chains = ruler.__cache__ or {}
    for chain in chains:
        chains[chain] = [_create_block_dispatcher(*_group_rules(ruler, _BLOCK_STARTS, chain))]


def _create_block_dispatcher(groups: dict[str, list[Any]], others: list[Any]) -> Callable[..., bool]:
    def dispatch(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
        place = state.bMarks[start] + state.tShift[start]
        for rule in groups.get(state.src[place : place + 1], others):  # noqa: SIM110 (any() is slower here)
            if rule(state, start, end, silent):
                return True
        return False

    return dispatch


def _dispatch_inline_rules(parser: "MarkdownIt") -> None:
    ruler = parser.inline.ruler
    ruler.__compile__()
    groups, others = _group_rules(ruler, _INLINE_STARTS, "")

    def dispatch(state: "StateInline", silent: bool) -> bool:
        for rule in groups.get(state.src[state.pos], others):  # noqa: SIM110 (any() is slower here)
            if rule(state, silent):
                return True
        return False

    ruler.__cache__ = {"": [dispatch]}


def _parse_inline(state: "StateCore") -> None:
    from markdown_it.token import Token

    before = ""
    for token in state.tokens:
        if token.type == "inline":
            if has_deep_brackets(token.content):
                token.children = [Token("text", "", 0, content=token.content)]
                continue
            if before == "heading_open":
                state.env["in_heading"] = True
            token.children = []
            state.md.inline.parse(token.content, state.md, state.env, token.children)
            state.env.pop("in_heading", None)
        before = token.type


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
