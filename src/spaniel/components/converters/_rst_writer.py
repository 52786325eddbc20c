"""docutils' trees as plain text."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from spaniel.text.converted_text import ConvertedText
from spaniel.text.link_resolver import normalize_label
from spaniel.text.slugs import github_slug
from spaniel.text.text_builder import TextBuilder

if TYPE_CHECKING:
    from docutils import nodes

_FILE_SETTINGS = frozenset({"tocdepth", "orphan", "nocomments", "nosearch", "no-search", "hide-toc", "html_theme"})
_MAX_SUBSTITUTIONS = 20_000  # definitions that mention each other can double with each
_MAX_ALIASES = 100
_NO_ATTRIBUTES: dict[str, list[str]] = {}
_LOCAL = ":name:"  # prefix of a reference by name, until all names of the file are known


class RSTWriter:
    """Writes a document tree to its `builder`, with a method per kind of node."""

    def __init__(self, document: "nodes.document", lines: Mapping[int, tuple[int, int]] | None = None) -> None:
        self.builder = TextBuilder()
        self._lines = lines or {}
        self._level = 0
        self._labels: dict[str, None] = {}
        self._keys: dict[str, None] = {}  # of objects
        self._nameids = document.nameids
        self._nametypes = document.nametypes
        self._num_substitutions = 0
        self._substitutions = document.substitution_defs
        self._substitution_names = document.substitution_names
        self._urls, self._anonymous = _find_targets(document)

    def write_children(self, node: "nodes.Node") -> None:
        for child in node.children:
            self.write_node(child)

    def write_node(self, node: "nodes.Node") -> None:
        self.set_lines(node)
        if (names := getattr(node, "attributes", _NO_ATTRIBUTES).get("names")) and type(node).__name__ in _NAMED:
            for name in names:
                self.add_label(name)
        _WRITERS.get(type(node).__name__, RSTWriter.write_children)(self, cast("nodes.Element", node))

    def set_lines(self, node: "nodes.Node") -> None:
        """Set the source lines of the text of a block that is written next."""
        if (lines := self._lines.get(id(node))) is not None:
            is_verbatim = type(node).__name__ in _VERBATIM and not self.builder.one_line
            self.builder.set_source_lines(*lines, verbatim=is_verbatim)

    def set_first_lines(self, node: "nodes.Element") -> None:
        """Set the source lines of text before the first block of a node."""
        if (first := next((inner for inner in node.findall() if id(inner) in self._lines), None)) is not None:
            self.set_lines(first)

    def write_text(self, node: "nodes.Text") -> None:
        """Write text, without docutils' escapes (NUL characters)."""
        self.builder.write(node.astext())

    def write_block(self, node: "nodes.Element") -> None:
        self.builder.begin_block()
        self.write_children(node)
        self.builder.begin_block()

    def write_line(self, node: "nodes.Element") -> None:
        self.builder.begin_line()
        self.write_children(node)
        self.builder.begin_line()

    def write_section(self, node: "nodes.Element") -> None:
        self._level += 1
        self.write_children(node)
        self._level -= 1

    def write_title(self, node: "nodes.Element") -> None:
        """Write a heading, with the first label above it as slug, or the title of an admonition."""
        if type(node.parent).__name__ != "section":
            self.write_block(node)
            return
        labels = self.builder.waiting_anchors
        mark = self.builder.begin_heading()
        self.builder.one_line = True
        self.write_children(node)
        self.builder.one_line = False
        title = node.astext()
        label = next((label for label in labels if label in self._labels), None)
        for name in (title, *node.parent["names"], *node.parent["dupnames"]):
            self.add_title(name)
        self.builder.end_heading(mark, self._level, make_slug(label) if label else None, make_slug)

    def add_title(self, name: str) -> None:
        """Record an anchor by the title of the section, unless a label has the same name."""
        if not self._nametypes.get(name := normalize_label(name)):
            self.builder.add_anchor(name)
            self.builder.add_anchor(make_slug(name))

    def add_label(self, name: str) -> None:
        """Record a name of this place for links from this and other files."""
        name = normalize_label(name)
        self._labels[name] = None
        self.builder.add_anchor(name)
        self.builder.add_anchor(make_slug(name))

    def write_target(self, node: "nodes.Element") -> None:
        if not any(key in node for key in ("refuri", "refname", "anonymous")):
            for name in [*node["names"], *node["dupnames"]]:
                if name not in self._urls:
                    self.add_label(name)
            self.write_children(node)  # an inline target has text

    def write_object(self, node: "nodes.Element") -> None:
        """Write the signatures of an object, or nothing for the directive of a module."""
        begin = self.builder.begin_line if "term" in map(_get_name, node.children) else self.builder.begin_block
        if node.children:
            begin()
        for key in node["keys"]:
            self._keys[key] = None
            self.builder.add_anchor(key)
        if node["keys"] and node["keys"][0].startswith("py:"):
            self.builder.add_anchor(node["keys"][0].removeprefix("py:"))  # the id on a page of Sphinx
        self.write_children(node)
        if node.children:
            begin()

    def write_reference(self, node: "nodes.Element") -> None:
        mark = self.builder.add_mark()
        self.write_children(node)
        if "refuri" in node:
            target = node["refuri"]
        elif node.get("anonymous"):
            target = next(self._anonymous, "")
        else:
            target = _LOCAL + node.get("refname", "")
        self.builder.add_reference(mark, target)

    def write_role(self, node: "nodes.Element") -> None:
        mark = self.builder.add_mark()
        self.write_children(node)
        self.builder.add_reference(mark, node["target"])

    def write_toc(self, node: "nodes.Element") -> None:
        self.builder.begin_block()
        for title, document in node["entries"]:
            self.builder.begin_line()
            self.builder.write("- ")
            mark = self.builder.add_mark()
            self.builder.write(title)
            if "://" in document:
                self.builder.add_reference(mark, document)
            elif node["is_glob"] and any(sign in document for sign in "*?["):
                self.builder.add_reference(mark, f":glob:{document}")
            elif document != "self" and "*" not in document:
                self.builder.add_reference(mark, f":doc:{document}")
        self.builder.begin_block()

    def write_list(self, node: "nodes.Element") -> None:
        is_numbered = type(node).__name__ == "enumerated_list"
        self.builder.begin_list(node.get("start", 1) if is_numbered else None)
        self.write_block(node)
        self.builder.end_list()

    def write_item(self, node: "nodes.Element") -> None:
        self.builder.begin_item()
        self.write_body(node)
        self.builder.end_item()

    def write_indented(self, node: "nodes.Element") -> None:
        """Write a block below its term, such as a definition."""
        self.builder.begin_line()
        self.builder.indent("   ")
        self.write_body(node)
        self.builder.dedent()
        self.builder.begin_block()

    def write_field(self, node: "nodes.Element") -> None:
        if self.builder.is_empty and node.children[0].astext() in _FILE_SETTINGS:
            return
        self.builder.begin_line()
        name, body = node.children[0], node.children[1]
        self.set_lines(name)
        self.write_children(name)
        self.builder.write(": ")
        self.write_body(body)

    def write_body(self, node: "nodes.Node") -> None:
        """Write the blocks of a node, the first on the current line."""
        blocks = [child for child in node.children if type(child).__name__ != "label"]
        for index, child in enumerate(blocks):
            if index == 0 and type(child).__name__ == "paragraph":
                self.set_lines(child)
                self.write_children(child)
                self.builder.begin_line()
            else:
                self.write_node(child)

    def write_note(self, node: "nodes.Element") -> None:
        self.builder.begin_block()
        label = next((child.astext() for child in node.children if type(child).__name__ == "label"), None)
        if label is None and node.get("names"):
            label = node["names"][0]
        self.set_first_lines(node)
        self.builder.write(f"[{label}] " if label else "[*] ")
        self.write_body(node)
        self.builder.begin_block()

    def write_note_reference(self, node: "nodes.Element") -> None:
        self.builder.write(f"[{node.astext() or node.get('refname', '*')}]")

    def write_row(self, node: "nodes.Element") -> None:
        self.builder.begin_line()
        nested = self.builder.one_line
        for index, cell in enumerate(node.children):
            if index:
                self.builder.write_words(" | ")
            self.builder.one_line = True
            self.write_children(cell)
            self.builder.one_line = nested
        self.builder.begin_line()

    def write_code(self, node: "nodes.Element") -> None:
        if self.builder.one_line:
            self.builder.write_words(node.astext())
        else:
            self.builder.write_code(node.astext())

    def write_admonition(self, node: "nodes.Element") -> None:
        self.builder.begin_block()
        self.set_first_lines(node)
        self.builder.write(type(node).__name__.title())
        self.write_block(node)

    def write_substitution(self, node: "nodes.Element") -> None:
        """Write the definition of a substitution, or its name; its lines are the reference's."""
        name = node.get("refname", "")
        name = name if name in self._substitutions else self._substitution_names.get(name.lower(), name)
        definition = self._substitutions.get(name)
        self._num_substitutions += 1
        if definition is None or self._num_substitutions > _MAX_SUBSTITUTIONS:
            self.builder.write(f"|{node.astext()}|")
        else:
            self._substitutions = {key: found for key, found in self._substitutions.items() if found is not definition}
            self.write_children(definition)
            self._substitutions = {**self._substitutions, name: definition}

    def write_unparsed(self, node: "nodes.Element") -> None:
        """Write the source that docutils could not parse, without docutils' message."""
        if node["level"] >= 3:
            for child in node.children:
                if type(child).__name__ == "literal_block":
                    self.write_node(child)

    def build(self) -> ConvertedText:
        """Return the text and its structure, with the links inside the file resolved."""
        converted = self.builder.build()
        labels = {name: converted.aliases[name] for name in (*self._labels, *self._keys)}
        aliases = {name: slug for name, slug in converted.aliases.items() if name not in self._keys}
        converted = replace(converted, aliases=aliases, labels=labels)
        references = [
            reference._replace(target=self.resolve(reference.target, converted)) for reference in converted.references
        ]
        return replace(converted, references=references)

    def resolve(self, target: str, converted: ConvertedText) -> str:
        """Return the target of a link, `#` and an anchor if it is in this file."""
        if target.startswith(_LOCAL):
            name = target.removeprefix(_LOCAL)
            for _ in range(_MAX_ALIASES):
                if (url := self._urls.get(name)) is not None and url.startswith(_LOCAL):
                    name = url.removeprefix(_LOCAL)
                elif url is not None:
                    return url
                else:
                    break
            known = normalize_label(name) in converted.anchors
            return f"#{normalize_label(name)}" if known else f":ref:{name}"
        if target.startswith(":ref:"):
            name = normalize_label(target.removeprefix(":ref:"))
            return f"#{name}" if name in converted.labels else target
        if target.startswith(":obj:"):
            slug = next((converted.labels[key] for key in target[5:].split("|") if key in converted.labels), None)
            return target if slug is None else f"#{slug or 'top'}"
        return target


