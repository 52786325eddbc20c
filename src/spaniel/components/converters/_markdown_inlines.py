"""Inline rules of Markdown dialects: attributes, roles, template tags, wiki links, web addresses."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from spaniel.components.converters._markdown_templates import match_output, match_placeholder, match_tag
from spaniel.text.attributes import match_attributes
from spaniel.text.web_addresses import match_address

if TYPE_CHECKING:
    from markdown_it.helpers.parse_link_destination import _Result
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

InlineRule = Callable[["StateInline", bool], bool]

_SCHEME = re.compile(r"(?<![\w.+-])https?$", re.IGNORECASE)
_ROLE = re.compile(r"\{(?P<name>[a-zA-Z][\w:+.-]*+)\}(?P<ticks>`++)")
_WIKI_LINK = re.compile(
    r"!?\[\[(?P<page>[^\[\]|#\n]{0,300})(?P<section>#[^\[\]|\n]{0,300})?(?:\\?\|(?P<text>[^\[\]\n]{0,300}))?\]\](?![(\[])"
)
_EMOJI_END = re.compile(r":[\w+-]+:$")
_ATTRIBUTED = frozenset(("image", "code_inline", "link_close", "span_close", "myst_role", "math_inline"))
_EMPHASIS = frozenset("*_~")


def _push_text(state: "StateInline", kind: str, content: str) -> "Token":
    token = state.push(kind, "", 0)
    token.content = content
    return token


def parse_address(state: "StateInline", silent: bool) -> bool:
    """Parse a bare web address; its characters mark no emphasis."""
    if state.linkLevel > 0 or not state.src.startswith("://", state.pos):
        return False
    scheme = _SCHEME.search(state.pending[-8:])
    if scheme is None:
        return False
    start = state.pos - len(scheme[0])
    address = match_address(state.src[: state.posMax] if state.posMax < len(state.src) else state.src, start)
    if len(address) <= len(scheme[0]) + 3:
        return False
    if not silent:
        state.pending = state.pending[: -len(scheme[0])]
        state.push("link_open", "a", 1).attrs = {"href": address}
        _push_text(state, "text", address)
        state.push("link_close", "a", -1)
    state.pos = start + len(address)
    return True


def parse_braces(state: "StateInline", silent: bool) -> bool:
    """Parse an attribute list, a role of MyST, a tag of Liquid or Hugo, or Jinja's output."""
    found = match_attributes(state.src, state.pos)
    if found is not None and found.end <= state.posMax and _takes_attributes(state, found.end):
        if not silent:
            state.pending = state.pending.rstrip(" ")
            if found.id:
                state.push("anchor", "", 0).meta = {"name": found.id}
        state.pos = found.end
        return True
    return _parse_role(state, silent) or _parse_template(state, silent)


def _takes_attributes(state: "StateInline", end: int) -> bool:
    """Return if an attribute list belongs to the element right before it, or to the heading that
    it ends.
    """
    if "in_heading" in state.env and not state.src[end:].strip():
        return True
    if state.pending:
        return _EMOJI_END.search(state.pending[-50:]) is not None
    if not state.tokens:
        return False
    last = state.tokens[-1]
    return last.type in _ATTRIBUTED or (last.type == "text" and last.content[-1:] in _EMPHASIS)


def _parse_role(state: "StateInline", silent: bool) -> bool:
    role = _ROLE.match(state.src, state.pos, state.posMax)
    if role is None:
        return False
    ticks, start = role["ticks"], role.end()
    closing = re.compile(rf"(?<!`){ticks}(?!`)").search(state.src, start, state.posMax)
    if closing is None:
        return False
    if not silent:
        content = state.src[start : closing.start()].replace("\n", " ")
        _push_text(state, "myst_role", content).meta = {"name": role["name"]}
    state.pos = closing.end()
    return True


