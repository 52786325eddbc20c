"""HTML trees as plain text."""

import posixpath
import re
import string
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urljoin, urlsplit

from spaniel.components.converters import _html_elements as elements
from spaniel.components.converters._html_limits import limit_nesting
from spaniel.components.converters._html_lines import LineFinder
from spaniel.text.slugs import github_slug
from spaniel.text.text_builder import TextBuilder

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

Attributes: TypeAlias = Mapping[str, str | None]
Leave: TypeAlias = Callable[[], None]

_INSERTION = "spaniel-insertion"
_NUMBER = re.compile(r"\s*([+-]?[0-9]{1,9})(?![0-9])")
_NUMBERS = string.digits + string.whitespace
_LETTER = re.compile(r"[^\W_]")
_URL_NOISE = str.maketrans("", "", "\t\n\r")
_SOFT_HYPHEN = "\u00ad"
_ANCHORS = ":is([id], a[name])"
_MAX_NESTED_TABLES = 10  # whose content is looked at
_MAX_PARENTS = 4  # between a sign that links to its block, and the block


def write_html(
    html: str, builder: TextBuilder, insertions: Sequence[Callable[[], None]] = (), *, has_headings: bool = True
) -> None:
    r"""Write a fragment of HTML to a builder as `convert_html` does with the body of a page.

    Nothing is left out as navigation. Unclosed elements end with the fragment.

    :param insertions: called at the places that `mark_insertion` made.
    :param has_headings: False writes headings as paragraphs.

    >>> builder = TextBuilder()
    >>> write_html(f"<b>one</b>, {mark_insertion(0)} and<p>three", builder, [lambda: builder.write("*two*")])
    >>> builder.build().text
    'one, *two* and\n\nthree'
    """
    from selectolax.lexbor import LexborHTMLParser

    root = LexborHTMLParser(limit_nesting(html), is_fragment=True, scripting=True).root
    if root is not None:
        writer = HTMLWriter(builder, is_complete=True, has_headings=has_headings)
        writer.insertions = insertions
        writer.write_children(root)


def mark_insertion(number: int) -> str:
    """Return the place in a fragment of HTML where `write_html` calls an insertion."""
    return f"<!--{_INSERTION}{number}-->"  # a comment, which a parser leaves where it is


def find_anchors(node: "LexborNode") -> list[str]:
    """Return the anchors in an element, in order, with its own."""
    found = [place.attributes for place in node.css(_ANCHORS)]
    return [attributes.get("id") or attributes.get("name") or "" for attributes in found]


