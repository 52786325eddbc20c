"""docutils' parser, adapted to Sphinx sources: safe, silent, without global registries.

Importing this module loads docutils, so it is imported at the first conversion.
"""

import re
from typing import Any, ClassVar, TypeAlias

from docutils import frontend, nodes
from docutils.parsers.rst import Parser, directives, states
from docutils.utils import escape2null, new_document

from spaniel.text.link_resolver import parse_role

State: TypeAlias = Any
"""A state of docutils' parser, of which `_TolerantState` is a mixin."""

Lines: TypeAlias = Any
"""A `docutils.statemachine.StringList`, which has no types."""

# docutils' own directives that only arrange text. All others are read by `_TolerantState`, so
# nothing is inserted from files or addresses, raw output is dropped, and `role` or `default-role`
# cannot change docutils for the whole process.
_DOCUTILS_OWN = {
    *("attention", "caution", "danger", "error", "hint", "important", "note", "tip", "warning", "admonition"),
    *("topic", "sidebar", "parsed-literal", "epigraph", "highlights", "pull-quote", "compound", "container"),
    *("rubric", "table", "list-table", "csv-table", "image", "figure", "replace", "unicode", "class"),
}
_DROPPED = {
    *("raw", "include", "literalinclude", "contents", "sectnum", "header", "footer", "meta", "title", "date"),
    *("target-notes", "role", "default-role", "index", "highlight", "module", "tabularcolumns", "currentmodule"),
    *("py:module", "py:currentmodule", "default-domain", "cssclass", "rst-class", "testsetup", "testcleanup"),
    *("graphviz", "digraph", "graph", "inheritance-diagram", "plot"),
}
_VERBATIM = {
    *("code", "code-block", "sourcecode", "parsed-literal", "math", "prompt", "ipython", "jinja", "command-output"),
    *("doctest", "testcode", "testoutput", "productionlist", "literal", "console", "highlight-block", "mermaid"),
}
_TOCTREE = frozenset({"toctree", "autosummary"})
_VERSIONS = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
    "deprecated-removed": "Deprecated since version",
    "versionremoved": "Removed in version",
}
_SIGNATURES = {
    *("module", "function", "class", "method", "attribute", "exception", "data", "decorator", "staticmethod"),
    *("property", "classmethod", "cfunction", "cmember", "cmacro", "ctype", "cvar", "option", "envvar"),
    *("cmdoption", "program", "describe", "object", "confval", "directive", "role", "rst:directive", "opcode"),
    *("setting", "command", "variable"),
}


class RoleNode(nodes.Inline, nodes.TextElement):
    """The text of a role that links; ``target`` has the form of `Reference`."""


class TOCNode(nodes.General, nodes.Element):
    """A table of contents of files; ``entries`` has pairs of title and document."""


class _Inliner(states.Inliner):
    """Reads every role, known or not, as its text."""

    def read_role(
        self, rawsource: str, text: str, role: str, _: int
    ) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        if role.endswith(":any") or not role:
            return [nodes.emphasis(rawsource, text)], []
        shown, target = parse_role(role, text)
        if target:
            return [RoleNode(rawsource, shown, target=nodes.unescape(target))], []
        return [nodes.literal(rawsource, shown)], []

    interpreted = read_role  # type: ignore[assignment]  # docutils' name; it passes the line by position


for _name, _value in vars(states.Inliner).items():  # docutils builds its patterns from the class's own attributes
    if isinstance(_value, str) and not _name.startswith("__"):
        setattr(_Inliner, _name, _value)


