"""docutils' parser, adapted to Sphinx sources: safe, silent, without global registries.

Importing this module loads docutils, so it is imported at the first conversion.
"""

import contextlib
import re
from typing import Any, ClassVar, TypeAlias

from docutils import frontend, nodes
from docutils.parsers.rst import Parser, directives, states
from docutils.statemachine import StringList
from docutils.transforms.references import Footnotes
from docutils.utils import escape2null, new_document

from spaniel.components.converters._sphinx_objects import ObjectScope, is_object, list_term_keys
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
    *("target-notes", "role", "default-role", "index", "highlight", "tabularcolumns", "default-domain"),
    *("testsetup", "testcleanup", "graphviz", "digraph", "graph", "inheritance-diagram", "plot"),
}
_SCOPES = {"module", "py:module", "currentmodule", "py:currentmodule", "program"}
_VERBATIM = {
    *("code", "code-block", "sourcecode", "parsed-literal", "math", "prompt", "ipython", "jinja", "command-output"),
    *("doctest", "testcode", "testoutput", "productionlist", "literal", "console", "highlight-block", "mermaid"),
}
_SETTINGS_ONLY = {"only", "ifconfig", "rst-class", "cssclass", "hlist"}  # their argument is not shown
_TOCTREE = frozenset({"toctree", "autosummary"})
_VERSIONS = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
    "deprecated-removed": "Deprecated since version",
    "versionremoved": "Removed in version",
}
_LIKE_A_CLASS = re.compile(r" *[\w.]*(?:[A-Z]|\w\.\w|\()")  # else the name of a style
_MAX_INLINE = 5_000  # characters; docutils copies the rest of a text at each markup


class RoleNode(nodes.Inline, nodes.TextElement):
    """The text of a role that links; ``target`` has the form of `Reference`."""


class TOCNode(nodes.General, nodes.Element):
    """A table of contents of files; ``entries`` has pairs of title and document."""


class ObjectNode(nodes.General, nodes.Element):
    """The signatures of an object; ``keys`` are the names under which it is linked to."""


