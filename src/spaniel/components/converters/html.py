"""HTML files as documents."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from spaniel.components.converters._file_converter import Source, SourceMeta, TextConverter
from spaniel.components.converters._html_fragments import HTMLFragmentWriter, is_too_deep
from spaniel.core.component import component
from spaniel.dataclasses import Document
from spaniel.dataclasses.copying import copy_value
from spaniel.json_types import JsonObject
from spaniel.text.converted_text import ConvertedText
from spaniel.text.slugs import github_slug
from spaniel.text.text_builder import TextBuilder

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

__all__ = ["HTMLToDocument", "convert_html"]

_HIDDEN = {
    *("script", "style", "template", "noscript", "iframe", "object", "svg", "canvas", "audio", "video", "head"),
    *("button", "input", "select", "textarea", "datalist", "dialog", "-comment", "!doctype"),
}
# Page furniture: left out unless the page has nothing else.
_FURNITURE = frozenset({"nav", "footer", "aside"})
_FURNITURE_ROLES = frozenset({"navigation", "search", "banner", "contentinfo"})
_FURNITURE_CLASSES = {
    *("headerlink", "anchor", "navheader", "navfooter", "navigation", "nav", "sphinxsidebar", "related"),
    *("sidebar", "breadcrumbs", "toc-backref-hidden", "skip-link", "skipnav", "md-header", "md-footer"),
    *("md-sidebar", "mark", "srclink"),
}
_MAIN = ("main", "[role=main]", "article", "div.body", "div.document", "div#content", "div#main")
_BLOCKS = {
    *("p", "div", "section", "article", "main", "header", "figure", "figcaption", "address", "blockquote"),
    *("center", "dl", "details", "summary", "fieldset", "form", "hr", "body", "caption", "nav", "aside"),
}
_LINES = frozenset({"br", "dt", "option", "legend"})
_LAYOUT = "h1,h2,h3,h4,h5,h6,pre,table"  # a table with these arranges a page
_HEADING = re.compile(r"h([1-6])$")
_PERMALINKS = frozenset({"¶", "#", "§", "🔗", ""})  # texts of a heading's link to itself

Attributes = Mapping[str, str | None]
Leave = Callable[[], None]


@component
class HTMLToDocument(TextConverter):
    r"""Converts HTML files to documents: plain text, with headings and links in the metadata.

    :param extraction_kwargs: Trafilatura's options in Haystack. Spaniel does not use it, so the
        value must be empty.
    :param store_full_path: keep the whole path in ``meta["file_path"]`` instead of the file's name.
    :param encoding: encoding of the files; None detects it. ``meta["encoding"]`` of a source takes
        precedence.
    :raises ValueError: `extraction_kwargs` has options.

    >>> from spaniel.dataclasses import ByteStream
    >>> document = HTMLToDocument().run([ByteStream.from_string("<h1>Guide</h1><p>See <b>this</b>.")])["documents"][0]
    >>> document.content, document.meta["headings"]
    ('Guide\n\nSee this.', [[1, 'Guide', 0]])
    """

    def __init__(
        self, extraction_kwargs: JsonObject | None = None, store_full_path: bool = False, encoding: str | None = None
    ) -> None:
        _reject_options(extraction_kwargs)
        self.extraction_kwargs = copy_value(extraction_kwargs or {})
        self.store_full_path = store_full_path
        self.encoding = encoding

    @component.output_types(documents=list[Document])
    def run(
        self, sources: list[Source], meta: SourceMeta = None, extraction_kwargs: JsonObject | None = None
    ) -> dict[str, list[Document]]:
        """Convert files to documents. Files that cannot be read are skipped with a warning.

        :param sources: file paths or byte streams.
        :param meta: metadata of all documents, or a dictionary for each source; it takes precedence
            over the source's own.
        :param extraction_kwargs: must be empty.
        :returns: ``{"documents": [...]}``, in the order of the sources.
        :raises ValueError: `meta` is a list of another length than `sources`, or
            `extraction_kwargs` has options.
        """
        _reject_options(extraction_kwargs)
        return super().run(sources, meta)

    def _convert_text(self, text: str) -> ConvertedText:
        return convert_html(text)


def _reject_options(extraction_kwargs: JsonObject | None) -> None:
    if extraction_kwargs:
        raise ValueError(
            f"extraction_kwargs are options of Trafilatura, which Spaniel does not use: leave out {sorted(extraction_kwargs)}."
        )


def convert_html(text: str) -> ConvertedText:
    r"""Return the plain text of an HTML page with its headings and links.

    Scripts, styles and forms are left out, and so are navigation, footers and side bars, unless the
    page has nothing else. ``pre`` is unchanged, rows of tables are lines. The slug of a section is
    the id of its heading, else of the element around it or of an anchor before it, else GitHub's. A
    page nested deeper than 1000 elements is read without its tree: tags go; text, links and
    headings stay.

    >>> converted = convert_html('<h1 id="top">Guide</h1><p>See <a href="api.html">the  manual</a>.')
    >>> converted.text, converted.slugs, converted.references
    ('Guide\n\nSee the manual.', ['top'], [Reference(start=11, end=21, target='api.html')])
    """
    from selectolax.lexbor import LexborHTMLParser

    if is_too_deep(text):
        builder = TextBuilder()
        HTMLFragmentWriter(builder).write(text)
        return builder.build()
    tree = LexborHTMLParser(text)
    title = tree.css_first("title")
    for keep_furniture in (False, True):
        root = tree.body if keep_furniture else _find_main(tree.body)
        writer = _HTMLWriter(keep_furniture=keep_furniture, in_main=root != tree.body)
        if root is not None:
            writer.write(root)
        converted = writer.builder.build()
        if converted.text.strip():
            break
    shown = " ".join(title.text().split()) if title is not None else ""
    return replace(converted, title=shown) if shown else converted


def _find_main(body: "LexborNode | None") -> "LexborNode | None":
    if body is None:
        return None
    for selector in _MAIN:
        found = body.css(selector)
        if len(found) == 1 and (found[0].text() or "").strip():
            return found[0]
    return body


class _HTMLWriter:
    """Writes a page to a builder, without recursion: pages may be deeper than Python's stack."""

    def __init__(self, *, keep_furniture: bool, in_main: bool) -> None:
        self.builder = TextBuilder()
        self._keep_furniture = keep_furniture
        self._furniture = _FURNITURE - {"aside"} if in_main else _FURNITURE
        self._verbatim = False
        self._in_heading = False
        self._tables: list[int | None] = []  # the cells in the row, None for layout

    def write(self, root: "LexborNode") -> None:
        waiting: list[LexborNode | Leave] = [root]
        while waiting:
            step = waiting.pop()
            if callable(step):
                step()
            elif step.tag == "-text":
                write = self.builder.write if self._verbatim else self.builder.write_words
                write(step.text_content or "")
            elif (leave := self._enter(step)) is not None:
                waiting.append(leave)
                waiting.extend(reversed(list(step.iter(include_text=True))))

    def _enter(self, node: "LexborNode") -> Leave | None:
        """Begin an element and return the function that ends it; None leaves the element out."""
        tag = node.tag or ""
        if tag in _HIDDEN:
            return None
        attributes = node.attributes
        name = attributes.get("id") or (attributes.get("name") if tag == "a" else None)
        left_out = not self._keep_furniture and self._is_furniture(node, tag, attributes)
        heading = _HEADING.match(tag)
        if heading and not self._in_heading and not left_out:
            return self._enter_heading(node, int(heading.group(1)), name)
        if name:
            self.builder.add_anchor(name)
        return None if left_out else self._enter_tag(node, tag, attributes)

    def _enter_tag(self, node: "LexborNode", tag: str, attributes: Attributes) -> Leave | None:
        if (enter := _ENTER.get(tag)) is not None:
            return enter(self, node, attributes)
        if self._verbatim and tag == "code" and node.prev is not None and node.prev.tag == "code":
            self.builder.begin_line()
        separate = (
            self.builder.begin_block if tag in _BLOCKS else self.builder.begin_line if tag in _LINES else _do_nothing
        )
        separate()
        return separate

    def _is_furniture(self, node: "LexborNode", tag: str, attributes: Attributes) -> bool:
        if tag in self._furniture or attributes.get("role") in _FURNITURE_ROLES or "hidden" in attributes:
            return True
        if tag == "header":
            return node.css_first("h1, h2") is None
        if _FURNITURE_CLASSES.isdisjoint((attributes.get("class") or "").split()):
            return False
        return tag != "a" or (node.text() or "").strip() in _PERMALINKS

    def _enter_heading(self, node: "LexborNode", level: int, name: str | None) -> Leave:
        around = node.parent.attributes.get("id") if node.parent is not None else None
        waiting = self.builder.waiting_anchors
        if name:
            self.builder.add_anchor(name)
        inner = node.css_first("a[id], a[name], span[id]")
        inside = (inner.attributes.get("id") or inner.attributes.get("name")) if inner is not None else None
        slug = name or inside or (around if around in waiting else None) or (waiting[-1] if waiting else None)
        mark = self.builder.begin_heading()
        self._in_heading = self.builder.one_line = True

        def leave() -> None:
            self._in_heading = self.builder.one_line = False
            self.builder.end_heading(mark, level, slug, github_slug)

        return leave

    def enter_link(self, _: "LexborNode", attributes: Attributes) -> Leave:
        mark = self.builder.add_mark()
        return lambda: self.builder.add_reference(mark, attributes.get("href") or "")

    def enter_code(self, _: "LexborNode", __: Attributes) -> Leave:
        if self.builder.one_line:
            return _do_nothing
        mark = self.builder.begin_code()
        self._verbatim = True

        def leave() -> None:
            self._verbatim = False
            self.builder.end_code(mark)

        return leave

    def enter_list(self, node: "LexborNode", attributes: Attributes) -> Leave:
        separate = self.builder.begin_line if self.builder.open_lists else self.builder.begin_block
        separate()
        start = attributes.get("start") or ""
        self.builder.begin_list((int(start) if start.isdecimal() else 1) if node.tag == "ol" else None)

        def leave() -> None:
            self.builder.end_list()
            separate()

        return leave

    def enter_item(self, _: "LexborNode", __: Attributes) -> Leave:
        self.builder.begin_item()
        return self.builder.end_item

    def enter_definition(self, _: "LexborNode", __: Attributes) -> Leave:
        self.builder.begin_line()
        self.builder.indent("   ")
        return self.builder.end_item

    def enter_table(self, node: "LexborNode", __: Attributes) -> Leave:
        self.builder.begin_block()
        self._tables.append(None if any(found != node for found in node.css(_LAYOUT)) else 0)

        def leave() -> None:
            self._tables.pop()
            self.builder.begin_block()

        return leave

    def enter_row(self, _: "LexborNode", __: Attributes) -> Leave:
        self.builder.begin_line()
        if self._tables and self._tables[-1] is not None:
            self._tables[-1] = 0
        return self.builder.begin_line

    def enter_cell(self, _: "LexborNode", __: Attributes) -> Leave:
        if not self._tables or self._tables[-1] is None:
            self.builder.begin_block()
            return self.builder.begin_block
        if self._tables[-1]:
            self.builder.write_words(" | ")
        self._tables[-1] += 1
        before, self.builder.one_line = self.builder.one_line, True

        def leave() -> None:
            self.builder.one_line = before

        return leave


def _do_nothing() -> None:
    pass


_ENTER: dict[str, Callable[[_HTMLWriter, "LexborNode", Attributes], Leave | None]] = {
    "a": _HTMLWriter.enter_link,
    "img": lambda writer, _, attributes: writer.builder.write_words(attributes.get("alt") or ""),
    **dict.fromkeys(("ul", "ol", "menu", "dir"), _HTMLWriter.enter_list),
    "li": _HTMLWriter.enter_item,
    "dd": _HTMLWriter.enter_definition,
    "table": _HTMLWriter.enter_table,
    "tr": _HTMLWriter.enter_row,
    **dict.fromkeys(("td", "th"), _HTMLWriter.enter_cell),
    **dict.fromkeys(("pre", "listing", "xmp"), _HTMLWriter.enter_code),
}