class _TolerantState:
    """Mixin for docutils' states that reads directives which docutils must not run."""

    explicit: ClassVar[Any]
    nested_sm_cache: ClassVar[list[object]] = []  # docutils' own holds machines with its own states

    def __init__(self, state_machine: object, debug: bool = False) -> None:
        super().__init__(state_machine, debug)  # type: ignore[call-arg]  # docutils' state, of which this is a mixin
        nested = {"state_classes": _STATES, "initial_state": "Body"}
        self.nested_sm_kwargs = self.indent_sm_kwargs = self.known_indent_sm_kwargs = nested

    def directive(self: State, match: re.Match[str], **option_presets: object) -> tuple[list[nodes.Node], bool]:
        name = match.group(1).lower()
        if name in _DOCUTILS_OWN:
            known, _ = directives.directive(name, self.memo.language, self.document)
            if known is not None:
                return self.run_directive(known, match, name, option_presets)  # type: ignore[no-any-return]
        indented, _, offset, blank_finish = self.state_machine.get_first_known_indented(match.end(), strip_top=0)
        return self.read_directive(name, indented, offset), blank_finish

    def read_directive(self: State, name: str, lines: Lines, offset: int) -> list[nodes.Node]:
        if name in _DROPPED:
            return []
        argument, options, body, body_offset = _split_directive(lines, offset)
        if name in _TOCTREE:
            return [TOCNode(entries=[_parse_entry(line) for line in body if line.strip()])]
        if name in _VERBATIM:
            text = "\n".join(body) if len(body) else "\n".join(argument)
            return [nodes.literal_block(text, text)] if text.strip() else []
        found: list[nodes.Node] = []
        if argument:
            found.append(self.build_argument(name, argument, offset))
        if len(body):
            container = nodes.container()
            self.nested_parse(body, body_offset, container)
            found.append(container)
        if "alt" in options and not found:
            found.append(nodes.paragraph("", options["alt"]))
        return found

    def build_argument(self: State, name: str, argument: list[str], offset: int) -> nodes.Node:
        text = " ".join(line.strip() for line in argument)
        if ":" in name or name.startswith("auto") or name in _SIGNATURES:
            lines = (escape2null(line.strip().rstrip("\\")) for line in argument)
            return nodes.line_block("", *(nodes.line(line, line) for line in lines))
        if name in _VERSIONS:
            text = f"{_VERSIONS[name]} {text}"
        inlines, _ = self.inline_text(text, offset + 1)
        return nodes.paragraph(text, "", *inlines)


def _split_directive(lines: Lines, offset: int) -> tuple[list[str], dict[str, str], Lines, int]:
    if len(lines) and not lines[0].strip():  # the line of the `::`
        lines, offset = lines[1:], offset + 1
    at = 0
    while at < len(lines) and lines[at].strip() and not _is_option(lines[at]):
        at += 1
    argument = list(lines[:at])
    options = {}
    while at < len(lines) and _is_option(lines[at]):
        name, _, value = lines[at].strip()[1:].partition(":")
        options[name] = value.strip()
        at += 1
        while at < len(lines) and lines[at].startswith("   "):  # a long value
            at += 1
    while at < len(lines) and not lines[at].strip():
        at += 1
    return argument, options, lines[at:], offset + at


def _is_option(line: str) -> bool:
    name = line.partition(" ")[0]
    return line.startswith(":") and ":" in line[1:] and line[1:2] not in (" ", ":", "`") and "`" not in name


def _parse_entry(line: str) -> tuple[str, str]:
    line = line.strip()
    title, separator, rest = line.rpartition("<")
    return (title.strip(), rest[:-1].strip()) if separator and line.endswith(">") else (line, line.lstrip("~"))


# docutils keeps its constructs in a table of functions; an overridden method has no effect.
_TolerantState.explicit = type(states.Body.explicit)(
    patterns=states.Body.explicit.patterns,
    constructs=[
        (_TolerantState.directive if method is states.Body.directive else method, pattern)
        for method, pattern in states.Body.explicit.constructs
    ],
)
_STATES = tuple(type(state.__name__, (_TolerantState, state), {}) for state in states.state_classes)
_SETTINGS = {
    "report_level": 5,  # nothing is printed
    "halt_level": 6,  # nothing is raised
    "warning_stream": False,
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "_disable_config": True,
    "syntax_highlight": "none",
    "line_length_limit": 1_000_000,
    "character_level_inline_markup": False,
}
_defaults: list[Any] = []


def parse(text: str) -> nodes.document:
    """Return the document tree of a reStructuredText source, before any transform."""
    parser = Parser(inliner=_Inliner())
    parser.state_classes = _STATES
    if not _defaults:
        _defaults.append(frontend.get_default_settings(Parser))
    settings = _defaults[0].copy()
    for name, value in _SETTINGS.items():
        setattr(settings, name, value)
    document = new_document("<text>", settings)
    parser.parse(text, document)
    return document