class _Inliner(states.Inliner):
    """Reads every role, known or not, as its text."""

    def parse(
        self, text: str, lineno: int, memo: Any, parent: nodes.Element
    ) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Parse a text; a very long one in pieces, which end at the ends of lines."""
        found: list[nodes.Node] = []
        messages: list[nodes.system_message] = []
        start = 0
        while start < len(text):
            end = len(text) if len(text) - start <= _MAX_INLINE else text.rfind("\n", start, start + _MAX_INLINE) + 1
            end = end if end > start else len(text)
            inlines, problems = super().parse(text[start:end], lineno, memo, parent)
            found += inlines
            messages += problems
            start = end
        return found, messages

    def read_role(
        self, rawsource: str, text: str, role: str, _: int
    ) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        if role.endswith(":any") or not role:
            return [nodes.emphasis(rawsource, text)], []
        scope = _get_scope(self.document)
        shown, target = parse_role(role, text, module=scope.module, class_name=scope.class_name)
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
        is_python_class = name == "class" and (
            _get_scope(self.document).module or _LIKE_A_CLASS.match(match.string[match.end() :])
        )
        if name in _DOCUTILS_OWN and not is_python_class:
            known, _ = directives.directive(name, self.memo.language, self.document)
            if known is not None:
                return self.run_directive(known, match, name, option_presets)  # type: ignore[no-any-return]
        indented, _, offset, blank_finish = self.state_machine.get_first_known_indented(match.end(), strip_top=0)
        return self.read_directive(name, indented, offset), blank_finish

    def read_directive(self: State, name: str, lines: Lines, offset: int) -> list[nodes.Node]:
        if name in _DROPPED:
            return []
        argument, options, body, body_offset = _split_directive(lines, offset)
        found: list[nodes.Node] = self.build_nodes(name, argument, options, body, (offset, body_offset))
        if caption := options.get("caption"):
            inlines, _ = self.inline_text(caption, offset + 1)
            found.insert(0, nodes.paragraph(caption, "", *inlines))
        if label := options.get("name"):
            target = nodes.target(names=[nodes.fully_normalize_name(nodes.unescape(escape2null(label)))])
            self.document.note_explicit_target(target, target)
            found.insert(0, target)
        return found

    def build_nodes(
        self: State, name: str, argument: list[str], options: dict[str, str], body: Lines, offsets: tuple[int, int]
    ) -> list[nodes.Node]:
        """Return the nodes of a directive; `offsets` are those of its argument and body."""
        if name in _TOCTREE:
            entries = [_parse_entry(line) for line in body if line.strip()]
            return [TOCNode("\n".join(body), entries=entries, is_glob="glob" in options)]
        if name in _VERBATIM:
            text = "\n".join(body) if len(body) else "\n".join(argument)
            return [nodes.literal_block(text, text)] if text.strip() else []
        if name in _SCOPES:
            _get_scope(self.document).set(name, module := " ".join(argument).strip())
            return [ObjectNode(keys=[f"py:{module}"])] if name in ("module", "py:module") else []
        if name == "glossary":
            return [self.read_glossary(argument, body, offsets)]
        found: list[nodes.Node] = []
        scope, entered = _get_scope(self.document), False
        if argument and name not in _SETTINGS_ONLY:
            found.append(self.build_argument(name, argument, offsets[0]))
            entered = scope.enter(name, argument[0])
        if len(body):
            container = nodes.container()
            self.nested_parse(body, offsets[1], container, match_titles=name in _SETTINGS_ONLY)
            found.append(container)
        if entered:
            scope.leave()
        if "alt" in options and not found:
            found.append(nodes.paragraph("", options["alt"]))
        return found

    def build_argument(self: State, name: str, argument: list[str], offset: int) -> nodes.Node:
        if is_object(name):
            signatures = [line.strip().rstrip("\\") for line in argument]
            scope = _get_scope(self.document)
            keys = dict.fromkeys(key for signature in signatures for key in scope.list_keys(name, signature))
            lines = map(escape2null, signatures)
            return ObjectNode("", *(nodes.line(line, line) for line in lines), keys=list(keys))
        text = " ".join(line.strip() for line in argument)
        if name in _VERSIONS:
            text = f"{_VERSIONS[name]} {text}"
        inlines, _ = self.inline_text(text, offset + 1)
        return nodes.paragraph("\n".join(argument), "", *inlines)

    def read_glossary(self: State, argument: list[str], body: Lines, offsets: tuple[int, int]) -> nodes.Node:
        """Read terms, several of which may share a definition."""
        items = nodes.definition_list()
        lines, offset = (body, offsets[1]) if len(body) or not argument else (StringList(argument), offsets[0])
        at = 0
        while at < len(lines):
            line, start = lines[at], at
            at += 1
            if not line.strip() or line.startswith(".. "):
                continue
            if not line[0].isspace():
                term = re.split(" : +", line)[0].strip()
                inlines, _ = self.inline_text(line.replace(" : ", ": "), offset + start + 1)
                keys = list_term_keys(nodes.unescape(escape2null(term)))
                items += nodes.definition_list_item("", ObjectNode("", nodes.term(line, "", *inlines), keys=keys))
                continue
            while at < len(lines) and (not lines[at].strip() or lines[at][0].isspace()):
                at += 1
            indent = min(len(line) - len(line.lstrip()) for line in lines[start:at] if line.strip())
            block = lines[start:at]
            block.trim_left(indent)
            definition = nodes.definition()
            self.nested_parse(block, offset + start, definition)
            items += nodes.definition_list_item("", definition)
        return items


def _get_scope(document: nodes.document) -> ObjectScope:
    scope: ObjectScope | None = getattr(document, "object_scope", None)
    if scope is None:
        scope = document.object_scope = ObjectScope()  # type: ignore[attr-defined]  # kept with its document
    return scope


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
    """Return the document tree of a reStructuredText source, with numbered footnotes.

    Targets and substitutions are left to the writer: docutils' transforms of them take quadratic
    time, and give up all links of a file when one is wrong.
    """
    parser = Parser(inliner=_Inliner())
    parser.state_classes = _STATES
    if not _defaults:
        _defaults.append(frontend.get_default_settings(Parser))
    settings = _defaults[0].copy()
    for name, value in _SETTINGS.items():
        setattr(settings, name, value)
    document = new_document("<text>", settings)
    parser.parse(text, document)
    with contextlib.suppress(AssertionError, AttributeError, KeyError):  # odd, but complete without numbers
        Footnotes(document).apply()
    return document
