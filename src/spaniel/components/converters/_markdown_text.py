"""Markdown as plain text with its structure."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import zip_longest
from typing import TYPE_CHECKING

from spaniel.components.converters._html_fragments import HtmlInMarkdown
from spaniel.components.converters._markdown_parser import plain_markdown
from spaniel.components.converters._nesting import has_deep_brackets
from spaniel.components.converters._roles import role_text
from spaniel.text.converted_text import ConvertedText
from spaniel.text.front_matter import read_front_matter
from spaniel.text.headings import explicit_id
from spaniel.text.plain_text import convert_plain
from spaniel.text.slugs import github_slug
from spaniel.text.text_builder import Mark, TextBuilder

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

_ATTRIBUTES = re.compile(
    r"\{:?[ ]*(?:[.#][\w-]+|[\w-]+=(?:\"[^\"]*\"|[\w-]+))(?:[ ]+[^{}\n]*)?\}"
)  # after a link or image
_ROLE = re.compile(r"\{([a-z][\w:+.-]*)\}$")
_LARGEST = 5_000_000  # characters; a larger file is read as plain text, which needs no tree in memory
_DEEPEST = 150  # blocks within blocks; the parser drops what is deeper


def convert_markdown(text: str, *, table_to_single_line: bool = False) -> ConvertedText:
    r"""Return the plain text of a Markdown file with its headings and links.

    Marks of headings and emphasis go; links are their words, images their alternative text, lists keep ``- ``, rows of
    tables are lines, code stays as it is. The title is the front matter's, else the first ``#`` heading; the front
    matter's title becomes the first heading of a text without one of level 1. All fields of the front matter are `meta`.
    HTML tags go, their text stays. A file that is larger than 5 million characters or nested deeper than 150 blocks is
    read as plain text.

    :param text: the source, CommonMark with tables; blocks of MkDocs and Docusaurus are understood.
    :param table_to_single_line: write a table as one line.

    >>> converted = convert_markdown("# Guide\n\nSee *the* [manual](api.md#run).")
    >>> converted.text
    'Guide\n\nSee the manual.'
    >>> converted.headings, converted.references
    ([Heading(level=1, title='Guide', start=0)], [Reference(start=15, end=21, target='api.md#run')])
    """
    if len(text) > _LARGEST:
        return convert_plain(text)
    front_matter = read_front_matter(text)
    title = _title(front_matter.fields.get("title"))
    tokens = _parser().parse(plain_markdown(text[front_matter.end :]))
    if any(token.level >= _DEEPEST - 1 for token in tokens):
        return convert_plain(text)
    renderer = _Renderer(table_to_single_line)
    if title and not any(token.type == "heading_open" and token.tag == "h1" for token in tokens):
        begun = renderer.builder.begin_heading()
        renderer.builder.write(title)
        renderer.builder.end_heading(begun, 1, None, github_slug)
    renderer.builder.title = title
    renderer.blocks(tokens)
    problems = [front_matter.problem] if front_matter.problem else []
    return replace(renderer.builder.build(), meta=front_matter.fields, problems=problems)


def _title(field: object) -> str | None:
    return None if field is None or isinstance(field, (list, dict)) else " ".join(str(field).split()) or None


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": _DEEPEST}).enable(["table", "strikethrough"])
    setattr(parser, "normalizeLink", str)  # noqa: B010 (mypy forbids to assign methods): targets stay as written
    parser.core.ruler.at("inline", _parse_inline)
    return parser


def _parse_inline(state: "StateCore") -> None:
    from markdown_it.token import Token

    for token in state.tokens:
        if token.type == "inline" and has_deep_brackets(token.content):
            token.children = [Token("text", "", 0, content=token.content)]
        elif token.type == "inline":
            token.children = []
            state.md.inline.parse(token.content, state.md, state.env, token.children)


class _Renderer:
    """Writes the tokens of a Markdown text to a builder."""

    def __init__(self, table_to_single_line: bool) -> None:
        self.builder = TextBuilder()
        self.html = HtmlInMarkdown(self.builder)
        self._row_end = self.builder.flow if table_to_single_line else (lambda _: self.builder.line())
        self._links: list[tuple[Mark, str]] = []
        self._numbers: list[int | None] = []  # the next number of each open list, None in one of bullets
        self._heading: Mark | None = None
        self._column = 0

    def blocks(self, tokens: Sequence["Token"]) -> None:
        """Write block tokens."""
        for token in tokens:
            if (action := _BLOCKS.get(token.type)) is not None:
                action(self, token)

    def open_heading(self, token: "Token") -> None:
        self.builder.block()
        self._heading = self.builder.begin_heading() if token.level == 0 else None
        self.html.headings_allowed = False

    def close_heading(self, token: "Token") -> None:
        self.html.headings_allowed = True
        if self._heading is not None:
            self.builder.end_heading(self._heading, int(token.tag[1]), self._explicit, github_slug)
        self._heading = None
        self.builder.block()

    def inline(self, token: "Token") -> None:
        self._explicit = None
        children = token.children or []
        if self._heading is not None and children and children[-1].type == "text":
            children[-1].content, self._explicit = explicit_id(children[-1].content)
        for child, following in zip_longest(children, children[1:]):
            if following is not None and following.type == "code_inline" and child.type == "text":
                self.role(child, following)
            elif (action := _INLINE.get(child.type)) is not None:
                action(self, child)

    def role(self, text: "Token", code: "Token") -> None:
        """Write the text before inline code; if it ends in a MyST role such as ``{doc}``, the code is that role's."""
        match = _ROLE.search(text.content)
        if match is None:
            self.text(text)
            return
        text.content = text.content[: match.start()]
        self.text(text)
        code.content, target = role_text(match.group(1), code.content)
        code.meta["target"] = target

    def code_inline(self, token: "Token") -> None:
        mark = self.builder.mark()
        self.builder.write(token.content)
        self.builder.reference(mark, token.meta.get("target", ""))

    def text(self, token: "Token") -> None:
        if self.html.hidden:
            return
        text = _ATTRIBUTES.sub("", token.content) if "{" in token.content else token.content
        if self._links:
            self.builder.write(text)
        else:
            self.builder.text_with_urls(text)

    def line_break(self, _: "Token") -> None:
        if self._heading is None:
            self.builder.line()
        else:
            self.builder.flow(" ")

    def open_link(self, token: "Token") -> None:
        self._links.append((self.builder.mark(), str(token.attrs.get("href", ""))))

    def close_link(self, _: "Token") -> None:
        self.builder.reference(*self._links.pop())

    def image(self, token: "Token") -> None:
        self.builder.flow(token.content)

    def code(self, token: "Token") -> None:
        self.builder.code(token.content.rstrip("\n"))

    def html_block(self, token: "Token") -> None:
        self.builder.block()
        self.html.headings_allowed = token.level == 0
        self.html.piece(token.content)
        self.html.headings_allowed = True
        self.builder.block()

    def open_list(self, token: "Token") -> None:
        self.builder.block() if token.level == 0 else self.builder.line()
        self._numbers.append(int(token.attrs.get("start", 1)) if token.type == "ordered_list_open" else None)

    def close_list(self, token: "Token") -> None:
        self._numbers.pop()
        self.builder.block() if token.level == 0 else self.builder.line()

    def open_item(self, _: "Token") -> None:
        self.builder.line()
        bullet = "- "
        if (number := self._numbers[-1]) is not None:
            bullet = f"{number}. "
            self._numbers[-1] = number + 1
        self.builder.indent(" " * len(bullet), bullet)

    def close_item(self, _: "Token") -> None:
        self.builder.dedent()
        self.builder.line()

    def open_cell(self, _: "Token") -> None:
        if self._column:
            self.builder.flow(" | ")
        self._column += 1

    def close_row(self, _: "Token") -> None:
        self._column = 0
        self._row_end(" ")

    def open_paragraph(self, token: "Token") -> None:
        if not token.hidden:
            self.builder.block()

    def close_paragraph(self, token: "Token") -> None:
        self.builder.line() if token.hidden else self.builder.block()