def _get_name(node: "nodes.Node") -> str:
    return type(node).__name__


def make_slug(title: str) -> str:
    """Return docutils' id of a title or label, or GitHub's slug if that is empty."""
    from docutils.nodes import make_id

    return make_id(title) or github_slug(title)


def _find_targets(document: "nodes.document") -> tuple[dict[str, str], Iterator[str]]:
    """Return the addresses of the names of targets, and those of the anonymous targets."""
    from docutils import nodes

    urls: dict[str, str] = {}
    anonymous: list[str] = []
    above: list[str] = []  # names of adjacent targets share the address of the last
    parent = None
    for node in document.findall():
        if not isinstance(node, nodes.target):
            parent = None
            continue
        above = above if node.parent is parent else []
        above += node["names"]
        parent = node.parent
        address = node.get("refuri") or (_LOCAL + node["refname"] if "refname" in node else "")
        if address:
            urls |= dict.fromkeys(above, address)
            above = []
        if node.get("anonymous"):
            anonymous.append(address)
    return urls, iter(anonymous)


_VERBATIM = frozenset(("literal_block", "doctest_block", "math_block"))
_NAMED = frozenset(
    ("paragraph", "figure", "table", "image", "literal_block", "topic", "sidebar", "container", "compound")
)
_SKIPPED = ("comment", "substitution_definition", "raw", "pending", "colspec", "meta", "label")
_ADMONITIONS = ("attention", "caution", "danger", "error", "hint", "important", "note", "tip", "warning")
_BLOCKS = (
    *("paragraph", "definition_list", "option_list", "field_list", "rubric", "transition", "compound", "admonition"),
    *("line_block", "block_quote", "container", "table", "figure", "caption", "legend", "topic", "sidebar"),
    *("attribution", "subtitle"),
)
_WRITERS: dict[str, Callable[[RSTWriter, "nodes.Element"], None]] = {
    "Text": RSTWriter.write_text,  # type: ignore[dict-item]
    "section": RSTWriter.write_section,
    "title": RSTWriter.write_title,
    "target": RSTWriter.write_target,
    "reference": RSTWriter.write_reference,
    "RoleNode": RSTWriter.write_role,
    "TOCNode": RSTWriter.write_toc,
    "ObjectNode": RSTWriter.write_object,
    **dict.fromkeys(("bullet_list", "enumerated_list"), RSTWriter.write_list),
    "list_item": RSTWriter.write_item,
    **dict.fromkeys(("definition", "description"), RSTWriter.write_indented),
    "field": RSTWriter.write_field,
    **dict.fromkeys(("footnote", "citation"), RSTWriter.write_note),
    **dict.fromkeys(("footnote_reference", "citation_reference"), RSTWriter.write_note_reference),
    "row": RSTWriter.write_row,
    "image": lambda writer, node: writer.builder.write_words(node.get("alt", "")),
    "substitution_reference": RSTWriter.write_substitution,
    "system_message": RSTWriter.write_unparsed,
    **dict.fromkeys(("literal_block", "doctest_block", "math_block"), RSTWriter.write_code),
    **dict.fromkeys(_SKIPPED, lambda _writer, _node: None),
    **dict.fromkeys(_BLOCKS, RSTWriter.write_block),
    **dict.fromkeys(("line", "term", "option_group"), RSTWriter.write_line),
    **dict.fromkeys(_ADMONITIONS, RSTWriter.write_admonition),
}
