"""HTML fragments, and pages too deep for a tree: text, links, headings and anchors."""

import re
from collections import Counter
from html import unescape
from html.parser import HTMLParser

from spaniel.text.slugs import github_slug
from spaniel.text.text_builder import Mark, TextBuilder

_BLOCKS = {
    *("p", "div", "table", "tr", "ul", "ol", "li", "details", "summary", "section", "center", "dl", "dt", "dd"),
    *("pre", "picture"),
}
_HIDDEN = frozenset({"script", "style", "template", "svg"})
_HEADING = re.compile(r"h([1-6])$")

_MAX_DEPTH = 1_000
_TAG = re.compile(r"<(/?)([a-z][^\s/<>]*)[^<>]*?(/?)>", re.IGNORECASE)
# Elements without content, or whose end tag is optional: the next of their kind ends them.
_NOT_COUNTED = {
    *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"),
    *("html", "head", "body", "p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "colgroup"),
    *("a", "option", "optgroup", "rb", "rp", "rt", "rtc"),
}


def is_too_deep(text: str) -> bool:
    """Return if elements are nested more than 1000 deep, which makes a parser of trees very slow.

    >>> is_too_deep("<div>" * 1001), is_too_deep("<p><div></div>" * 1001)
    (True, False)
    """
    if text.count("<") <= _MAX_DEPTH:
        return False
    depth = 0
    opened: Counter[str] = Counter()
    for tag in _TAG.finditer(text):
        name = tag[2].lower()
        if tag[1]:
            change = -1 if opened[name] else 0
        elif name in _NOT_COUNTED or (tag[3] and (opened["svg"] or opened["math"])):
            change = 0
        else:
            change = 1
        opened[name] += change
        depth += change
        if depth > _MAX_DEPTH:
            return True
    return False


class HTMLFragmentWriter(HTMLParser):
    """Writes HTML fragments to a builder. An element may span several fragments."""

    def __init__(self, builder: TextBuilder) -> None:
        super().__init__(convert_charrefs=False)
        self._builder = builder
        self._links: list[tuple[Mark, str]] = []
        self._heading: Mark | None = None
        self._slug: str | None = None
        self.hidden = ""  # the open element without visible text, such as a script
        self.headings_allowed = True

    def write(self, html: str) -> None:
        self.feed(html)
        if self.rawdata:  # a tag that never closes is text
            rest, self.rawdata = self.rawdata, ""
            if not rest.startswith("<!--"):
                self._builder.write_words(rest)

    def parse_html_declaration(self, i: int) -> int:
        """Read a declaration; an unknown ``<![``, at which Python's parser fails, is a comment."""
        if self.rawdata.startswith("<![", i) and not self.rawdata.startswith("<![CDATA[", i):
            return self.parse_bogus_comment(i)
        return super().parse_html_declaration(i)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _HIDDEN:
            self.hidden = self.hidden or tag
        if tag == "br" or tag in _BLOCKS:
            self._builder.begin_line()
        values = {name: value or "" for name, value in attrs}
        if tag == "img":
            self._builder.write_words(values.get("alt", ""))
        name = values.get("id") or (values.get("name") if tag == "a" else None)
        if (level := _HEADING.match(tag)) and self._heading is None and self.headings_allowed:
            self._heading, self._slug = self._builder.begin_heading(), name
            self._level = int(level.group(1))
        elif name:
            self._builder.add_anchor(name)
        if tag == "a" and values.get("href"):
            self._links.append((self._builder.add_mark(), values["href"]))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin an element without content, such as ``<a id="x"/>``."""
        if tag not in _HIDDEN:
            self.handle_starttag(tag, [(name, value) for name, value in attrs if (tag, name) != ("a", "href")])

    def handle_endtag(self, tag: str) -> None:
        if tag == self.hidden:
            self.hidden = ""
        if tag == "a" and self._links:
            self._builder.add_reference(*self._links.pop())
        if tag in _BLOCKS:
            self._builder.begin_line()
        if _HEADING.match(tag) and self._heading is not None:
            self._builder.end_heading(self._heading, self._level, self._slug, github_slug)
            self._heading = None

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self._builder.write_words(data)

    def handle_entityref(self, name: str) -> None:
        self.handle_data(unescape(f"&{name};"))

    def handle_charref(self, name: str) -> None:
        self.handle_data(unescape(f"&#{name};"))
