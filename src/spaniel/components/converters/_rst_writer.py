"""A docutils tree as plain text."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, cast

from spaniel.text.converted_text import ConvertedText, Reference
from spaniel.text.link_resolver import normalized_label
from spaniel.text.slugs import docutils_slug
from spaniel.text.text_builder import TextBuilder

if TYPE_CHECKING:
    from docutils import nodes

_FILE_SETTINGS = frozenset({"tocdepth", "orphan", "nocomments", "nosearch", "no-search", "hide-toc", "html_theme"})
_LOCAL = ":name:"  # marks a reference by name until every name of the file is known


class RstWriter:
    """Writes a document tree to its `builder`."""

    def __init__(self, document: "nodes.document") -> None:
        self.builder = TextBuilder()
        self._level = 0
        self._column = 0
        self._substitutions = document.substitution_defs
        self._urls, self._anonymous = _targets(document)

    def children(self, node: "nodes.Node") -> None:
        """Write the children of a node."""
        for child in node.children:
            self.node(child)

    def node(self, node: "nodes.Node") -> None:
        """Write a node of any kind."""
        _WRITERS.get(type(node).__name__, RstWriter.inline)(self, cast("nodes.Element", node))

    def inline(self, node: "nodes.Element") -> None:
        """Write a node that adds nothing to its text."""
        self.children(node)

    def text(self, node: "nodes.Text") -> None:
        """Write words, without the escapes that docutils keeps in its nodes as NUL characters."""
        self.builder.write(node.astext())

    def block(self, node: "nodes.Element") -> None:
        """Write a paragraph, or a block of them."""
        self.builder.block()
        self.children(node)
        self.builder.block()

    def line(self, node: "nodes.Element") -> None:
        """Write a line."""
        self.builder.line()
        self.children(node)
        self.builder.line()

    def section(self, node: "nodes.Element") -> None:
        """Write a section; the labels right above it are its anchors, and the first is its slug."""
        self._level += 1
        self.children(node)
        self._level -= 1

    def title(self, node: "nodes.Element") -> None:
        """Write a heading, or the title of a box."""
        if type(node.parent).__name__ != "section":
            self.block(node)
            return
        labels = self.builder.waiting_anchors
        mark = self.builder.begin_heading()
        self.builder.one_line = True
        self.children(node)
        self.builder.one_line = False
        self.builder.anchor(normalized_label(node.astext()))
        self.builder.end_heading(mark, self._level, docutils_slug(labels[0]) if labels else None, docutils_slug)

    def target(self, node: "nodes.Element") -> None:
        """Note a label."""
        if not any(key in node for key in ("refuri", "refname", "anonymous")):
            for name in node["names"]:
                if name in self._urls:
                    continue
                self.builder.anchor(normalized_label(name))
            self.children(node)  # an inline target has text

    def reference(self, node: "nodes.Element") -> None:
        """Write a link."""
        mark = self.builder.mark()
        self.children(node)
        if "refuri" in node:
            target = node["refuri"]
        elif node.get("anonymous"):
            target = next(self._anonymous, "")
        else:
            target = _LOCAL + node.get("refname", "")
        self.builder.reference(mark, target)

    def role(self, node: "nodes.Element") -> None:
        """Write a role that links."""
        mark = self.builder.mark()
        self.children(node)
        self.builder.reference(mark, node["target"])

    def toc(self, node: "nodes.Element") -> None:
        """Write a list of files."""
        self.builder.block()
        for title, document in node["entries"]:
            self.builder.line()
            self.builder.write("- ")
            mark = self.builder.mark()
            self.builder.write(title)
            if "*" not in document and document != "self":
                self.builder.reference(mark, document if "://" in document else f":doc:{document}")
        self.builder.block()

    def item(self, node: "nodes.Element") -> None:
        """Write an item of a list."""
        parent = node.parent
        bullet = "- "
        if type(parent).__name__ == "enumerated_list":
            bullet = f"{parent.get('start', 1) + parent.index(node)}. "
        self.builder.line()
        self.builder.indent(" " * len(bullet), bullet)
        self.item_body(node)
        self.builder.dedent()
        self.builder.line()

    def indented(self, node: "nodes.Element") -> None:
        """Write a block that its lead-in stands above, such as a definition."""
        self.builder.line()
        self.builder.indent("   ")
        self.item_body(node)
        self.builder.dedent()
        self.builder.block()

    def field(self, node: "nodes.Element") -> None:
        """Write a field on one line, if its body is short; settings of a whole file are no text."""
        if self.builder.empty and node.children[0].astext() in _FILE_SETTINGS:
            return
        self.builder.line()
        name, body = node.children[0], node.children[1]
        self.children(name)
        self.builder.write(": ")
        self.item_body(body)

    def item_body(self, node: "nodes.Node") -> None:
        """Write the blocks of a node, the first on the line that has begun."""
        blocks = [child for child in node.children if type(child).__name__ != "label"]
        for at, child in enumerate(blocks):
            if at == 0 and type(child).__name__ == "paragraph":
                self.children(child)
                self.builder.line()
            else:
                self.node(child)

    def labelled(self, node: "nodes.Element") -> None:
        """Write a footnote or citation."""
        self.builder.block()
        label = next((child.astext() for child in node.children if type(child).__name__ == "label"), None)
        if label is None and node.get("names"):
            label = node["names"][0]
        self.builder.write(f"[{label}] " if label else "[*] ")
        self.item_body(node)
        self.builder.block()

    def note_reference(self, node: "nodes.Element") -> None:
        """Write the number of a footnote or the name of a citation."""
        self.builder.write(f"[{node.astext() or node.get('refname', '*')}]")

    def row(self, node: "nodes.Element") -> None:
        """Write a row of a table as a line."""
        self.builder.line()
        nested = self.builder.one_line
        for at, cell in enumerate(node.children):
            if at:
                self.builder.flow(" | ")
            self.builder.one_line = True
            self.children(cell)
            self.builder.one_line = nested
        self.builder.line()

    def code(self, node: "nodes.Element") -> None:
        """Write a code block."""
        if self.builder.one_line:
            self.builder.flow(node.astext())
        else:
            self.builder.code(node.astext())

    def admonition(self, node: "nodes.Element") -> None:
        """Write a box under its name."""
        self.builder.block()
        self.builder.write(type(node).__name__.title())
        self.block(node)

    def image(self, node: "nodes.Element") -> None:
        """Write the text that stands for an image."""
        self.builder.flow(node.get("alt", ""))

    def substitution(self, node: "nodes.Element") -> None:
        """Write what a name in bars stands for, or the name."""
        name = node.get("refname", "")
        definition = self._substitutions.get(name) or next(
            (found for key, found in self._substitutions.items() if key.lower() == name.lower()), None
        )
        if definition is None:
            self.builder.write(f"|{node.astext()}|")
        else:
            self._substitutions = {key: found for key, found in self._substitutions.items() if found is not definition}
            self.children(definition)
            self._substitutions = {**self._substitutions, name: definition}

    def system_message(self, node: "nodes.Element") -> None:
        """Write the source that docutils could not read; its complaint is dropped."""
        if node["level"] >= 3:
            for child in node.children:
                if type(child).__name__ == "literal_block":
                    self.node(child)

    def nothing(self, node: "nodes.Element") -> None:
        """Leave a node out."""

    def resolved(self, reference: Reference, converted: ConvertedText) -> Reference:
        """Return the reference with the target that its name stands for."""
        if not reference.target.startswith(_LOCAL):
            return reference
        name = reference.target.removeprefix(_LOCAL)
        for _ in range(10):  # names of names
            if (url := self._urls.get(name)) is not None and url.startswith(_LOCAL):
                name = url.removeprefix(_LOCAL)
            elif url is not None:
                return reference._replace(target=url)
            else:
                break
        known = normalized_label(name) in converted.anchors
        return reference._replace(target=f"#{normalized_label(name)}" if known else f":ref:{name}")


def _targets(document: "nodes.document") -> tuple[dict[str, str], Iterator[str]]:
    """Return the addresses that names stand for, and those of anonymous references, in their order."""
    from docutils import nodes

    urls: dict[str, str] = {}
    anonymous: list[str] = []
    above: list[str] = []  # names of targets right above another target share its address
    previous = None
    for node in document.findall(nodes.target):
        adjacent = (
            previous is not None
            and node.parent is previous.parent
            and node.parent.index(node) == node.parent.index(previous) + 1
        )
        address = node.get("refuri") or (_LOCAL + node["refname"] if "refname" in node else "")
        above = [*above, *node["names"]] if adjacent else list(node["names"])
        if address:
            urls |= dict.fromkeys(above, address)
            above = []
        if node.get("anonymous"):
            anonymous.append(address)
        previous = node
    return urls, iter(anonymous)


_WRITERS: dict[str, Callable[[RstWriter, "nodes.Element"], None]] = {
    "Text": RstWriter.text,  # type: ignore[dict-item]
    "section": RstWriter.section,
    "title": RstWriter.title,
    "target": RstWriter.target,
    "reference": RstWriter.reference,
    "RoleNode": RstWriter.role,
    "Toc": RstWriter.toc,
    "list_item": RstWriter.item,
    "definition": RstWriter.indented,
    "description": RstWriter.indented,
    "field": RstWriter.field,
    "footnote": RstWriter.labelled,
    "citation": RstWriter.labelled,
    "footnote_reference": RstWriter.note_reference,
    "citation_reference": RstWriter.note_reference,
    "row": RstWriter.row,
    "image": RstWriter.image,
    "substitution_reference": RstWriter.substitution,
    "system_message": RstWriter.system_message,
    **dict.fromkeys(("literal_block", "doctest_block", "math_block"), RstWriter.code),
    **dict.fromkeys(
        ("comment", "substitution_definition", "raw", "pending", "colspec", "meta", "label"), RstWriter.nothing
    ),
    **dict.fromkeys(
        (
            *(
                "paragraph",
                "bullet_list",
                "enumerated_list",
                "definition_list",
                "option_list",
                "field_list",
                "line_block",
            ),
            *(
                "block_quote",
                "container",
                "table",
                "figure",
                "caption",
                "legend",
                "topic",
                "sidebar",
                "rubric",
                "transition",
            ),
            *("compound", "admonition", "attribution", "subtitle"),
        ),
        RstWriter.block,
    ),
    **dict.fromkeys(("line", "term", "option_group"), RstWriter.line),
    **dict.fromkeys(
        ("attention", "caution", "danger", "error", "hint", "important", "note", "tip", "warning"), RstWriter.admonition
    ),
}