class HTMLWriter:
    """Writes trees to a builder, without recursion: pages may be deeper than Python's stack.

    :param is_complete: False leaves out navigation, and outside of sections the page's header,
        footer and side notes.
    :param in_main: the tree is the main content of a page.
    :param has_headings: False writes headings as paragraphs.
    :param base: the target of ``<base>``, to which links are relative.
    :param lines: finds the lines of the texts in the page; None finds none.
    """

    def __init__(
        self,
        builder: TextBuilder,
        *,
        is_complete: bool = False,
        in_main: bool = False,
        has_headings: bool = True,
        base: str = "",
        lines: LineFinder | None = None,
    ) -> None:
        self._builder = builder
        self._texts: list[str] = []  # of adjacent nodes, not yet written
        self._lines = lines
        self.insertions: Sequence[Callable[[], None]] = ()
        self._is_complete = is_complete
        self._has_headings = has_headings
        self._base = base
        self._num_sections = int(in_main)
        self._verbatim = False
        self._in_heading = False
        self._in_svg = False
        self._shows_buttons = False
        self._tables: list[_Table | None] = []  # None for a table that arranges the page

    @property
    def builder(self) -> TextBuilder:
        """The builder, with all text so far."""
        if self._texts:
            self._write_texts()
        return self._builder

    def _write_texts(self) -> None:
        text = "".join(self._texts)
        if self._lines is not None and text.strip():
            self._find_lines(self._lines)
        if self._verbatim:
            self._builder.write(text)
        else:
            self._builder.write_words(text.replace(_SOFT_HYPHEN, "") if _SOFT_HYPHEN in text else text)
        self._texts = []

    def _find_lines(self, lines: LineFinder) -> None:
        texts = [text for text in self._texts if type(text) is str and text.strip()]
        if self._builder.is_at_line_start:
            line = lines.end_block()
            self._builder.extend_source_lines(line)
            line = lines.begin_block(texts) if texts else line
            self._builder.set_source_lines(line, line)
        else:
            lines.continue_block(texts)

    def write_element(self, node: "LexborNode") -> None:
        """Write an element: the body or the main content of a page."""
        if (name := node.attributes.get("id")) is not None:
            self.builder.add_anchor(name)
        leave = self._enter_heading(node, 1, name) if node.tag == "h1" else _do_nothing
        self.write_children(node)
        leave()
        if self._lines is not None:
            self._builder.extend_source_lines(self._lines.end_block())

    def write_children(self, root: "LexborNode") -> None:
        """Write the content of an element."""
        open_elements: list[tuple[Iterator[LexborNode], Leave]] = [(root.iter(include_text=True), self._write_texts)]
        while open_elements:
            children, leave = open_elements[-1]
            for node in children:
                tag = node.tag or ""
                if tag == "-text":
                    text = node.text_content or ""
                    if self._texts or self._verbatim or not text.isspace():
                        self._texts.append(text)
                    else:
                        self._builder.add_space()
                elif tag == "-comment":
                    self._insert(node.comment_content or "")
                elif (leave_node := self._enter(node, tag)) is not None:
                    open_elements.append((node.iter(include_text=True), leave_node))
                    break
            else:
                open_elements.pop()
                if leave is not _do_nothing:
                    if self._texts:
                        self._write_texts()
                    leave()

    def _enter(self, node: "LexborNode", tag: str) -> Leave | None:
        """Begin an element and return the function that ends it; None leaves the element out."""
        attributes: Attributes = node.attributes
        if tag in elements.HIDDEN or (
            (
                not elements.ORDINARY.issuperset(attributes)
                or tag in elements.LANDMARKS
                or elements.is_notable(attributes.get("class"))
            )
            and self._is_left_out(node, tag, attributes)
        ):
            self._keep_anchors(node)
            return None
        if name := attributes.get("id"):
            self.builder.add_anchor(name)
        if tag in elements.INLINE:
            return (
                _do_nothing
                if not attributes or attributes.get("role") != "heading"
                else self._enter_aria(node, attributes)
            )
        if tag in elements.LEVELS:
            return self._enter_heading(node, elements.LEVELS[tag], name)
        if (enter := _ENTER.get(tag)) is not None:
            return enter(self, node, attributes)
        if attributes.get("role") == "heading":
            return self._enter_aria(node, attributes)
        return self._enter_block(tag) if tag in elements.BLOCKS else _do_nothing

    def _is_left_out(self, node: "LexborNode", tag: str, attributes: Attributes) -> bool:
        if "hidden" in attributes and attributes["hidden"] != "until-found" and attributes.get("role") != "tabpanel":
            return True
        if attributes.get("aria-hidden") == "true" and self._is_decoration(node):
            return True
        classes = attributes.get("class") or ""
        if classes and elements.is_gutter(classes) and _is_numbers(node):
            return True
        return not self._is_complete and self._is_furniture(node, tag, attributes.get("role") or "", classes)

    def _is_furniture(self, node: "LexborNode", tag: str, role: str, classes: str) -> bool:
        if tag in ("nav", "search") or role in ("navigation", "search"):
            return True
        if self._num_sections:
            return False
        if tag in ("aside", "footer") or role in ("complementary", "contentinfo"):
            return True
        is_furniture = tag == "header" or role == "banner" or not elements.FURNITURE.isdisjoint(classes.split())
        return is_furniture and node.css_first(elements.HEADINGS) is None

    def _is_decoration(self, node: "LexborNode") -> bool:
        """Return if an element that screen readers ignore is a sign, or a formula shown again."""
        if (self._in_heading or self._verbatim) and not any(map(str.isalpha, node.text())):
            return True
        return any(beside is not None and beside.css_first("math") is not None for beside in (node.prev, node.next))

    def _keep_anchors(self, node: "LexborNode") -> None:
        """Keep the anchors of an element that is left out: links may lead there."""
        for name in find_anchors(node):
            self.builder.place_anchor(name)

    def _separate(self) -> None:
        self._texts.append(" ")

    def _enter_block(self, tag: str) -> Leave:
        begin = self.builder.begin_line if self._verbatim else self.builder.begin_block
        begin()
        if tag not in elements.SECTIONS:
            return begin
        self._num_sections += 1

        def leave() -> None:
            self._num_sections -= 1
            begin()

        return leave

    def _enter_aria(self, node: "LexborNode", attributes: Attributes) -> Leave:
        return self._enter_heading(node, _read_number(attributes.get("aria-level")) or 2, attributes.get("id"))

    def _enter_heading(self, node: "LexborNode", level: int, name: str | None) -> Leave:
        if self._in_heading or not self._has_headings:
            return self._enter_block("")
        slug = name or self._find_slug(node)
        mark = self.builder.begin_heading()
        before = self.builder.one_line, self._verbatim, self._shows_buttons
        self.builder.one_line, self._verbatim, self._shows_buttons = True, False, _has_only_buttons(node)
        self._in_heading = True

        def leave() -> None:
            builder = self.builder
            builder.one_line, self._verbatim, self._shows_buttons = before
            self._in_heading = False
            builder.end_heading(mark, level, slug, github_slug)

        return leave

    def _find_slug(self, node: "LexborNode") -> str | None:
        """Return the anchor in a heading, of the element around it, or right before it."""
        inner = next(iter(find_anchors(node)), None)
        waiting = self.builder.waiting_anchors
        around = node.parent.attributes.get("id") if node.parent is not None else None
        return inner or (around if around in waiting else next(reversed(waiting), None))

    def enter_link(self, node: "LexborNode", attributes: Attributes) -> Leave | None:
        if (name := attributes.get("name")) and name != attributes.get("id"):
            self.builder.add_anchor(name)
        href = attributes.get("href") or attributes.get("xlink:href")
        if not href:
            return _do_nothing
        if "#" in href and self._is_permalink(node, href, attributes):
            return None
        if attributes.get("role") == "doc-noteref":
            self._separate()
        mark = self.builder.add_mark()
        return lambda: self.builder.add_reference(mark, self._resolve(href))

    def _is_permalink(self, node: "LexborNode", href: str, attributes: Attributes) -> bool:
        """Return if a link is a sign, such as ¶, that leads to the heading or block around it."""
        text = node.text()
        if _LETTER.search(text) is not None and not (
            self._in_heading and href.startswith("#") and node.css_first("svg") is not None and _is_in_svg(node, text)
        ):
            return False
        if self._in_heading or "headerlink" in (attributes.get("class") or ""):
            return True
        place, target = node, href.partition("#")[2]
        for _ in range(_MAX_PARENTS if text.strip() else 0):
            if place.parent is None:
                return False
            place = place.parent
            if place.attributes.get("id") == target:
                return True
        return False

    def _resolve(self, href: str) -> str:
        """Return the target of a link, relative to the page."""
        href = href.strip()
        if not href.isprintable():
            href = href.translate(_URL_NOISE)
        base = self._base
        if not base or urlsplit(href).scheme or href.startswith("//"):
            return href
        if urlsplit(base).netloc:
            return urljoin(base, href)
        place, _, _ = base.partition("#")[0].partition("?")
        name, sign, rest = href.partition("#")
        if not name:
            return f"{place}{sign}{rest}"
        return posixpath.join(posixpath.dirname(place), name) + sign + rest

    def enter_code(self, node: "LexborNode", _: Attributes) -> Leave | None:
        if self.builder.one_line:
            return self._enter_block("pre")
        mark = self.builder.begin_code()
        before, self._verbatim = self._verbatim, True

        def leave() -> None:
            self.builder.end_code(mark)
            self._verbatim = before

        if node.css_first(elements.IN_CODE) is not None:
            return leave
        self._write_code(node)
        leave()
        return None

    def _write_code(self, node: "LexborNode") -> None:
        """Write code in colors at once, which is much faster than a walk."""
        text = node.text()
        if self._lines is not None and text.strip():
            self._builder.extend_source_lines(self._lines.end_block())
            first_text = next(
                found for part in node.traverse(include_text=True) if (found := part.text_content or "").strip()
            )
            first, last, verbatim = self._lines.find_code(text, first_text)
            self._builder.set_source_lines(first, last, verbatim=verbatim)
        self._builder.write(text)

    def enter_inline_code(self, node: "LexborNode", _: Attributes) -> Leave:
        if self._verbatim and node.prev is not None and node.prev.tag == "code":  # a line each
            self.builder.begin_line()
        return _do_nothing

    def enter_line(self, node: "LexborNode", _: Attributes) -> Leave:
        self.builder.begin_line()
        return self._show_buttons(node, self.builder.begin_line)

    def enter_title(self, node: "LexborNode", _: Attributes) -> Leave:
        return self._show_buttons(node, self._enter_block(node.tag or ""))

    def _show_buttons(self, node: "LexborNode", leave: Leave) -> Leave:
        """Show the text of a button that is all of a title."""
        if not _has_only_buttons(node):
            return leave
        self._shows_buttons = True

        def leave_title() -> None:
            self._shows_buttons = False
            leave()

        return leave_title

    def enter_list(self, node: "LexborNode", attributes: Attributes) -> Leave:
        separate = self.builder.begin_line if self.builder.open_lists else self.builder.begin_block
        separate()
        first = _read_number(attributes.get("start"))
        self.builder.begin_list((1 if first is None else first) if node.tag == "ol" else None)

        def leave() -> None:
            self.builder.end_list()
            separate()

        return leave

    def enter_item(self, _: "LexborNode", attributes: Attributes) -> Leave:
        number = _read_number(attributes.get("value"))
        if number is not None and self.builder.open_lists and self.builder.open_lists[-1] is not None:
            self.builder.open_lists[-1] = number
        self.builder.begin_item()
        return self.builder.end_item

    def enter_definition(self, _: "LexborNode", __: Attributes) -> Leave:
        self.builder.begin_line()
        self.builder.indent("   ")
        return self.builder.end_item

    def enter_table(self, node: "LexborNode", __: Attributes) -> Leave:
        self.builder.begin_block()
        is_layout = len(self._tables) > _MAX_NESTED_TABLES or _is_layout(node)
        self._tables.append(None if is_layout else _Table())

        def leave() -> None:
            self._tables.pop()
            self.builder.begin_block()

        return leave

    def enter_row(self, _: "LexborNode", __: Attributes) -> Leave:
        self.builder.begin_line()
        if self._tables and (table := self._tables[-1]) is not None:
            table.row, table.column = table.row + 1, 0
        return self.builder.begin_line

    def enter_cell(self, _: "LexborNode", attributes: Attributes) -> Leave:
        table = self._tables[-1] if self._tables else None
        if table is None:
            return self._enter_block("td")
        while table.spans.get(table.column, 0) >= table.row:  # the cell of a row above
            self._begin_cell(table)
        if (rows := _read_number(attributes.get("rowspan"))) is not None and rows != 1:
            table.spans[table.column] = table.row + rows - 1 if rows > 0 else sys.maxsize
        self._begin_cell(table)
        before, self.builder.one_line = self.builder.one_line, True
        self._num_sections += 1

        def leave() -> None:
            self.builder.one_line = before
            self._num_sections -= 1

        return leave

    def _begin_cell(self, table: "_Table") -> None:
        if table.column:
            self.builder.write_words(" | ")
        table.column += 1

    def enter_superscript(self, node: "LexborNode", _: Attributes) -> Leave:
        if node.css_first("a") is not None:  # a footnote is not part of the word
            self._separate()
        return _do_nothing

    def enter_quotation(self, _: "LexborNode", __: Attributes) -> Leave:
        self._texts.append(_Made("\u201c"))
        return lambda: self._texts.append(_Made("\u201d"))

    def enter_ruby(self, node: "LexborNode", _: Attributes) -> Leave | None:
        """Write the base text in one piece, then its readings."""
        if node.css_first("a, img, ruby ruby") is not None:
            return _do_nothing
        base = "".join(child.text() for child in node.iter(include_text=True) if child.tag not in ("rt", "rp", "rtc"))
        readings = "".join(reading.text() for reading in node.css("rt")).strip()
        self._texts.append(_Made(f"{base} ({readings})" if readings else base))
        return None

    def enter_formula(self, node: "LexborNode", attributes: Attributes) -> None:
        """Write a formula as TeX if it is given, else its parts."""
        notes = node.css("annotation")
        tex = next((note.text() for note in notes if "tex" in (note.attributes.get("encoding") or "").lower()), None)
        formula = tex or attributes.get("alttext") or node.text(separator=" ", strip=True)
        begin = self.builder.begin_block if attributes.get("display") == "block" else _do_nothing
        begin()
        self._texts.append(_Made(formula))
        begin()

    def enter_picture(self, _: "LexborNode", __: Attributes) -> Leave:
        self._separate()
        before, self._in_svg = self._in_svg, True

        def leave() -> None:
            self._in_svg = before
            self._separate()

        return leave

    def enter_label(self, node: "LexborNode", __: Attributes) -> Leave | None:
        """Begin a text of a picture; the page's title is not part of its text."""
        if not self._in_svg:
            return None if node.tag == "title" else _do_nothing
        self._separate()
        return self._separate

    def enter_image(self, _: "LexborNode", attributes: Attributes) -> None:
        if alternative := attributes.get("alt"):
            self._texts.append(_Made(f" {alternative} "))

    def enter_button(self, _: "LexborNode", __: Attributes) -> Leave | None:
        return _do_nothing if self._shows_buttons else None

    def enter_dialog(self, _: "LexborNode", attributes: Attributes) -> Leave | None:
        return self._enter_block("dialog") if "open" in attributes else None

    def enter_break(self, _: "LexborNode", __: Attributes) -> None:
        self.builder.begin_line()

    def _insert(self, comment: str) -> None:
        number = _read_number(comment.removeprefix(_INSERTION)) if comment.startswith(_INSERTION) else None
        if number is not None and 0 <= number < len(self.insertions):
            self._write_texts()
            self.insertions[number]()


