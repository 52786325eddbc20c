"""The HTML that Markdown files hold: tags go, their text, links, headings and anchors stay."""

import re
from html.parser import HTMLParser

from spaniel.text.slugs import github_slug
from spaniel.text.text_builder import Mark, TextBuilder

_BLOCKS = frozenset(
    {
        "p",
        "div",
        "table",
        "tr",
        "ul",
        "ol",
        "li",
        "details",
        "summary",
        "section",
        "center",
        "dl",
        "dt",
        "dd",
        "pre",
        "picture",
    }
)
_HIDDEN = frozenset({"script", "style", "template", "svg"})
_HEADING = re.compile(r"h([1-6])$")


class HtmlInMarkdown(HTMLParser):
    """Writes pieces of HTML to a builder. An element may begin in one piece and end in another."""

    def __init__(self, builder: TextBuilder) -> None:
        super().__init__(convert_charrefs=False)
        self._builder = builder
        self._links: list[tuple[Mark, str]] = []
        self._heading: Mark | None = None
        self._slug: str | None = None
        self._hidden = ""
        self.headings_allowed = True

    @property
    def hidden(self) -> bool:
        """Whether the text here is not shown, as in a script."""
        return bool(self._hidden)

    def piece(self, html: str) -> None:
        """Write a piece of HTML."""
        self.feed(html)
        if self.rawdata:  # a tag that never closes: it is text
            rest, self.rawdata = self.rawdata, ""
            if not rest.startswith("<!--"):
                self._builder.flow(rest)

    def parse_html_declaration(self, i: int) -> int:
        """Read what begins with ``<!``; Python's parser fails at a ``<![`` that it does not know, so that is a comment."""
        if self.rawdata.startswith("<![", i) and not self.rawdata.startswith("<![CDATA[", i):
            return self.parse_bogus_comment(i)
        return super().parse_html_declaration(i)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag means for the text."""
        if tag in _HIDDEN:
            self._hidden = self._hidden or tag
        if tag == "br":
            self._builder.line()
        if tag in _BLOCKS:
            self._builder.line()
        values = {name: value or "" for name, value in attrs}
        if tag == "img":
            self._builder.flow(values.get("alt", ""))
        name = values.get("id") or (values.get("name") if tag == "a" else None)
        if (level := _HEADING.match(tag)) and self._heading is None and self.headings_allowed:
            self._heading, self._slug = self._builder.begin_heading(), name
            self._level = int(level.group(1))
        elif name:
            self._builder.anchor(name)
        if tag == "a" and values.get("href"):
            self._links.append((self._builder.mark(), values["href"]))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Treat ``<a id="x"/>`` as a tag without content."""
        if tag not in _HIDDEN:
            self.handle_starttag(tag, [(name, value) for name, value in attrs if (tag, name) != ("a", "href")])

    def handle_endtag(self, tag: str) -> None:
        """End a link, a heading or a block."""
        if tag == self._hidden:
            self._hidden = ""
        if tag == "a" and self._links:
            self._builder.reference(*self._links.pop())
        if tag in _BLOCKS:
            self._builder.line()
        if _HEADING.match(tag) and self._heading is not None:
            self._builder.end_heading(self._heading, self._level, self._slug, github_slug)
            self._heading = None

    def handle_data(self, data: str) -> None:
        """Write text."""
        if not self._hidden:
            self._builder.flow(data)

    def handle_entityref(self, name: str) -> None:
        """Write a named character."""
        self.handle_data(_unescaped(f"&{name};"))

    def handle_charref(self, name: str) -> None:
        """Write a numbered character."""
        self.handle_data(_unescaped(f"&#{name};"))


def _unescaped(reference: str) -> str:
    from html import unescape

    return unescape(reference)
