"""Block rules of Markdown dialects: MkDocs, Docusaurus, VitePress, MyST, kramdown, Jekyll."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from spaniel.components.converters._markdown_templates import is_template_line
from spaniel.text.attributes import match_attributes

if TYPE_CHECKING:
    from markdown_it.rules_block import StateBlock

BlockRule = Callable[["StateBlock", int, int, bool], bool]

_ADMONITIONS = frozenset(
    (
        *("note", "tip", "info", "warning", "danger", "caution", "important", "hint", "attention", "error", "abstract"),
        *(
            "success",
            "question",
            "failure",
            "bug",
            "example",
            "quote",
            "seealso",
            "details",
            "todo",
            "summary",
            "check",
        ),
        *("tldr", "help", "faq", "fail", "missing", "cite", "done"),
    )
)
# Containers whose names sites don't show.
_LAYOUTS = frozenset(("code-group", "raw", "v-pre", "tab", "admonition", "html", "columns", "column", "tabs", "steps"))
# Fenced directives of MyST with Markdown in them; the content of others is code.
_DIRECTIVES = _ADMONITIONS | {
    *(
        "admonition",
        "dropdown",
        "card",
        "grid",
        "grid-item",
        "grid-item-card",
        "tab-set",
        "tab-item",
        "figure",
        "topic",
    ),
    *("sidebar", "margin", "aside", "epigraph", "highlights", "pull-quote", "versionadded", "versionchanged", "div"),
    *("deprecated", "glossary", "list-table", "table", "container", "exercise", "solution", "proof", "rubric"),
}
_PATH_DIRECTIVES = frozenset({"figure"})  # the argument is a file
_MODIFIERS = frozenset({"inline", "end"})  # of an admonition's place

_TABLES_OF_CONTENTS = frozenset({"[TOC]", "[toc]", "[[toc]]", "[[TOC]]", "[[_TOC_]]", "[TOCM]"})
_CONTAINER = re.compile(r":{3,}[ \t]*+(?P<rest>.*)")
_NAME = re.compile(r"(?P<name>[\w-]++)(?P<rest>$|[ \t{\[].*)")
_DIRECTIVE = re.compile(r"\{(?P<name>[\w:.+-]++)\}[ \t]*+(?P<rest>.*)")
_TITLE_ATTRIBUTE = re.compile(r"""\btitle=(?:"([^"]*)"|'([^']*)')""")
_CLASS = re.compile(r"\.(?:callout-)?([\w-]+)")
_SLASHES = re.compile(r"///+(?:[ \t]++(?P<name>[\w-]++)[ \t]*+(?:\|[ \t]*+(?P<title>.*))?)?$")
_INDENTED = re.compile(
    r"""(?:!!!|\?\?\?\+?|(?P<tab>===[!+]*))[ \t]++(?P<kinds>[^"']*+)(?:(?P<quote>["'])(?P<title>.*)(?P=quote))?$"""
)
_LABEL = re.compile(r"\((?P<name>[^()\s][^()]*)\)=$")
_OPTION = re.compile(r":[\w-]+:")
_YAML_OPTION = re.compile(r"[\w-]+:")
_KRAMDOWN = re.compile(r"\{:[:/]/?[^{}]*\}$")
_HIGHLIGHT = re.compile(r"\{%-?[ ]*highlight\b[^{}]*%\}$")
_END_HIGHLIGHT = re.compile(r"\{%-?[ ]*endhighlight[ ]*-?%\}$")
_MARKDOWN_IN_HTML = re.compile(r"""<\w+(?=[^<>]*\smarkdown(?:=["']?(?:1|block|span)["']?)?[\s>])[^<>]*>$""")
_FENCE = re.compile(r"(?P<marks>`{3,}|~{3,})[ ]*(?P<rest>\{.*)")
_BODY_INDENT = 4


def _read_line(state: "StateBlock", line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].rstrip()


def _push_paragraph(state: "StateBlock", line: int, text: str) -> None:
    """Write words of a marker's line, such as a title, as a paragraph."""
    if not text:
        return
    state.push("paragraph_open", "p", 1).map = [line, line + 1]
    inline = state.push("inline", "", 0)
    inline.content, inline.map, inline.children = text, [line, line + 1], []
    state.push("paragraph_close", "p", -1)


