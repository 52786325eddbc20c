"""docutils' trees as plain text."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, cast

from spaniel.text.converted_text import ConvertedText, Reference
from spaniel.text.link_resolver import normalize_label
from spaniel.text.slugs import docutils_slug
from spaniel.text.text_builder import TextBuilder

if TYPE_CHECKING:
    from docutils import nodes

_FILE_SETTINGS = frozenset({"tocdepth", "orphan", "nocomments", "nosearch", "no-search", "hide-toc", "html_theme"})
_LOCAL = ":name:"  # prefix of a reference by name, until all names of the file are known


class RSTWriter:
    """Writes a document tree to its `builder`, with a method per kind of node."""

    def __init__(self, document: "nodes.document") -> None:
        self.builder = TextBuilder()
        self._level = 0
        self._substitutions = document.substitution_defs
        self._urls, self._anonymous = _find_targets(document)

    def write_children(self, node: "nodes.Node") -> None:
        for child in node.children:
            self.write_node(child)

    def write_node(self, node: "nodes.Node") -> None:
        _WRITERS.get(type(node).__name__, RSTWriter.write_children)(self, cast("nodes.Element", node))

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
        self.builder.add_anchor(normalize_label(node.astext()))
        self.builder.end_heading(mark, self._level, docutils_slug(labels[0]) if labels else None, docutils_slug)

    def write_target(self, node: "nodes.Element") -> None:
        if not any(key in node for key in ("refuri", "refname", "anonymous")):
            for name in node["names"]:
                if name not in self._urls:
                    self.builder.add_anchor(normalize_label(name))
            self.write_children(node)  # an inline target has text

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
            if "*" not in document and document != "self":
                self.builder.add_reference(mark, document if "://" in document else f":doc:{document}")
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
        self.write_children(name)
        self.builder.write(": ")
        self.write_body(body)

    def write_body(self, node: "nodes.Node") -> None:
        """Write the blocks of a node, the first on the current line."""
        blocks = [child for child in node.children if type(child).__name__ != "label"]
        for index, child in enumerate(blocks):
            if index == 0 and type(child).__name__ == "paragraph":
                self.write_children(child)
                self.builder.begin_line()
            else:
                self.write_node(child)

    def write_note(self, node: "nodes.Element") -> None:
        self.builder.begin_block()
        label = next((child.astext() for child in node.children if type(child).__name__ == "label"), None)
        if label is None and node.get("names"):
            label = node["names"][0]
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
        self.builder.write(type(node).__name__.title())
        self.write_block(node)

    def write_substitution(self, node: "nodes.Element") -> None:
        """Write the definition of a substitution, or its name."""
        name = node.get("refname", "")
        definition = self._substitutions.get(name) or next(
            (found for key, found in self._substitutions.items() if key.lower() == name.lower()), None
        )
        if definition is None:
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

    def resolve(self, reference: Reference, converted: ConvertedText) -> Reference:
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
        known = normalize_label(name) in converted.anchors
        return reference._replace(target=f"#{normalize_label(name)}" if known else f":ref:{name}")


def _find_targets(document: "nodes.document") -> tuple[dict[str, str], Iterator[str]]:
    from docutils import nodes

    urls: dict[str, str] = {}
    anonymous: list[str] = []
    above: list[str] = []  # names of adjacent targets share the address of the last
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