class _Made(str):
    """A text that is not a node of the tree, such as an alternative of an image."""

    __slots__ = ()


@dataclass(slots=True)
class _Table:
    """The place in a table: the row, from 1, and the next column; the last row of spanning cells."""

    row: int = 0
    column: int = 0
    spans: dict[int, int] = field(default_factory=dict)


def _is_layout(table: "LexborNode") -> bool:
    """Return if a table arranges the page: it has headings, code or tables, or one row of blocks."""
    if table.css_first(elements.IN_LAYOUT) is not None or len(table.css("table")) > 1:
        return True
    return table.css_first("ul, ol, dl, p ~ p") is not None and len(table.css("tr")) == 1


def _do_nothing() -> None:
    pass


def _read_number(value: str | None) -> int | None:
    match = _NUMBER.match(value) if value else None
    return None if match is None else int(match[1])


def _is_numbers(node: "LexborNode") -> bool:
    return not node.text().strip(_NUMBERS)


def _has_only_buttons(node: "LexborNode") -> bool:
    """Return if all words of a title are in buttons."""
    return node.css_first("button") is not None and len(node.text().split()) == sum(
        len(button.text().split()) for button in node.css("button")
    )


def _is_in_svg(node: "LexborNode", text: str) -> bool:
    return len(text.split()) == sum(len(picture.text().split()) for picture in node.css("svg"))