def _push_anchor(state: "StateBlock", name: str, *, is_label: bool = False) -> None:
    if name:
        state.push("anchor", "", 0).meta = {"name": name, "is_label": is_label}


def _tokenize_body(state: "StateBlock", start: int, end: int, indent: int, kind: str) -> None:
    """Parse the lines of a block that is part of another."""
    parent, line_max, before = state.parentType, state.lineMax, state.blkIndent
    state.parentType, state.lineMax, state.blkIndent = kind, end, indent
    state.level += 1
    state.md.block.tokenize(state, start, end)
    state.level -= 1
    state.parentType, state.lineMax, state.blkIndent = parent, line_max, before


def _skip_options(state: "StateBlock", line: int, end: int, option: re.Pattern[str], min_indent: int = 0) -> int:
    """Return the first line after the options of a block."""
    while line < end and not state.isEmpty(line) and state.sCount[line] >= min_indent:
        if not option.match(_read_line(state, line)):
            break
        line += 1
    return line


def _title_of(name: str, title: str) -> str:
    return title or (name.capitalize() if name.lower() in _ADMONITIONS else "")


def parse_indented(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
    """Parse MkDocs' ``!!! note "Title"``, ``??? tip``, ``=== "Tab"``: a title, an indented block."""
    match = _INDENTED.match(_read_line(state, start))
    if match is None or (match["tab"] and match["title"] is None):
        return False
    kinds = match["kinds"].split()
    if (match["title"] is None and not kinds) or (kinds and not all(kind.replace("-", "").isalnum() for kind in kinds)):
        return False
    indent = state.sCount[start] + _BODY_INDENT
    stop = first = start + 1
    for line in range(first, end):
        if not state.isEmpty(line):
            if state.sCount[line] < indent:
                break
            stop = line + 1
    if stop == first and match["title"] is None:
        return False  # a sentence, not a block
    if silent:
        return True
    words = [kind for kind in kinds[1:] if kind not in _MODIFIERS]
    title = kinds[0].capitalize() if kinds else ""
    _push_paragraph(state, start, match["title"] if match["title"] is not None else " ".join([title, *words]))
    if stop > first:
        _tokenize_body(state, first, stop, indent, "admonition")
    state.line = stop
    return True


def parse_container(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
    """Parse a line with ``:::``, which begins or ends a container, and keep its title."""
    match = _CONTAINER.match(_read_line(state, start))
    if match is None:
        return False
    if silent:
        return True
    state.line = start + 1
    rest = match["rest"].rstrip(": ")
    if directive := _DIRECTIVE.match(rest):
        state.line = _skip_options(state, start + 1, end, _OPTION)
        _push_directive_title(state, start, directive["name"], directive["rest"])
    else:
        _push_container_title(state, start, rest)
    return True


def _push_container_title(state: "StateBlock", line: int, rest: str) -> None:
    named = _NAME.match(rest)
    name, title = (named["name"], named["rest"].strip()) if named else ("", rest)
    brace = title.find("{")
    if brace >= 0 and (found := match_attributes(title, brace)) and found.end == len(title):
        quoted = _TITLE_ATTRIBUTE.search(title, brace)
        kind = _CLASS.search(title, brace)
        _push_anchor(state, found.id)
        name = name or (kind[1] if kind else "")
        title = title[:brace].strip() or (quoted[1] or quoted[2] if quoted else "")
        if not named:
            _push_paragraph(state, line, _title_of(name, title))
            return
    if title.startswith("[") and title.endswith("]"):
        title = title[1:-1]
    if name.lower() in _ADMONITIONS or name in _LAYOUTS:
        _push_paragraph(state, line, _title_of(name, title))
    else:
        _push_paragraph(state, line, rest)


def _push_directive_title(state: "StateBlock", line: int, name: str, argument: str) -> None:
    if name in _ADMONITIONS:
        _push_paragraph(state, line, name.capitalize())
    if name not in _PATH_DIRECTIVES:
        _push_paragraph(state, line, argument.strip())


def parse_directive(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
    """Parse a fence with a directive of MyST, such as ``{note}``; other fences are left to the next
    rule.
    """
    fence = _FENCE.match(_read_line(state, start))
    directive = _DIRECTIVE.match(fence["rest"]) if fence else None
    if fence is None or directive is None or directive["name"] not in _DIRECTIVES | {"toctree"}:
        return False
    if silent:
        return True
    marks = fence["marks"]
    stop = start + 1
    while stop < end:
        if not state.isEmpty(stop) and state.sCount[stop] < state.blkIndent:
            break
        text = _read_line(state, stop)
        if text.startswith(marks) and not text.strip(marks[0]):
            break
        stop += 1
    body = _skip_options(state, start + 1, stop, _OPTION)
    if directive["name"] == "toctree":
        _push_entries(state, body, stop)
    else:
        _push_directive_title(state, start, directive["name"], directive["rest"])
        _tokenize_body(state, body, stop, state.blkIndent, "directive")
    state.line = min(stop + 1, end)
    return True


def _push_entries(state: "StateBlock", start: int, end: int) -> None:
    for line in range(start, end):
        if entry := _read_line(state, line):
            token = state.push("toctree_entry", "", 0)
            token.content, token.map = entry, [line, line + 1]


def parse_slashes(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
    """Parse a line with ``///``, which begins or ends a block of PyMdown Extensions."""
    match = _SLASHES.match(_read_line(state, start))
    if match is None:
        return False
    name = match["name"] or ""
    if name and match["title"] is None and name.lower() not in _ADMONITIONS | _LAYOUTS:
        return False
    if silent:
        return True
    _push_paragraph(state, start, _title_of(name, (match["title"] or "").strip()))
    state.line = _skip_options(state, start + 1, end, _YAML_OPTION, state.blkIndent + _BODY_INDENT)
    return True


def parse_label(state: "StateBlock", start: int, _: int, silent: bool) -> bool:
    """Parse ``(name)=``, a label of MyST for the heading below it."""
    match = _LABEL.match(_read_line(state, start))
    if match is None:
        return False
    if not silent:
        _push_anchor(state, match["name"].strip(), is_label=True)
        state.line = start + 1
    return True


def parse_braces(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
    """Parse a line of attributes (``{: #own}``), of kramdown's extensions, or of Liquid tags."""
    text = _read_line(state, start)
    found = match_attributes(text)
    is_attributes = found is not None and found.end == len(text)
    if not (is_attributes or _KRAMDOWN.match(text) or is_template_line(text)):
        return False
    if silent:
        return True
    state.line = start + 1
    if found is not None and is_attributes:
        after = state.tokens[-1].type if state.tokens and start and not state.isEmpty(start - 1) else ""
        if after == "heading_close" and found.id:
            state.tokens[-3].attrs["id"] = found.id
        else:
            _push_anchor(state, found.id)
    elif _HIGHLIGHT.match(text):
        _push_highlight(state, start, end)
    return True


def _push_highlight(state: "StateBlock", start: int, end: int) -> None:
    """Write the code between Jekyll's tags ``highlight`` and ``endhighlight``."""
    for line in range(start + 1, min(end, state.env.setdefault("last_highlight", end))):
        if _END_HIGHLIGHT.match(_read_line(state, line)):
            token = state.push("code_block", "code", 0)
            token.content = state.getLines(start + 1, line, state.blkIndent, True)
            token.map = [start + 1, line]
            state.line = line + 1
            return
    state.env["last_highlight"] = start  # no later tag has an end


def parse_contents(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
    """Parse a line that stands for a table of contents, which is left out."""
    text = _read_line(state, start)
    if silent or text not in _TABLES_OF_CONTENTS or (start + 1 < end and not state.isEmpty(start + 1)):
        return False
    state.line = start + 1
    return True


def parse_markdown_in_html(state: "StateBlock", start: int, _: int, silent: bool) -> bool:
    """Parse a tag with the attribute ``markdown``: the lines after it are Markdown."""
    if not _MARKDOWN_IN_HTML.match(_read_line(state, start)):
        return False
    if not silent:
        token = state.push("html_block", "", 0)
        token.map = [start, start + 1]
        token.content = state.getLines(start, start + 1, state.blkIndent, True)
        state.line = start + 1
    return True


BLOCK_RULES: dict[str, BlockRule] = {
    **dict.fromkeys("!?=", parse_indented),
    **dict.fromkeys("`~", parse_directive),
    ":": parse_container,
    "/": parse_slashes,
    "(": parse_label,
    "{": parse_braces,
    "[": parse_contents,
    "<": parse_markdown_in_html,
}
"""The block rule of each first character of a line."""
