"""HTML as plain text with its structure."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from spaniel.components.converters._html_fragments import HtmlInMarkdown
from spaniel.components.converters._nesting import is_deep_html
from spaniel.text.converted_text import ConvertedText
from spaniel.text.slugs import github_slug
from spaniel.text.text_builder import TextBuilder

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_HIDDEN = frozenset(
    {
        *("script", "style", "template", "noscript", "iframe", "object", "svg", "canvas", "audio", "video", "head"),
        *("button", "input", "select", "textarea", "datalist", "dialog", "-comment", "!doctype"),
    }
)
# Around the text of a page. Left out unless nothing else is on it.
_AROUND = frozenset({"nav", "footer", "aside"})
_AROUND_CLASSES = frozenset(
    {
        *(
            "headerlink",
            "anchor",
            "navheader",
            "navfooter",
            "navigation",
            "nav",
            "sphinxsidebar",
            "related",
            "sidebar",
            "breadcrumbs",
        ),
        *("toc-backref-hidden", "skip-link", "skipnav", "md-header", "md-footer", "md-sidebar", "mark", "srclink"),
    }
)
_AROUND_ROLES = frozenset({"navigation", "search", "banner", "contentinfo"})
_MAIN = ("main", "[role=main]", "article", "div.body", "div.document", "div#content", "div#main")
_BLOCKS = frozenset(
    {
        *(
            "p",
            "div",
            "section",
            "article",
            "main",
            "header",
            "figure",
            "figcaption",
            "address",
            "blockquote",
            "center",
        ),
        *("dl", "details", "summary", "fieldset", "form", "hr", "body", "caption", "nav", "aside"),
    }
)
_LINES = frozenset({"br", "dt", "option", "legend"})
_LAYOUT = "h1,h2,h3,h4,h5,h6,pre,table"  # a table that holds these arranges a page
_HEADING = re.compile(r"h([1-6])$")
_PILCROW = frozenset({"¶", "#", "§", "🔗", ""})  # what links to a heading itself show


def convert_html(text: str) -> ConvertedText:
    r"""Return the plain text of an HTML page with its headings and links.

    Scripts, styles and forms are left out, and so is what stands around the text: navigation, footers, side bars, unless
    the page has nothing else. ``pre`` stays as it is, rows of tables are lines. The slug of a section is the id of its
    heading, else of the element around or an anchor right before it, else GitHub's. A page that is nested deeper than 1000
    elements is read without its tree: tags go, text, links and headings stay.

    :param text: the source; it may be malformed.

    >>> converted = convert_html('<h1 id="top">Guide</h1><p>See <a href="api.html">the  manual</a>.')
    >>> converted.text, converted.slugs, converted.references
    ('Guide\n\nSee the manual.', ['top'], [Reference(start=11, end=21, target='api.html')])
    """
    from selectolax.lexbor import LexborHTMLParser

    if is_deep_html(text):
        return _flat(text)
    tree = LexborHTMLParser(text)
    title = tree.css_first("title")
    for keep_around in (False, True):
        root = tree.body if keep_around else _main(tree.body)
        writer = _Writer(keep_around, in_main=root != tree.body)
        if root is not None:
            writer.walk(root)
        converted = writer.builder.build()
        if converted.text.strip():
            break
    shown = " ".join(title.text().split()) if title is not None else ""
    return replace(converted, title=shown) if shown else converted


def _flat(text: str) -> ConvertedText:
    builder = TextBuilder()
    HtmlInMarkdown(builder).piece(text)
    return builder.build()


def _main(body: "LexborNode | None") -> "LexborNode | None":
    """Return the element that holds the text of the page: the one that is marked as such, if it is the only one."""
    if body is None:
        return None
    for selector in _MAIN:
        found = body.css(selector)
        if len(found) == 1 and (found[0].text() or "").strip():
            return found[0]
    return body


class _Writer:
    """Writes the elements of a page to a builder, without recursion: pages can be nested deeper than Python's stack."""

    def __init__(self, keep_around: bool, in_main: bool) -> None:
        self.builder = TextBuilder()
        self._keep_around = keep_around
        self._around = _AROUND - {"aside"} if in_main else _AROUND
        self._verbatim = False
        self._in_heading = False
        self._lists: list[int | None] = []  # the next number of each open list, None in one of bullets
        self._tables: list[int | None] = []  # the cells of the row, None in a table that arranges a page

    def walk(self, root: "LexborNode") -> None:
        """Write an element and all that is in it."""
        waiting: list[LexborNode | Callable[[], None]] = [root]
        while waiting:
            step = waiting.pop()
            if callable(step):
                step()
            elif step.tag == "-text":
                self._text(step.text_content or "")
            elif (leave := self._enter(step)) is not None:
                waiting.append(leave)
                waiting.extend(reversed(list(step.iter(include_text=True))))

    def _text(self, text: str) -> None:
        if self._verbatim:
            self.builder.write(text)
        else:
            self.builder.flow(text)

    def _enter(self, node: "LexborNode") -> Callable[[], None] | None:
        """Begin an element; return what ends it, or None if it is left out."""
        tag = node.tag or ""
        if tag in _HIDDEN:
            return None
        attributes = node.attributes
        name = attributes.get("id") or (attributes.get("name") if tag == "a" else None)
        left_out = not self._keep_around and self._is_around(node, tag, attributes)
        heading = _HEADING.match(tag)
        if heading and not self._in_heading and not left_out:
            return self.heading(node, int(heading.group(1)), name)
        if name:
            self.builder.anchor(name)
        return None if left_out else self._begin(node, tag, attributes)

    def _begin(self, node: "LexborNode", tag: str, attributes: Mapping[str, str | None]) -> Callable[[], None] | None:
        if (action := _ACTIONS.get(tag)) is not None:
            return action(self, node, attributes)
        if self._verbatim and tag == "code" and node.prev is not None and node.prev.tag == "code":
            self.builder.line()
        separate = self.builder.block if tag in _BLOCKS else self.builder.line if tag in _LINES else _nothing
        separate()
        return separate

    def _is_around(self, node: "LexborNode", tag: str, attributes: Mapping[str, str | None]) -> bool:
        if tag in self._around or attributes.get("role") in _AROUND_ROLES or "hidden" in attributes:
            return True
        if tag == "header":
            return node.css_first("h1, h2") is None
        classes = (attributes.get("class") or "").split()
        if _AROUND_CLASSES.isdisjoint(classes):
            return False
        return tag != "a" or (node.text() or "").strip() in _PILCROW

    def heading(self, node: "LexborNode", level: int, name: str | None) -> Callable[[], None]:
        around = node.parent.attributes.get("id") if node.parent is not None else None
        waiting = self.builder.waiting_anchors
        if name:
            self.builder.anchor(name)
        inner = node.css_first("a[id], a[name], span[id]")
        inside = (inner.attributes.get("id") or inner.attributes.get("name")) if inner is not None else None
        slug = name or inside or (around if around in waiting else None) or (waiting[-1] if waiting else None)
        mark = self.builder.begin_heading()
        self._in_heading = self.builder.one_line = True

        def leave() -> None:
            self._in_heading = self.builder.one_line = False
            self.builder.end_heading(mark, level, slug, github_slug)

        return leave

    def link(self, _: "LexborNode", attributes: Mapping[str, str | None]) -> Callable[[], None]:
        mark = self.builder.mark()
        return lambda: self.builder.reference(mark, attributes.get("href") or "")

    def image(self, _: "LexborNode", attributes: Mapping[str, str | None]) -> None:
        self.builder.flow(attributes.get("alt") or "")

    def code(self, _: "LexborNode", __: Mapping[str, str | None]) -> Callable[[], None]:
        if self.builder.one_line:
            return _nothing
        mark = self.builder.begin_code()
        self._verbatim = True

        def leave() -> None:
            self._verbatim = False
            self.builder.end_code(mark)

        return leave

    def list_(self, node: "LexborNode", attributes: Mapping[str, str | None]) -> Callable[[], None]:
        separate = self.builder.line if self._lists else self.builder.block
        separate()
        start = attributes.get("start") or ""
        self._lists.append((int(start) if start.isdecimal() else 1) if node.tag == "ol" else None)

        def leave() -> None:
            self._lists.pop()
            separate()

        return leave

    def item(self, _: "LexborNode", __: Mapping[str, str | None]) -> Callable[[], None]:
        bullet = "- "
        if self._lists and (number := self._lists[-1]) is not None:
            bullet = f"{number}. "
            self._lists[-1] = number + 1
        return self._indented(" " * len(bullet), bullet)

    def definition(self, _: "LexborNode", __: Mapping[str, str | None]) -> Callable[[], None]:
        return self._indented("   ", None)

    def _indented(self, indent: str, bullet: str | None) -> Callable[[], None]:
        self.builder.line()
        self.builder.indent(indent, bullet)

        def leave() -> None:
            self.builder.dedent()
            self.builder.line()

        return leave

    def table(self, node: "LexborNode", __: Mapping[str, str | None]) -> Callable[[], None]:
        self.builder.block()
        self._tables.append(None if any(found != node for found in node.css(_LAYOUT)) else 0)

        def leave() -> None:
            self._tables.pop()
            self.builder.block()

        return leave

    def row(self, _: "LexborNode", __: Mapping[str, str | None]) -> Callable[[], None]:
        self.builder.line()
        if self._tables and self._tables[-1] is not None:
            self._tables[-1] = 0
        return self.builder.line

    def cell(self, _: "LexborNode", __: Mapping[str, str | None]) -> Callable[[], None]:
        if not self._tables or self._tables[-1] is None:
            self.builder.block()
            return self.builder.block
        if self._tables[-1]:
            self.builder.flow(" | ")
        self._tables[-1] += 1
        before, self.builder.one_line = self.builder.one_line, True

        def leave() -> None:
            self.builder.one_line = before

        return leave


def _nothing() -> None:
    """Begin or end an element that leaves no mark in the text."""


_ACTIONS: dict[str, Callable[[_Writer, "LexborNode", Mapping[str, str | None]], Callable[[], None] | None]] = {
    "a": _Writer.link,
    "img": _Writer.image,
    **dict.fromkeys(("ul", "ol", "menu", "dir"), _Writer.list_),
    "li": _Writer.item,
    "dd": _Writer.definition,
    "table": _Writer.table,
    "tr": _Writer.row,
    **dict.fromkeys(("td", "th"), _Writer.cell),
    **dict.fromkeys(("pre", "listing", "xmp"), _Writer.code),
}
