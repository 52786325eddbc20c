"""The HTML in a Markdown text as one tree, with the Markdown at its places."""

import re
from collections.abc import Callable

from spaniel.components.converters._html_writer import mark_insertion, write_html
from spaniel.text.text_builder import TextBuilder

Step = Callable[[], None]

_ATTRIBUTE = r"""[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|(?!["'])[^\s>]*+)|(?!\s*+=))"""
_TAG = re.compile(rf"</?(?P<name>[a-z][^\s/>]*+)(?:[\s/]++|{_ATTRIBUTE})*+>", re.IGNORECASE)
_DECLARATION = re.compile(r"<[!?][^<>]*+>")
_RAW = frozenset(  # their content is raw text: the names of GFM's tag filter
    ("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "plaintext")
)
_SHOWN_RAW = frozenset(("title", "xmp"))
_DROPPED = frozenset(("template", "frameset", "select", "selectedcontent"))  # would keep Markdown out of the tree


def _read_piece(html: str, start: int, missing: set[str]) -> tuple[str, int, str]:
    """Return a piece of HTML, from a ``<`` to its end, that leaves a parser ready for the next one,
    with its end and the name of its tag.

    :param missing: ends of comments and elements that are known to be missing.
    """
    for opening, closing in (("<!--", "-->"), ("<![CDATA[", "]]>")):
        if html.startswith(opening, start):
            end = _find(closing, html, start + len(opening) - (opening == "<!--") * 2, missing)
            return "", end if end > 0 else len(html) if opening == "<!--" else start + len(opening), ""
    if (declaration := _DECLARATION.match(html, start)) is not None:
        return "", declaration.end(), ""
    tag = _TAG.match(html, start)
    if tag is None:
        return "&lt;", start + 1, ""
    name = tag["name"].lower()
    if name in _RAW:
        return *_read_raw(html, tag, missing), ""
    return "" if name in _DROPPED else tag[0], tag.end(), name


def _read_raw(html: str, tag: re.Match[str], missing: set[str]) -> tuple[str, int]:
    """Return an element of raw text, of which titles are shown; a tag without its end is text."""
    name = tag["name"].lower()
    if tag[0].endswith("/>"):
        return "", tag.end()  # meant as empty, as in XML
    end = _find(f"</{name}", html, tag.end(), missing) if tag[0][1] != "/" else 0
    if not end:
        return tag[0].replace("<", "&lt;"), tag.end()
    content = html[tag.end() : end - len(name) - 2].replace("<", "&lt;")
    return content if name in _SHOWN_RAW else "", html.find(">", end) + 1 or len(html)


def _find(sign: str, html: str, start: int, missing: set[str]) -> int:
    """Return the end of a sign, or 0 without one."""
    if sign in missing:
        return 0
    found = re.compile(re.escape(sign), re.IGNORECASE).search(html, start)
    if found is None:
        missing.add(sign)
    return found.end() if found else 0


class HTMLWithMarkdown:
    """Collects HTML and steps that write Markdown, and writes both to a builder in order."""

    def __init__(self) -> None:
        self._html: list[str] = []
        self._steps: list[Step] = []
        self._done = 0
        self._heading = ""  # the name of an open heading
        self._heading_has_words = False

    def add_html(self, html: str) -> None:
        """Add HTML whose elements may go on after the Markdown that follows."""
        place, missing = 0, set[str]()
        while (start := html.find("<", place)) >= 0:
            self._html.append(html[place:start])
            piece, place, name = _read_piece(html, start, missing)
            self._html.append(piece)
            if len(name) == 2 and name[0] == "h" and name[1] in "123456":
                self._heading, self._heading_has_words = "" if piece[1] == "/" else name, False
        self._html.append(html[place:])

    def add_step(self, step: Step, *, is_block: bool, is_heading: bool = False) -> None:
        """Add a step that writes Markdown. A block ends a heading that was left open."""
        if self._heading and is_block:
            if is_heading or self._heading_has_words:
                self._html.append(f"</{self._heading}>")
                self._heading = ""
            self._heading_has_words = True
        self._html.append(mark_insertion(len(self._steps)))
        self._steps.append(step)

    def write(self, builder: TextBuilder) -> None:
        """Write everything. A parser may drop or move the place of a step: steps keep their order,
        and none is left out.
        """
        insertions = [self._run_until(number) for number in range(1, len(self._steps) + 1)]
        write_html("".join(self._html), builder, insertions)
        self._run_until(len(self._steps))()

    def _run_until(self, number: int) -> Step:
        def run() -> None:
            while self._done < number:
                self._done += 1
                self._steps[self._done - 1]()

        return run