def _parse_template(state: "StateInline", silent: bool) -> bool:
    end = match_tag(state.src, state.pos)
    if end and end <= state.posMax:
        if state.src[end : end + 1] == " " and (not state.pos or state.src[state.pos - 1] in " \n"):
            end += 1
        if not silent:
            state.push("template_tag", "", 0)
        state.pos = end
        return True
    if state.src.startswith("{{", state.pos) and (end := match_output(state.src, state.pos)) and end <= state.posMax:
        if not silent:
            _push_text(state, "raw_text", state.src[state.pos : end])
        state.pos = end
        return True
    return False


def parse_wiki_link(state: "StateInline", silent: bool) -> bool:
    """Parse ``[[page#section|text]]`` and ``![[page]]`` of Obsidian and other wikis."""
    if not state.src.startswith(("[[", "![["), state.pos) or state.linkLevel > 0:
        return False
    match = _WIKI_LINK.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    page, section, text = match["page"].strip().rstrip("\\"), (match["section"] or "").strip(), match["text"]
    if page != match["page"].rstrip("\\") or not (page or section) or _is_reference(state, match["page"]):
        return False
    if not silent:
        state.push("link_open", "a", 1).attrs = {"href": f":wiki:{page}{section}"}
        _push_text(state, "text", (text or "").strip() or " > ".join(filter(None, (page, *section.split("#")))))
        state.push("link_close", "a", -1)
    state.pos = match.end()
    return True


def _is_reference(state: "StateInline", label: str) -> bool:
    from markdown_it.common.utils import normalizeReference

    return normalizeReference(label) in state.env.get("references", ())


def parse_span(state: "StateInline", silent: bool) -> bool:
    """Parse ``[words]{.class}``, a span of Pandoc."""
    if state.pos > _find_last_span(state):
        return False
    end = state.md.helpers.parseLinkLabel(state, state.pos, False)
    found = match_attributes(state.src, end + 1) if end > 0 else None
    if found is None:
        return False
    if not silent:
        if found.id:
            state.push("anchor", "", 0).meta = {"name": found.id}
        _tokenize_label(state, "span", state.pos + 1, end)
    state.pos = found.end
    return True


def _find_last_span(state: "StateInline") -> int:
    """Return the last place where a span may end; most texts have none."""
    found = state.env.get("last_span")
    if found is None or found[0] is not state.src:
        found = state.env["last_span"] = (state.src, state.src.rfind("]{"))
    return int(found[1])


def parse_note(state: "StateInline", silent: bool) -> bool:
    """Parse ``^[words]``, a footnote in the line."""
    if not state.src.startswith("^[", state.pos):
        return False
    end = state.md.helpers.parseLinkLabel(state, state.pos + 1, False)
    if end < 0:
        return False
    if not silent:
        _tokenize_label(state, "note", state.pos + 2, end)
    state.pos = end + 1
    return True


def _tokenize_label(state: "StateInline", kind: str, start: int, end: int) -> None:
    before, state.pos, state.posMax = state.posMax, start, end
    state.push(f"{kind}_open", "span", 1)
    state.md.inline.tokenize(state)
    state.push(f"{kind}_close", "span", -1)
    state.posMax = before


def parse_destination(text: str, start: int, end: int) -> "_Result":
    """Parse the destination of a link, which may hold the tags of a template."""
    from markdown_it.helpers import parseLinkDestination

    result = parseLinkDestination(text, start, end)
    if text.find("{", start, min(start + 200, end)) < 0:
        return result
    place, has_template = start, False
    while place < end and text[place] not in " \t\n()<":
        stop = match_placeholder(text, place, end)
        has_template = has_template or bool(stop)
        place = stop or place + 1
    if has_template:
        result.ok, result.str, result.pos = True, text[start:place], place
    return result


INLINE_RULES: dict[str, tuple[InlineRule, ...]] = {
    ":": (parse_address,),
    "{": (parse_braces,),
    "[": (parse_wiki_link,),
    "!": (parse_wiki_link,),
    "^": (parse_note,),
}
"""The inline rules of dialects by the character that they begin with; they come before others."""