_ENTER: dict[str, Callable[[HTMLWriter, "LexborNode", Attributes], Leave | None]] = {
    "a": HTMLWriter.enter_link,
    "code": HTMLWriter.enter_inline_code,
    **dict.fromkeys(("ul", "ol", "menu", "dir"), HTMLWriter.enter_list),
    "li": HTMLWriter.enter_item,
    "dt": HTMLWriter.enter_line,
    "dd": HTMLWriter.enter_definition,
    "table": HTMLWriter.enter_table,
    "tr": HTMLWriter.enter_row,
    **dict.fromkeys(("td", "th"), HTMLWriter.enter_cell),
    **dict.fromkeys(("summary", "caption", "legend"), HTMLWriter.enter_title),
    **dict.fromkeys(("pre", "listing", "xmp", "plaintext"), HTMLWriter.enter_code),
    "br": HTMLWriter.enter_break,
    "img": HTMLWriter.enter_image,
    "sup": HTMLWriter.enter_superscript,
    "q": HTMLWriter.enter_quotation,
    "ruby": HTMLWriter.enter_ruby,
    "math": HTMLWriter.enter_formula,
    "svg": HTMLWriter.enter_picture,
    **dict.fromkeys(("title", "text", "desc"), HTMLWriter.enter_label),
    "button": HTMLWriter.enter_button,
    "dialog": HTMLWriter.enter_dialog,
}