_BLOCKS: dict[str, Callable[[_Renderer, "Token"], None]] = {
    "heading_open": _Renderer.open_heading,
    "heading_close": _Renderer.close_heading,
    "paragraph_open": _Renderer.open_paragraph,
    "paragraph_close": _Renderer.close_paragraph,
    "inline": _Renderer.inline,
    "fence": _Renderer.code,
    "code_block": _Renderer.code,
    "html_block": _Renderer.html_block,
    "bullet_list_open": _Renderer.open_list,
    "bullet_list_close": _Renderer.close_list,
    "ordered_list_open": _Renderer.open_list,
    "ordered_list_close": _Renderer.close_list,
    "list_item_open": _Renderer.open_item,
    "list_item_close": _Renderer.close_item,
    "table_open": lambda renderer, _: renderer.builder.block(),
    "table_close": lambda renderer, _: renderer.builder.block(),
    "th_open": _Renderer.open_cell,
    "td_open": _Renderer.open_cell,
    "tr_close": _Renderer.close_row,
    "hr": lambda renderer, _: renderer.builder.block(),
}

_INLINE: dict[str, Callable[[_Renderer, "Token"], None]] = {
    "text": _Renderer.text,
    "code_inline": _Renderer.code_inline,
    "softbreak": _Renderer.line_break,
    "hardbreak": _Renderer.line_break,
    "link_open": _Renderer.open_link,
    "link_close": _Renderer.close_link,
    "image": _Renderer.image,
    "html_inline": lambda renderer, token: renderer.html.piece(token.content),
}
